package crawl_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sort"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/github"
	"github.com/wideswe/wideswe/pipeline/settings"
	"github.com/wideswe/wideswe/pipeline/store"
	"github.com/wideswe/wideswe/pipeline/storetest"
	"github.com/wideswe/wideswe/schema"
	"github.com/wideswe/wideswe/stages/crawl"
	"github.com/wideswe/wideswe/stages/rank"
)

var start = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// hub is a host whose state a test changes, also while it is read.
type hub struct {
	mu    sync.Mutex
	now   time.Time
	repos map[string]*hubRepo // lower case owner/name
	moved map[string]string   // lower case old name -> new name
	log   []string            // path and query of each request
	// before runs before the nth request (from 1) is answered; true means that it
	// answered itself.
	before func(n int, w http.ResponseWriter, r *http.Request) bool
	srv    *httptest.Server

	notModified int
}

type hubRepo struct {
	id     int64
	name   string
	attrs  map[string]any
	pulls  map[int]map[string]any
	issues map[int]map[string]any

	commits []map[string]any
}

func newHub(t *testing.T) *hub {
	h := &hub{now: start, repos: map[string]*hubRepo{}, moved: map[string]string{}}
	h.srv = httptest.NewServer(http.HandlerFunc(h.serve))
	t.Cleanup(h.srv.Close)
	return h
}

// repo makes a repository with n merged pulls, the last one updated last.
func (h *hub) repo(name string, n int) *hubRepo {
	r := &hubRepo{id: int64(1000 + len(h.repos)), name: name, attrs: map[string]any{}, pulls: map[int]map[string]any{},
		issues: map[int]map[string]any{}}
	h.repos[strings.ToLower(name)] = r
	for i := 1; i <= n; i++ {
		r.pull(i, start.Add(-time.Duration(n-i+1)*time.Hour), "")
	}
	return r
}

func (r *hubRepo) pull(n int, at time.Time, body string) map[string]any {
	when := at.Format(time.RFC3339)
	p := map[string]any{"number": n, "state": "closed", "title": fmt.Sprintf("Change %d", n), "body": body,
		"user": map[string]any{"login": "dev", "type": "User"}, "labels": []any{map[string]any{"name": "kind/x"}},
		"created_at": when, "updated_at": when, "closed_at": when, "merged_at": when, "merge_commit_sha": fmt.Sprintf("%040d",
			n),
		"base": map[string]any{"ref": "main", "sha": "b"}, "head": map[string]any{"ref": "topic", "sha": "h",
			"repo": map[string]any{"full_name": "dev/fork"}}}
	r.pulls[n] = p
	return p
}

// tick moves the host's clock; touch updates a pull at its present time.
func (h *hub) tick(d time.Duration) { h.now = h.now.Add(d) }
func (h *hub) touch(r *hubRepo, n int) {
	r.pulls[n]["updated_at"] = h.now.Format(time.RFC3339)
}

func (h *hub) serve(w http.ResponseWriter, r *http.Request) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.log = append(h.log, r.URL.RequestURI())
	w.Header().Set("Date", h.now.Format(http.TimeFormat))
	if h.before != nil && h.before(len(h.log), w, r) {
		return
	}
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	switch parts[0] {
	case "orgs", "users":
		h.account(w, r, parts)
	case "search":
		h.search(w, r)
	case "repos":
		h.repository(w, r, parts)
	default:
		say(w, 404, map[string]any{"message": "Not Found"})
	}
}

func say(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v)
}

func (h *hub) account(w http.ResponseWriter, r *http.Request, parts []string) {
	var list []any
	for _, key := range sortedKeys(h.repos) {
		if repo := h.repos[key]; strings.EqualFold(strings.Split(repo.name, "/")[0], parts[1]) {
			list = append(list, h.json(repo))
		}
	}
	if len(list) == 0 || parts[0] == "orgs" && strings.HasPrefix(parts[1], "user-") {
		say(w, 404, map[string]any{"message": "Not Found"})
		return
	}
	h.page(w, r, list)
}

func (h *hub) json(r *hubRepo) map[string]any {
	m := map[string]any{"id": r.id, "full_name": r.name, "stargazers_count": 7, "default_branch": "main",
		"pushed_at": start.Add(-time.Hour).Format(time.RFC3339), "license": map[string]any{"spdx_id": "MIT"}, "language": nil,
		"description": nil}
	for k, v := range r.attrs {
		m[k] = v
	}
	return m
}

