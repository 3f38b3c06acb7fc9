package github

import (
	"bytes"
	"context"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/wideswe/wideswe/pipeline"
)

// App is a GitHub App: each of its installations has a quota of its own.
type App struct {
	ID  string
	Key []byte // the private key, PEM
}

// early is how long before its end a token is renewed, and how long before now a
// claim begins, for clocks that differ.
const early = 5 * time.Minute

// mostInstallations bounds what a list that never ends can do.
const mostInstallations = 10_000

// signer makes the claims that the app proves itself with.
type signer struct {
	id  string
	key *rsa.PrivateKey
}

func (a App) signer() (*signer, error) {
	block, _ := pem.Decode(a.Key)
	if block == nil {
		return nil, pipeline.Usage("the GitHub App's key is no PEM file: GITHUB_APP_KEY names the file that GitHub gave " +
			"when the key was made")
	}
	if key, err := x509.ParsePKCS1PrivateKey(block.Bytes); err == nil {
		return &signer{a.ID, key}, nil
	}
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	key, ok := parsed.(*rsa.PrivateKey)
	if err != nil || !ok {
		return nil, pipeline.Usage("the GitHub App's key is no RSA private key: GITHUB_APP_KEY names the file that GitHub " +
			"gave when the key was made")
	}
	return &signer{a.ID, key}, nil
}

// claim is a signed statement, good for a few minutes.
func (s *signer) claim(now time.Time) (string, error) {
	body, err := json.Marshal(map[string]any{"iss": s.id, "iat": now.Add(-time.Minute).Unix(),
		"exp": now.Add(early).Unix()})
	if err != nil {
		return "", err
	}
	enc := base64.RawURLEncoding
	text := enc.EncodeToString([]byte(`{"alg":"RS256","typ":"JWT"}`)) + "." + enc.EncodeToString(body)
	sum := sha256.Sum256([]byte(text))
	sig, err := rsa.SignPKCS1v15(rand.Reader, s.key, crypto.SHA256, sum[:])
	return text + "." + enc.EncodeToString(sig), err
}

// installation sends with the tokens of one installation, each renewed before it
// ends. It is the transport above the gate, as oauth2's is for a plain token.
type installation struct {
	id     int64
	signer *signer
	base   string            // the API's address
	direct http.RoundTripper // for the app's own questions: no quota is spent on them
	next   http.RoundTripper
	clock  clock

	mu    sync.Mutex
	token string
	ends  time.Time
}

// RoundTrip implements [http.RoundTripper].
func (i *installation) RoundTrip(req *http.Request) (*http.Response, error) {
	token, err := i.fresh(req.Context())
	if err != nil {
		return nil, err
	}
	req = req.Clone(req.Context())
	req.Header.Set("Authorization", "Bearer "+token)
	return i.next.RoundTrip(req)
}

// fresh gives a token that is good for a while.
func (i *installation) fresh(ctx context.Context) (string, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.token != "" && i.clock.now().Add(early).Before(i.ends) {
		return i.token, nil
	}
	var got struct {
		Token     string    `json:"token"`
		ExpiresAt time.Time `json:"expires_at"`
	}
	path := "app/installations/" + strconv.FormatInt(i.id, 10) + "/access_tokens"
	if _, err := i.signer.ask(ctx, i.direct, i.clock.now(), http.MethodPost, i.base+path, &got); err != nil {
		return "", err
	}
	if got.Token == "" {
		return "", fmt.Errorf("POST %s: the answer holds no token", path)
	}
	i.token, i.ends = got.Token, got.ExpiresAt
	return i.token, nil
}

func (i *installation) mark() string {
	i.mu.Lock()
	defer i.mu.Unlock()
	return markOf(i.token)
}

// ask is one question of the app itself.
func (s *signer) ask(ctx context.Context, rt http.RoundTripper, now time.Time, method, address string,
	into any) (next string, err error) {
	claim, err := s.claim(now)
	if err != nil {
		return "", fmt.Errorf("signing for the GitHub App: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(nil))
	if err != nil {
		return "", err
	}
	req.Header.Set("Authorization", "Bearer "+claim)
	req.Header.Set("Accept", "application/vnd.github+json")
	req.Header.Set("X-GitHub-Api-Version", APIVersion)
	req.Header.Set("User-Agent", "wideswe")
	resp, err := rt.RoundTrip(req)
	if err != nil {
		return "", pipeline.Need("the GitHub App can't be asked at %s (%v): check the network, the proxy and github.api_url",
			req.URL.Host, err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	if err != nil {
		return "", err
	}
	if resp.StatusCode/100 != 2 {
		a := answer{status: resp.StatusCode, body: body}
		return "", pipeline.Need("GitHub at %s answers the GitHub App with %d %s: check GITHUB_APP_ID, GITHUB_APP_KEY and "+
			"the clock", req.URL.Host, resp.StatusCode, a.problem().Message)
	}
	return nextLink(resp.Header.Get("Link")), json.Unmarshal(body, into)
}

// installations lists where the app is installed, page by page. The claim goes
// with every question, so none goes to another host.
func (s *signer) installations(ctx context.Context, rt http.RoundTripper, now time.Time, base string) (ids []int64,
	err error) {
	base = strings.TrimRight(base, "/") + "/"
	for at := base + "app/installations?per_page=100"; at != ""; {
		if !strings.HasPrefix(at, base) || len(ids) > mostInstallations {
			return nil, fmt.Errorf("listing where the GitHub App is installed: %d so far, and then page %s, not asked", len(ids),
				at)
		}
		var list []struct {
			ID          int64      `json:"id"`
			SuspendedAt *time.Time `json:"suspended_at"`
		}
		if at, err = s.ask(ctx, rt, now, http.MethodGet, at, &list); err != nil {
			return nil, err
		}
		for _, v := range list {
			if v.SuspendedAt == nil { // its owner lets it make no token
				ids = append(ids, v.ID)
			}
		}
	}
	if len(ids) == 0 {
		return nil, pipeline.Need("the GitHub App %s is installed nowhere: install it on an account, or set GITHUB_TOKEN",
			s.id)
	}
	return ids, nil
}
