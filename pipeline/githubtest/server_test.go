package githubtest

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-github/v62/github"
)

// client is the client the product uses, so that the fields are read as it reads them.
func client(t *testing.T, s *Server) *github.Client {
	t.Helper()
	c, err := github.NewClient(nil).WithEnterpriseURLs(s.URL()+"/api/v3/", s.URL())
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func get(t *testing.T, url string, header ...string) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	resp, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, string(body)
}

func TestPullsPageByPage(t *testing.T) {
	s := start(t)
	opts := &github.PullRequestListOptions{State: "closed", Sort: "updated", Direction: "desc",
		ListOptions: github.ListOptions{PerPage: 2}}
	var numbers []int
	pages := 0
	for {
		list, resp, err := client(t, s).PullRequests.List(t.Context(), "mill", "stone", opts)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range list {
			numbers = append(numbers, p.GetNumber())
		}
		if pages++; resp.NextPage == 0 {
			break
		}
		opts.Page = resp.NextPage
	}
	if d := cmp.Diff([]int{4, 5, 2, 3}, numbers); d != "" || pages != 2 {
		t.Errorf("%d pages, %s", pages, d)
	}
	if resp, body := get(t, s.URL()+"/repos/mill/stone/pulls?state=all&page=9&per_page=2"); body != "[]" ||
		!strings.Contains(resp.Header.Get("Link"), `rel="first"`) {
		t.Errorf("past the end: %s %s", body, resp.Header.Get("Link"))
	}
}

func TestPullFields(t *testing.T) {
	s := start(t)
	p, _, err := client(t, s).PullRequests.Get(t.Context(), "mill", "stone", 2)
	if err != nil {
		t.Fatal(err)
	}
	c := commits(t, s.Built(), "mill/stone#2")
	for _, f := range []struct{ name, got, want string }{
		{"title", p.GetTitle(), "Change 2"},
		{"body", p.GetBody(), "Why.\n\nAnd how."},
		{"author", p.GetUser().GetLogin() + " " + p.GetUser().GetType(), "ada User"},
		{"state", p.GetState(), "closed"},
		{"merged", p.GetMergedAt().Format("2006-01-02"), "2024-02-03"},
		{"merge commit", p.GetMergeCommitSHA(), c.Merged},
		{"base", p.GetBase().GetRef() + " " + p.GetBase().GetSHA(), "main " + c.Base},
		{"head", p.GetHead().GetRef() + " " + p.GetHead().GetSHA(), "change " + c.Head},
		{"base repository", p.GetBase().GetRepo().GetFullName(), "mill/stone"},
	} {
		if f.got != f.want {
			t.Errorf("%s: %q, want %q", f.name, f.got, f.want)
		}
	}
	if p.GetHead().Repo != nil || !p.GetMerged() || p.GetChangedFiles() != 3 || p.GetCommits() != 2 {
		t.Errorf("pull 2 is %+v", p)
	}
}