func (h *hub) repository(w http.ResponseWriter, r *http.Request, parts []string) {
	name := strings.ToLower(parts[1] + "/" + parts[2])
	if to, ok := h.moved[name]; ok {
		http.Redirect(w, r, "/repos/"+to+strings.TrimPrefix(r.URL.RequestURI(), "/repos/"+parts[1]+"/"+parts[2]),
			http.StatusMovedPermanently)
		return
	}
	repo := h.repos[name]
	if repo == nil || len(parts) > 5 {
		say(w, 404, map[string]any{"message": "Not Found"})
		return
	}
	switch {
	case repo.attrs["vanished"] == true:
		say(w, 404, map[string]any{"message": "Not Found"})
	case repo.attrs["rule"] == true && len(parts) > 3:
		say(w, 403, map[string]any{"message": "Resource protected by organization SAML enforcement."})
	case repo.attrs["blocked"] == true && len(parts) > 3:
		say(w, 451, map[string]any{"message": "Repository access blocked", "block": map[string]any{"reason": "dmca"}})
	case len(parts) == 3:
		say(w, 200, h.json(repo))
	case len(parts) == 5:
		n, _ := strconv.Atoi(parts[4])
		one := map[string]map[int]map[string]any{"pulls": repo.pulls, "issues": repo.issues}[parts[3]][n]
		if p, isPull := repo.pulls[n]; isPull && parts[3] == "issues" {
			one = map[string]any{"number": n, "title": p["title"], "pull_request": map[string]any{"url": "x"}}
		}
		if one == nil {
			say(w, 404, map[string]any{"message": "Not Found"})
			return
		}
		say(w, 200, one)
	case parts[3] == "commits" && repo.attrs["hidden"] == true:
		say(w, 409, map[string]any{"message": "Git Repository is empty."})
	case parts[3] == "commits":
		h.page(w, r, repo.between(r.FormValue("since"), r.FormValue("until")))
	case parts[3] == "pulls" && repo.attrs["off"] != true:
		h.page(w, r, repo.closed())
	default:
		say(w, 404, map[string]any{"message": "Not Found"})
	}
}

// commit pushes a commit of a message.
func (r *hubRepo) commit(sha string, at time.Time, committer, message string) {
	r.commits = append(r.commits, map[string]any{"sha": sha, "author": map[string]any{"login": "dev"},
		"committer": map[string]any{"login": committer},
		"commit":    map[string]any{"message": message, "committer": map[string]any{"date": at.Format(time.RFC3339)}}})
}

// between lists commits, the last one first.
func (r *hubRepo) between(since, until string) (out []any) {
	date := func(c map[string]any) string {
		return c["commit"].(map[string]any)["committer"].(map[string]any)["date"].(string)
	}
	sorted := append([]map[string]any{}, r.commits...)
	sort.SliceStable(sorted, func(i, j int) bool { return date(sorted[i]) > date(sorted[j]) })
	for _, c := range sorted {
		if at := date(c); at >= since && at <= until {
			out = append(out, c)
		}
	}
	return out
}

// closed lists closed pulls, the last updated first.
func (r *hubRepo) closed() []any {
	var list []map[string]any
	for _, p := range r.pulls {
		if p["state"] == "closed" {
			list = append(list, p)
		}
	}
	sort.Slice(list, func(i, j int) bool {
		a, b := list[i]["updated_at"].(string), list[j]["updated_at"].(string)
		if a != b {
			return a > b
		}
		return list[i]["number"].(int) > list[j]["number"].(int)
	})
	out := make([]any, len(list))
	for i, p := range list {
		out[i] = p
	}
	return out
}

func (h *hub) page(w http.ResponseWriter, r *http.Request, list []any) {
	size, _ := strconv.Atoi(r.FormValue("per_page"))
	n, _ := strconv.Atoi(r.FormValue("page"))
	from, to := min((n-1)*size, len(list)), min(n*size, len(list))
	if to < len(list) {
		w.Header().Set("Link", fmt.Sprintf(`<http://elsewhere/x?page=%d>; rel="next"`, n+1))
	}
	body, _ := json.Marshal(list[from:to])
	tag := fmt.Sprintf(`"%s"`, pipeline.Hash(string(body)))
	w.Header().Set("ETag", tag)
	if r.Header.Get("If-None-Match") == tag {
		h.notModified++
		w.WriteHeader(304)
		return
	}
	if len(list[from:to]) == 0 {
		body = []byte("[]")
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(body)
}

func sortedKeys[T any](m map[string]T) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}

