package githubtest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
)

// Server answers on 127.0.0.1 until it is closed.
type Server struct {
	built *Built
	url   string
	http  *http.Server
	now   func() time.Time

	mu        sync.Mutex
	requests  int
	paths     map[string]int
	failures  map[int]int // request number → status
	intercept func(http.ResponseWriter, *http.Request) bool
}

// Limit is the hourly quota the server tells of. It is not enforced.
const Limit = 5000

// Serve starts a server over a built ecosystem on a free port. It ends with ctx
// or at Close.
func Serve(ctx context.Context, built *Built) (*Server, error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("starting the in-process GitHub: %w", err)
	}
	s := &Server{built: built, url: "http://" + listener.Addr().String(), now: time.Now, paths: map[string]int{},
		failures: map[int]int{}}
	s.http = &http.Server{Handler: s, ReadHeaderTimeout: 10 * time.Second}
	go s.http.Serve(listener) //nolint:errcheck // it always ends in ErrServerClosed
	context.AfterFunc(ctx, func() { s.Close() })
	return s, nil
}

// Start loads, builds and serves the ecosystem that fsys describes; the git
// histories go below dir, which must hold none yet.
func Start(ctx context.Context, fsys fs.FS, dir string) (*Server, error) {
	eco, err := Load(fsys)
	if err != nil {
		return nil, err
	}
	built, err := Build(ctx, eco, dir)
	if err != nil {
		return nil, err
	}
	return Serve(ctx, built)
}

// URL is the base of the REST API; the forms /api/v3/… answer too.
func (s *Server) URL() string { return s.url }

// GitTemplate is the form of the git URLs, for git.url_template.
func (s *Server) GitTemplate() string { return s.url + "/{owner}/{name}.git" }

// Built is what the server serves.
func (s *Server) Built() *Built { return s.built }

// Close stops the server at once.
func (s *Server) Close() error {
	if err := s.http.Close(); err != nil && !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("stopping the in-process GitHub: %w", err)
	}
	return nil
}

// Requests counts the requests so far.
func (s *Server) Requests() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.requests
}

// RequestsTo counts the requests so far to each path, without its query.
func (s *Server) RequestsTo() map[string]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.paths)
}

// Fail answers the nth request from now on (1 is the next) with a bare status.
func (s *Server) Fail(nth, status int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failures[s.requests+nth] = status
}

// Intercept gives every request to f first; where f returns true it has
// answered. A nil f ends it.
func (s *Server) Intercept(f func(http.ResponseWriter, *http.Request) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.intercept = f
}

// ServeHTTP makes the server usable as a handler too.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	n, status, intercept := s.count(r)
	switch {
	case status != 0:
		writeError(w, status, http.StatusText(status))
	case intercept != nil && intercept(w, r):
	case isGit(r.URL.Path):
		s.serveGit(w, r)
	default:
		s.serveAPI(w, r, n)
	}
}

func (s *Server) count(r *http.Request) (n, status int, intercept func(http.ResponseWriter, *http.Request) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests++
	s.paths[strings.TrimPrefix(r.URL.Path, "/api/v3")]++
	status = s.failures[s.requests]
	delete(s.failures, s.requests)
	return s.requests, status, s.intercept
}