func TestPullFilesAndCommits(t *testing.T) {
	s := start(t)
	files, _, err := client(t, s).PullRequests.ListFiles(t.Context(), "mill", "stone", 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range files {
		got = append(got, f.GetStatus()+" "+f.GetFilename()+" "+f.GetPatch())
	}
	want := []string{"modified lib/a.txt @@ -1,3 +1,3 @@\n one\n-two\n+2\n three", "added lib/b.txt @@ -0,0 +1 @@\n+b",
		"removed old.txt @@ -1 +0,0 @@\n-old"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	list, _, err := client(t, s).PullRequests.ListCommits(t.Context(), "mill", "stone", 2, nil)
	if err != nil || len(list) != 2 || list[1].GetSHA() != commits(t, s.Built(), "mill/stone#2").Head ||
		list[0].GetAuthor().GetLogin() != "ada" {
		t.Errorf("commits %v, %v", list, err)
	}
	one, _, err := client(t, s).Repositories.GetCommit(t.Context(), "mill", "stone", list[0].GetSHA(), nil)
	if err != nil || one.GetCommit().GetMessage() != "first" || len(one.Parents) != 1 {
		t.Errorf("commit %v, %v", one, err)
	}
}

func TestIssuesAndComments(t *testing.T) {
	s := start(t)
	for number, isPull := range map[int]bool{1: false, 3: true} {
		i, _, err := client(t, s).Issues.Get(t.Context(), "mill", "stone", number)
		if err != nil || i.IsPullRequest() != isPull {
			t.Errorf("issue %d: %v, %v", number, i, err)
		}
	}
	list, _, err := client(t, s).Issues.ListComments(t.Context(), "mill", "stone", 1, nil)
	if err != nil || len(list) != 1 || list[0].GetBody() != "still so" {
		t.Errorf("comments %v, %v", list, err)
	}
}

func TestRepositories(t *testing.T) {
	s := start(t)
	list, _, err := client(t, s).Repositories.ListByOrg(t.Context(), "MILL", nil)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range list {
		got = append(got, r.GetFullName())
	}
	if d := cmp.Diff([]string{"mill/empty", "mill/quiet", "mill/stone"}, got); d != "" {
		t.Error(d)
	}
	if r := list[2]; r.GetPushedAt().Format("2006-01-02") != "2024-02-04" || r.GetLicense().GetSPDXID() != "MIT" ||
		!list[1].GetArchived() {
		t.Errorf("repositories %v", list)
	}
}

func TestStatuses(t *testing.T) {
	s := start(t)
	for path, want := range map[string]int{
		"/rate_limit": 200, "/orgs/mill": 200, "/users/mill": 200, "/users/ada": 200, "/orgs/ada": 404,
		"/users/ada/repos": 200, "/users/eve": 404,
		"/repos/mill/none": 404, "/repos/mill/stone/pulls/99": 404, "/repos/mill/quiet": 200, "/repos/mill/quiet/pulls": 404,
		"/repos/mill/empty/pulls?state=all": 200, "/repos/mill/empty/commits/main": 409,
		"/repos/mill/stone/commits/0123456": 422,
		"/repos/mill/rock":                  301, "/repos/mill/rock/pulls?state=all": 301, "/repositories/11/pulls": 200,
		"/repositories/99": 404,
		"/search/issues":   404, "/repos/mill/stone/pulls/2/reviews": 200, "/mill/stone.git/HEAD": 403,
		"/mill/none.git/info/refs": 404,
	} {
		if resp, body := get(t, s.URL()+path); resp.StatusCode != want {
			t.Errorf("%s: %d, want %d: %s", path, resp.StatusCode, want, body)
		}
	}
	resp, _ := get(t, s.URL()+"/repos/mill/rock/pulls?state=all")
	if got := resp.Header.Get("Location"); got != s.URL()+"/repositories/11/pulls?state=all" {
		t.Errorf("an old name leads to %s", got)
	}
}

func TestConditionalRequests(t *testing.T) {
	s := start(t)
	url := s.URL() + "/repos/mill/stone/pulls?state=all"
	resp, _ := get(t, url, "Authorization", "Bearer one")
	tag := resp.Header.Get("ETag")
	if resp, body := get(t, url, "Authorization", "Bearer one", "If-None-Match",
		tag); resp.StatusCode != http.StatusNotModified || body != "" {
		t.Errorf("same token: %d %s", resp.StatusCode, body)
	}
	if resp, _ := get(t, url, "Authorization", "Bearer two", "If-None-Match", tag); resp.StatusCode != http.StatusOK {
		t.Errorf("another token: %d", resp.StatusCode)
	}
	if resp.Header.Get("X-RateLimit-Limit") != "5000" || resp.Header.Get("X-RateLimit-Reset") == "" {
		t.Errorf("headers %v", resp.Header)
	}
}

func TestFailAndIntercept(t *testing.T) {
	s := start(t)
	s.Fail(2, http.StatusBadGateway)
	for i, want := range []int{200, 502, 200} {
		if resp, _ := get(t, s.URL()+"/rate_limit"); resp.StatusCode != want {
			t.Errorf("request %d: %d, want %d", i+1, resp.StatusCode, want)
		}
	}
	s.Intercept(func(w http.ResponseWriter, r *http.Request) bool {
		w.WriteHeader(http.StatusTeapot)
		return strings.HasSuffix(r.URL.Path, "/stone")
	})
	if resp, _ := get(t, s.URL()+"/repos/mill/stone"); resp.StatusCode != http.StatusTeapot {
		t.Errorf("intercepted: %d", resp.StatusCode)
	}
	if s.Requests() != 4 || s.RequestsTo()["/rate_limit"] != 3 {
		t.Errorf("%d requests, %v", s.Requests(), s.RequestsTo())
	}
}

func TestGitFetches(t *testing.T) {
	s := start(t)
	// The old name, to see the redirect too.
	url := strings.NewReplacer("{owner}", "mill", "{name}", "rock").Replace(s.GitTemplate())
	dir := filepath.Join(t.TempDir(), "clone.git")
	run(t, "-c", "protocol.version=2", "clone", "--quiet", "--bare", "--filter=blob:none", url, dir)
	if got := run(t, "--git-dir", dir, "rev-list", "--objects", "--missing=print", "--all"); !strings.Contains(got,
		"\n?") {
		t.Errorf("the filter left no blob out:\n%s", got)
	}
	c := commits(t, s.Built(), "mill/stone#4")
	run(t, "--git-dir", dir, "fetch", "--quiet", "origin", "refs/pull/2/head", c.Merged)
	if got := run(t, "--git-dir", dir, "show", c.Merged+":e.txt"); got != "e" {
		t.Errorf("e.txt holds %q", got)
	}
}

// The head of pull 4 is gone: the API still tells of it, git has it no more.
func TestLostHead(t *testing.T) {
	s := start(t)
	c := commits(t, s.Built(), "mill/stone#4")
	files, _, err := client(t, s).PullRequests.ListFiles(t.Context(), "mill", "stone", 4, nil)
	if err != nil || len(files) != 2 || files[0].GetFilename() != "d.txt" || files[1].GetFilename() != "e.txt" {
		t.Errorf("files %v, %v", files, err)
	}
	list, _, err := client(t, s).PullRequests.ListCommits(t.Context(), "mill", "stone", 4, nil)
	if err != nil || len(list) != 2 || list[1].GetSHA() != c.Head || list[1].GetCommit().GetMessage() != "e" {
		t.Errorf("commits %v, %v", list, err)
	}
	if resp, _ := get(t, s.URL()+"/repos/mill/stone/commits/"+c.Head); resp.StatusCode != http.StatusUnprocessableEntity {
		t.Errorf("the lost commit: %d", resp.StatusCode)
	}
	dir := t.TempDir()
	run(t, "init", "--quiet", dir)
	if out, err := exec.CommandContext(t.Context(), "git", "-C", dir, "fetch", s.URL()+"/mill/stone.git",
		c.Head).CombinedOutput(); err == nil {
		t.Errorf("the lost commit was fetched: %s", out)
	}
}

func TestGitRefusesPushes(t *testing.T) {
	s := start(t)
	resp, _ := get(t, s.URL()+"/mill/stone.git/info/refs?service=git-receive-pack")
	if resp.StatusCode != http.StatusForbidden {
		t.Errorf("receive-pack: %d", resp.StatusCode)
	}
}

func TestServerEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s, err := Start(ctx, smallFS(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	for range 100 {
		if _, err := http.Get(s.URL() + "/rate_limit"); err != nil {
			return
		}
	}
	t.Error("the server goes on")
}

func TestDescriptionsStayOutOfAnswers(t *testing.T) {
	s := start(t)
	_, body := get(t, s.URL()+"/repos/mill/stone/pulls?state=all")
	var rows []map[string]json.RawMessage
	if err := json.Unmarshal([]byte(body), &rows); err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		if _, told := row["why"]; told {
			t.Error("an answer tells why a pull is there")
		}
	}
	if len(rows) != 5 {
		t.Errorf("%d pulls", len(rows))
	}
	if _, err := os.Stat(s.Built().GitDir("mill/empty")); err != nil {
		t.Error(err)
	}
}
