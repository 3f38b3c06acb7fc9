package githubtest

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/wideswe/wideswe/schema"
)

// apiVersion is the version the answers follow.
const apiVersion = "2022-11-28"

const documentation = "https://docs.github.com/rest"

// request is one call of the REST API, its path taken apart.
type request struct {
	*Server
	w http.ResponseWriter
	r *http.Request
	// rest are the path's parts after the owner, organization or repository.
	rest []string
}

// serveAPI answers the nth request of the server.
func (s *Server) serveAPI(w http.ResponseWriter, r *http.Request, n int) {
	s.headers(w, n)
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		writeError(w, http.StatusNotFound, "Not Found")
		return
	}
	path := strings.Trim(strings.TrimPrefix(r.URL.Path, "/api/v3"), "/")
	parts := strings.Split(path, "/")
	q := &request{Server: s, w: w, r: r}
	switch {
	case path == "rate_limit":
		q.rateLimit(n)
	case (parts[0] == "orgs" || parts[0] == "users") && len(parts) >= 2:
		q.rest = parts[2:]
		q.account(parts[0], parts[1])
	case parts[0] == "repos" && len(parts) >= 3:
		q.rest = parts[3:]
		q.named(parts[1] + "/" + parts[2])
	case parts[0] == "repositories" && len(parts) >= 2:
		q.rest = parts[2:]
		q.numbered(parts[1])
	default:
		q.notFound()
	}
}

// headers are on every answer of the API. A quota is told, none is kept.
func (s *Server) headers(w http.ResponseWriter, n int) {
	used := n % Limit
	h := w.Header()
	h.Set("X-Github-Api-Version-Selected", apiVersion)
	h.Set("X-Github-Media-Type", "github.v3; format=json")
	h.Set("X-Github-Request-Id", strconv.Itoa(n))
	h.Set("X-Ratelimit-Limit", strconv.Itoa(Limit))
	h.Set("X-Ratelimit-Used", strconv.Itoa(used))
	h.Set("X-Ratelimit-Remaining", strconv.Itoa(Limit-used))
	h.Set("X-Ratelimit-Resource", "core")
	h.Set("X-Ratelimit-Reset", strconv.FormatInt(s.reset(), 10))
}

func (s *Server) reset() int64 { return s.now().Truncate(time.Hour).Add(time.Hour).Unix() }

func (q *request) rateLimit(n int) {
	rate := map[string]any{"limit": Limit, "used": n % Limit, "remaining": Limit - n%Limit, "reset": q.reset(),
		"resource": "core"}
	q.answer(map[string]any{"resources": map[string]any{"core": rate}, "rate": rate})
}

// account answers /orgs/X and /users/X. A person is no organization; an
// organization is a user too.
func (q *request) account(kind, login string) {
	a, ok := q.built.people()[strings.ToLower(login)]
	if !ok || kind == "orgs" && a.Type != "Organization" {
		q.notFound()
		return
	}
	switch {
	case len(q.rest) == 0:
		q.answer(q.accountDetail(a))
	case len(q.rest) == 1 && q.rest[0] == "repos":
		q.repositories(a)
	default:
		q.notFound()
	}
}

// named answers /repos/O/R/…; an old name moves permanently to the number, as GitHub answers.
func (q *request) named(name string) {
	r, renamed, ok := q.find(name)
	switch {
	case !ok:
		q.notFound()
	case renamed:
		q.moved(r)
	default:
		q.repository(r)
	}
}

func (q *request) moved(r Repository) {
	to := q.url + "/repositories/" + strconv.FormatInt(r.ID, 10)
	if len(q.rest) > 0 {
		to += "/" + strings.Join(q.rest, "/")
	}
	if q.r.URL.RawQuery != "" {
		to += "?" + q.r.URL.RawQuery
	}
	q.w.Header().Set("Location", to)
	q.write(http.StatusMovedPermanently, map[string]any{"message": "Moved Permanently", "url": to,
		"documentation_url": documentation})
}

func (q *request) numbered(id string) {
	for _, r := range q.built.Repositories {
		if strconv.FormatInt(r.ID, 10) == id {
			q.repository(r)
			return
		}
	}
	q.notFound()
}

