package rank_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/wideswe/wideswe/pipeline/github"
)

// repo is a repository of the test's own host.
type repo struct {
	id       int64
	owner    string
	user     bool
	name     string
	stars    int64
	archived bool
	created  time.Time
	pushed   string
}

func (r repo) json() map[string]any {
	kind := "Organization"
	if r.user {
		kind = "User"
	}
	return map[string]any{"id": r.id, "full_name": r.owner + "/" + r.name, "stargazers_count": r.stars,
		"archived":  r.archived,
		"pushed_at": r.pushed + "T10:00:00Z", "owner": map[string]any{"login": r.owner, "type": kind}}
}

// host answers as GitHub's search and lists do: a thousand results a question, the
// stars of both ends and the days of both ends included.
type host struct {
	mu         sync.Mutex
	repos      []repo
	gone       []string       // organizations that are deleted
	incomplete map[string]int // answers to a query that come incomplete
	questions  []string       // of the search, first pages
	after      func(h *host)  // before each of them is answered
}

// testPool is clients that know where the host is.
type testPool struct {
	*github.Pool
	URL string
}

func (h *host) start(t *testing.T) (pool *testPool, dir string) {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	dir = t.TempDir()
	archive, err := github.OpenArchive(dir)
	if err != nil {
		t.Fatal(err)
	}
	p, err := github.New(github.Options{BaseURL: server.URL, Tokens: []string{"a", "b"}, Archive: archive})
	if err != nil {
		t.Fatal(err)
	}
	return &testPool{p, server.URL}, dir
}

func (h *host) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h.mu.Lock()
	defer h.mu.Unlock()
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	page, _ := strconv.Atoi(r.URL.Query().Get("page"))
	size, _ := strconv.Atoi(r.URL.Query().Get("per_page"))
	switch {
	case r.URL.Path == "/search/repositories":
		h.search(w, r.URL.Query().Get("q"), page, size)
	case len(parts) == 3 && parts[0] == "orgs" && parts[2] == "repos" && !slices.Contains(h.gone, parts[1]):
		h.list(w, r, parts[1], page, size)
	case len(parts) == 3 && parts[0] == "repos":
		for _, have := range h.repos {
			if strings.EqualFold(have.name, parts[2]) && (strings.EqualFold(have.owner, parts[1]) || have.name == "given-away") {
				reply(w, have.json())
				return
			}
		}
		fallthrough
	default:
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprint(w, `{"message":"Not Found"}`)
	}
}

func (h *host) search(w http.ResponseWriter, q string, page, size int) {
	if page == 1 {
		h.questions = append(h.questions, q)
		if h.after != nil {
			h.after(h)
		}
	}
	if page*size > 1000 {
		w.WriteHeader(http.StatusUnprocessableEntity)
		fmt.Fprint(w, `{"message":"Only the first 1000 search results are available"}`)
		return
	}
	low, high := int64(0), int64(1<<60)
	from, to := "0000", "9999"
	for _, term := range strings.Fields(q) {
		key, value, _ := strings.Cut(term, ":")
		a, b, _ := strings.Cut(value, "..")
		switch {
		case strings.HasPrefix(value, ">="):
			low, _ = strconv.ParseInt(value[2:], 10, 64)
		case key == "stars":
			low, _ = strconv.ParseInt(a, 10, 64)
			high, _ = strconv.ParseInt(b, 10, 64)
		case key == "created":
			from, to = a, b
		}
	}
	var hits []repo
	for _, r := range h.repos {
		if day := r.created.Format(time.DateOnly); r.stars >= low && r.stars <= high && day >= from && day <= to {
			hits = append(hits, r)
		}
	}
	slices.SortFunc(hits, func(a, b repo) int { return int(b.stars - a.stars) })
	cut := h.incomplete[q] > 0
	h.incomplete[q]--
	items := []any{}
	for _, r := range slice(hits, page, size) {
		items = append(items, r.json())
	}
	reply(w, map[string]any{"total_count": len(hits), "incomplete_results": cut, "items": items})
}

func (h *host) list(w http.ResponseWriter, r *http.Request, owner string, page, size int) {
	var hits []repo
	for _, have := range h.repos {
		if have.owner == owner {
			hits = append(hits, have)
		}
	}
	if page*size < len(hits) {
		w.Header().Set("Link", fmt.Sprintf(`<http://%s%s?per_page=%d&page=%d>; rel="next"`, r.Host, r.URL.Path, size, page+1))
	}
	items := []any{}
	for _, have := range slice(hits, page, size) {
		items = append(items, have.json())
	}
	reply(w, items)
}

func slice(all []repo, page, size int) []repo {
	from := min((page-1)*size, len(all))
	return all[from:min(from+size, len(all))]
}

func reply(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v)
}
