package main

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// imageRegistry is a container registry in memory, as far as an engine's push and pull ask
// it: blobs in one piece or in several, and manifests. Who does not come with the login
// gets nothing.
type imageRegistry struct {
	login string // user:password

	mu        sync.Mutex
	blobs     map[string][]byte // by digest
	manifests map[string][]byte // by repository@digest and repository:tag
	types     map[string]string
	uploads   map[string][]byte
	sent      int // blobs that came
}

// startRegistry gives the registry and its address; engines speak plain HTTP with one
// on this machine's own address.
func startRegistry(t *testing.T, login string) (*imageRegistry, string) {
	r := &imageRegistry{login: login, blobs: map[string][]byte{}, manifests: map[string][]byte{},
		types: map[string]string{}, uploads: map[string][]byte{}}
	s := httptest.NewServer(r)
	t.Cleanup(s.Close)
	return r, strings.TrimPrefix(s.URL, "http://")
}

// logIn writes what docker login would have, and makes it this test's.
func logIn(t *testing.T, host, login string) {
	dir := t.TempDir()
	text := fmt.Sprintf(`{"auths": {%q: {"auth": %q}}}`, host, base64.StdEncoding.EncodeToString([]byte(login)))
	if err := os.WriteFile(filepath.Join(dir, "config.json"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("DOCKER_CONFIG", dir)
}

func digestOf(b []byte) string {
	sum := sha256.Sum256(b)
	return "sha256:" + hex.EncodeToString(sum[:])
}

func (r *imageRegistry) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	w.Header().Set("Docker-Distribution-Api-Version", "registry/2.0")
	if user, word, _ := q.BasicAuth(); user+":"+word != r.login {
		w.Header().Set("WWW-Authenticate", `Basic realm="test"`)
		refuse(w, http.StatusUnauthorized, "UNAUTHORIZED", "authentication required")
		return
	}
	rest := strings.TrimPrefix(q.URL.Path, "/v2/")
	body, _ := io.ReadAll(q.Body)
	if repository, upload, ok := strings.Cut(rest, "/blobs/uploads/"); ok {
		r.upload(w, q, repository, upload, body)
	} else if _, digest, ok := strings.Cut(rest, "/blobs/"); ok {
		r.give(w, q, r.blobs[digest], digest, "application/octet-stream")
	} else if repository, name, ok := strings.Cut(rest, "/manifests/"); ok {
		r.manifest(w, q, repository, name, body)
	}
}

func refuse(w http.ResponseWriter, status int, code, why string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"errors": []map[string]string{{"code": code, "message": why}}})
}

func (r *imageRegistry) upload(w http.ResponseWriter, q *http.Request, repository, upload string, body []byte) {
	if q.Method == http.MethodPost {
		upload = fmt.Sprint(len(r.uploads))
	}
	r.uploads[upload] = append(r.uploads[upload], body...)
	w.Header().Set("Location", "/v2/"+repository+"/blobs/uploads/"+upload)
	w.Header().Set("Docker-Upload-UUID", upload)
	w.Header().Set("Range", fmt.Sprintf("0-%d", max(0, len(r.uploads[upload])-1)))
	if q.Method != http.MethodPut {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	digest := q.URL.Query().Get("digest")
	if digestOf(r.uploads[upload]) != digest {
		refuse(w, http.StatusBadRequest, "DIGEST_INVALID", "another content")
		return
	}
	r.blobs[digest] = r.uploads[upload]
	r.sent++
	w.Header().Set("Docker-Content-Digest", digest)
	w.WriteHeader(http.StatusCreated)
}

func (r *imageRegistry) manifest(w http.ResponseWriter, q *http.Request, repository, name string, body []byte) {
	if q.Method == http.MethodPut {
		digest := digestOf(body)
		for _, key := range []string{repository + "/" + name, repository + "/" + digest} {
			r.manifests[key], r.types[key] = body, q.Header.Get("Content-Type")
		}
		w.Header().Set("Docker-Content-Digest", digest)
		w.WriteHeader(http.StatusCreated)
		return
	}
	key := repository + "/" + name
	r.give(w, q, r.manifests[key], digestOf(r.manifests[key]), r.types[key])
}

func (r *imageRegistry) give(w http.ResponseWriter, q *http.Request, b []byte, digest, kind string) {
	if b == nil {
		refuse(w, http.StatusNotFound, "MANIFEST_UNKNOWN", "manifest unknown")
		return
	}
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Docker-Content-Digest", digest)
	w.Header().Set("Content-Length", fmt.Sprint(len(b)))
	if q.Method != http.MethodHead {
		_, _ = w.Write(b)
	}
}
