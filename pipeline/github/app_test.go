package github

import (
	"cmp"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/wideswe/wideswe/pipeline"
)

// appHost has an app with two installations, whose tokens end after an hour.
type appHost struct {
	t     *testing.T
	key   *rsa.PrivateKey
	clock *fakeTime
	made  int
	used  map[string]int
	next  string // the Link of the first page
}

func (h *appHost) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	auth := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	switch {
	case strings.HasPrefix(r.URL.Path, "/app"):
		h.check(auth)
		if r.Method == http.MethodGet {
			if r.FormValue("page") == "2" {
				fmt.Fprint(w, `[{"id": 8, "suspended_at": null}]`)
				return
			}
			w.Header().Set("Link", fmt.Sprintf(`<%s>; rel="next"`, cmp.Or(h.next, "http://"+r.Host+
				"/app/installations?per_page=100&page=2")))
			fmt.Fprint(w, `[{"id": 7}, {"id": 9, "suspended_at": "2026-01-01T00:00:00Z"}]`)
			return
		}
		h.made++
		w.WriteHeader(http.StatusCreated)
		fmt.Fprintf(w, `{"token": "of-%s-%d", "expires_at": %q}`, strings.Split(r.URL.Path, "/")[3], h.made,
			h.clock.now().Add(time.Hour).Format(time.RFC3339))
	default:
		h.used[auth]++
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("ETag", `"e"`)
		fmt.Fprint(w, `1`)
	}
}

// check is what GitHub does with a claim.
func (h *appHost) check(claim string) {
	parts := strings.Split(claim, ".")
	sum := sha256.Sum256([]byte(parts[0] + "." + parts[1]))
	sig, _ := base64.RawURLEncoding.DecodeString(parts[2])
	if err := rsa.VerifyPKCS1v15(&h.key.PublicKey, crypto.SHA256, sum[:], sig); err != nil {
		h.t.Errorf("claim %q: %v", claim, err)
	}
	body, _ := base64.RawURLEncoding.DecodeString(parts[1])
	var c struct {
		Iss      string
		Iat, Exp int64
	}
	if now := h.clock.now().Unix(); json.Unmarshal(body, &c) != nil || c.Iss != "42" || c.Iat > now || c.Exp <= now ||
		c.Exp-c.Iat > 600 {
		h.t.Errorf("claim %s", body)
	}
}

// newAppHost gives the host, and a pool of the app's.
func newAppHost(t *testing.T) (*appHost, *Pool) {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	h := &appHost{t: t, key: key, clock: newFakeTime(), used: map[string]int{}}
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	text := pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)})
	p, err := New(Options{BaseURL: srv.URL, App: &App{ID: "42", Key: text}, Now: h.clock.now, Sleep: h.clock.sleep})
	if err != nil || h.made != 0 {
		t.Fatalf("%d tokens, %v", h.made, err)
	}
	return h, p
}

// The claim goes with every page: none is asked of another host.
func TestInstallationsAreListedOnTheAPIsHostOnly(t *testing.T) {
	h, p := newAppHost(t)
	h.next = "http://127.0.0.2:9/app/installations?page=2"
	if _, err := p.Fetch(t.Context(), Request{Pin: "o/n", Path: "x"}); err == nil || !strings.Contains(err.Error(),
		"not asked") {
		t.Errorf("got %v", err)
	}
}

func TestInstallationsAreClientsWhoseTokensAreRenewed(t *testing.T) {
	h, p := newAppHost(t)
	if p.Size() != 2 { // of two pages; the suspended one is none
		t.Fatalf("%d clients", p.Size())
	}
	var tag string
	for i := range 30 {
		pg, err := p.Fetch(t.Context(), Request{Pin: "o/n", Path: "x"})
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			tag = pg.ETag
		}
		_ = h.clock.sleep(t.Context(), 4*time.Minute) // two hours in all
	}
	// A token of 60 minutes is used for 55.
	if h.made != 3 || len(h.used) != 3 {
		t.Errorf("%d tokens made, used %v", h.made, h.used)
	}
	for _, c := range p.clients {
		if c.tag(tag) != "" {
			t.Error("an ETag outlives its token")
		}
	}
}

func TestKeyThatIsNone(t *testing.T) {
	for _, key := range []string{"", "secret words",
		"-----BEGIN RSA PRIVATE KEY-----\nAAAA\n-----END RSA PRIVATE KEY-----\n"} {
		_, err := New(Options{BaseURL: "http://127.0.0.1:1", App: &App{ID: "1", Key: []byte(key)}})
		var usage *pipeline.UsageError
		if !errors.As(err, &usage) || strings.Contains(err.Error(), "secret") {
			t.Errorf("got %v", err)
		}
	}
}