// repository answers everything below one repository.
func (q *request) repository(r Repository) {
	if len(q.rest) == 0 {
		q.answer(q.repositoryJSON(r, true))
		return
	}
	switch kind, rest := q.rest[0], q.rest[1:]; {
	case kind == "pulls" && r.PullsOff:
		q.notFound()
	case kind == "pulls" && len(rest) == 0:
		q.pulls(r)
	case kind == "pulls":
		q.pull(r, rest)
	case kind == "issues" && len(rest) == 0:
		q.issues(r)
	case kind == "issues":
		q.issue(r, rest)
	case kind == "commits" && len(rest) == 0:
		q.commits(r)
	case kind == "commits" && len(rest) == 1:
		q.commit(r, rest[0])
	default:
		q.notFound()
	}
}

// pull answers /pulls/N and what is below it.
func (q *request) pull(r Repository, rest []string) {
	p, ok := q.findPull(r, rest[0])
	switch below := strings.Join(rest[1:], "/"); {
	case !ok:
		q.notFound()
	case below == "":
		q.pullDetail(p)
	case below == "files":
		q.pullFiles(p)
	case below == "commits":
		q.pullCommits(p)
	case below == "reviews" || below == "comments":
		q.answer([]any{})
	default:
		q.notFound()
	}
}

// issue answers /issues/N: a pull is an issue too.
func (q *request) issue(r Repository, rest []string) {
	found, comments, ok := q.findIssue(r, rest[0])
	switch below := strings.Join(rest[1:], "/"); {
	case !ok:
		q.notFound()
	case below == "":
		q.answer(found)
	case below == "comments":
		page(q, comments)
	default:
		q.notFound()
	}
}

func (q *request) findPull(r Repository, number string) (Pull, bool) {
	for _, p := range q.built.Pulls {
		if p.Repository == r.Name && strconv.Itoa(p.Number) == number {
			return p, true
		}
	}
	return Pull{}, false
}

func (q *request) findIssue(r Repository, number string) (issue map[string]any, comments []map[string]any, ok bool) {
	for _, i := range q.built.Issues {
		if i.Repository == r.Name && strconv.Itoa(i.Number) == number {
			return q.issueJSON(i), q.commentsJSON(schema.PullName(r.Name, i.Number), i.Comments), true
		}
	}
	if p, ok := q.findPull(r, number); ok {
		return q.pullAsIssue(p), q.commentsJSON(schema.PullName(r.Name, p.Number), p.Comments), true
	}
	return nil, nil, false
}

func (q *request) notFound() { writeError(q.w, http.StatusNotFound, "Not Found") }

func (q *request) answer(v any) { q.write(http.StatusOK, v) }

// write sends JSON with an ETag, or 304 where the caller has it already. The tag
// depends on the token, as GitHub's does.
func (q *request) write(status int, v any) {
	body, err := json.Marshal(v)
	if err != nil {
		writeError(q.w, http.StatusInternalServerError, err.Error())
		return
	}
	h := q.w.Header()
	h.Set("Content-Type", "application/json; charset=utf-8")
	if status == http.StatusOK {
		sum := sha256.Sum256(bytes.Join([][]byte{[]byte(q.r.Header.Get("Authorization")), []byte(h.Get("Link")), body},
			[]byte{0}))
		tag := `W/"` + hex.EncodeToString(sum[:]) + `"`
		h.Set("ETag", tag)
		h.Set("Cache-Control", "private, max-age=60, s-maxage=60")
		h.Set("Vary", "Accept, Authorization, Cookie")
		if matches(q.r.Header.Get("If-None-Match"), tag) {
			q.w.WriteHeader(http.StatusNotModified)
			return
		}
	}
	q.w.WriteHeader(status)
	if q.r.Method != http.MethodHead {
		q.w.Write(body)
	}
}

func matches(have, tag string) bool {
	for _, one := range strings.Split(have, ",") {
		if strings.TrimPrefix(strings.TrimSpace(one), "W/") == strings.TrimPrefix(tag, "W/") {
			return true
		}
	}
	return false
}

func writeError(w http.ResponseWriter, status int, message string) {
	body, _ := json.Marshal(map[string]string{"message": message, "documentation_url": documentation,
		"status": strconv.Itoa(status)})
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	w.Write(body)
}