// world is a database and a host, and runs rank and crawl over them.
type world struct {
	t          *testing.T
	db         *store.DB
	hub        *hub
	ecosystems []schema.EcosystemConfig
	since      time.Time
	ahead      time.Duration // of our clock before the host's
	archive    *github.Archive
	pages      string // its folder
	wrap       func(pipeline.DB) pipeline.DB
	untested   bool // whether a replay gives the same
	full       time.Duration
	landed     []crawl.Landing
}

var discard = slog.New(slog.DiscardHandler)

func newWorld(t *testing.T) *world {
	db := storetest.Open(t)
	pages := t.TempDir()
	archive, err := github.OpenArchive(pages)
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, db: db, hub: newHub(t), ecosystems: []schema.EcosystemConfig{{Name: "acme",
		Organizations: []string{"acme"}}},
		since: time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC), archive: archive, pages: pages}
	t.Cleanup(w.replays)
	return w
}

// stage is the crawl over the world's database.
func (w *world) stage(api crawl.API) crawl.Stage {
	s := crawl.Stage{DB: w.db, GitHub: api, Pages: w.archive, Options: crawl.Options{Since: settings.Date{Time: w.since},
		Refresh: settings.Duration{Duration: 24 * time.Hour}, FullPass: settings.Duration{Duration: w.full},
		LandedByBot: w.landed}}
	if w.wrap != nil {
		s.DB = w.wrap(w.db)
	}
	return s
}

// crawl runs once and returns the requests it made.
func (w *world) crawl(ctx context.Context) ([]string, error) {
	w.t.Helper()
	now := func() time.Time { w.hub.mu.Lock(); defer w.hub.mu.Unlock(); return w.hub.now.Add(w.ahead) }
	pool, err := github.New(github.Options{BaseURL: w.hub.srv.URL, Archive: w.archive, Now: now,
		Jitter: func() float64 { return 0 },
		Sleep: func(ctx context.Context, d time.Duration) error {
			w.hub.mu.Lock()
			defer w.hub.mu.Unlock()
			w.hub.tick(d)
			return ctx.Err()
		}})
	if err != nil {
		w.t.Fatal(err)
	}
	if err := pipeline.Execute(ctx, rank.Stage{DB: w.db, Ecosystems: w.ecosystems},
		&pipeline.Run{Ledger: w.db}); err != nil {
		w.t.Fatal(err)
	}
	w.hub.mu.Lock()
	w.hub.log = nil
	w.hub.mu.Unlock()
	s := w.stage(pool)
	s.Now = now
	err = pipeline.Execute(ctx, s, &pipeline.Run{Ledger: w.db, Workers: 1, Now: now})
	w.hub.mu.Lock()
	defer w.hub.mu.Unlock()
	return w.hub.log, err
}

// calm crawls and wants no error.
func (w *world) calm() []string {
	w.t.Helper()
	log, err := w.crawl(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	return log
}

func (w *world) rows(query string) []string {
	w.t.Helper()
	rows, err := w.db.Query(context.Background(), query)
	if err != nil {
		w.t.Fatal(err)
	}
	out, err := pipeline.Scan[string](rows, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	return out
}

// trouble answers in one of the ways in which hosts fail.
func (h *hub) trouble(kind int, w http.ResponseWriter) bool {
	switch kind {
	case 0:
		w.WriteHeader(http.StatusBadGateway)
	case 1:
		w.Header().Set("Content-Length", "5000")
		_, _ = w.Write([]byte(`[{"number": 1, "title": "cut`))
	case 2:
		w.Header().Set("Retry-After", "3")
		say(w, 403, map[string]any{"message": "You have exceeded a secondary rate limit."})
	case 3:
		say(w, 429, map[string]any{"message": "Too many requests"})
	case 4:
		w.Header().Set("X-RateLimit-Limit", "60")
		w.Header().Set("X-RateLimit-Remaining", "0")
		w.Header().Set("X-RateLimit-Reset", fmt.Sprint(h.now.Add(time.Minute).Unix()))
		say(w, 403, map[string]any{"message": "API rate limit exceeded"})
	case 5:
		if c, _, err := w.(http.Hijacker).Hijack(); err == nil {
			c.Close()
		}
	}
	return true
}
