package main

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wideswe/wideswe/cmd/wideswe/internal/env"
	"github.com/wideswe/wideswe/data"
	"github.com/wideswe/wideswe/pipeline/folder"
	"github.com/wideswe/wideswe/pipeline/github"
)

// wideswe runs a command as a person would, and gives what it says.
func wideswe(t *testing.T, args ...string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	a := &env.Env{In: strings.NewReader(""), Out: &out, Err: &out}
	defer a.Close()
	root := newRoot(a)
	root.SetArgs(args)
	root.SetOut(&out)
	root.SetErr(&out)
	err := root.ExecuteContext(t.Context())
	return out.String(), err
}

// searchHost knows two organizations of two repositories each, one of them asleep.
func searchHost(t *testing.T) string {
	t.Helper()
	repo := func(id int, owner, name, pushed string) string {
		return fmt.Sprintf(`{"id":%d,"full_name":"%s/%s","stargazers_count":%d,"pushed_at":"%sT00:00:00Z","owner":{"login":"%s","type":"Organization"}}`,
			id, owner, name, 3000-id, pushed, owner)
	}
	awake := repo(1, "mill", "wheel", "2999-01-01") + "," + repo(2, "mill", "stone", "2020-01-01")
	asleep := repo(3, "dusty", "attic", "2001-01-01") + "," + repo(4, "dusty", "cellar", "2001-01-01")
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/search/repositories":
			fmt.Fprintf(w, `{"total_count":4,"items":[%s,%s]}`, awake, asleep)
		case "/orgs/mill/repos":
			fmt.Fprintf(w, "[%s]", awake)
		case "/orgs/dusty/repos":
			fmt.Fprintf(w, "[%s]", asleep)
		default:
			w.WriteHeader(http.StatusNotFound)
			fmt.Fprint(w, "{}")
		}
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// TestRankFromSearch begins with nothing to mine: a ranking, then a verdict.
func TestRankFromSearch(t *testing.T) {
	t.Setenv("GITHUB_TOKEN", "x")
	dir := filepath.Join(t.TempDir(), "f")
	if out, err := wideswe(t, "init", dir); err != nil {
		t.Fatal(out, err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "wideswe.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	text = bytes.Replace(text, []byte(github.DefaultURL), []byte(searchHost(t)), 1)
	if err := os.WriteFile(filepath.Join(dir, "wideswe.yaml"), text, 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := wideswe(t, "-C", dir, "rank"); err == nil || !strings.Contains(err.Error(), "rank --from search") {
		t.Errorf("nothing to mine: %s%v", out, err)
	}
	if out, err := wideswe(t, "-C", dir, "rank", "--from", "hearsay"); err == nil || !strings.Contains(err.Error(),
		"write file, search or pages") {
		t.Errorf("another source: %s%v", out, err)
	}
	out, err := wideswe(t, "-C", dir, "rank", "--from", "search")
	if err != nil || !strings.Contains(out, "2 organizations by their stars") || !strings.Contains(out,
		"wait for a verdict") {
		t.Errorf("search: %s%v", out, err)
	}
	if out, err := wideswe(t, "-C", dir, "rank", "--from", "search"); err == nil || !strings.Contains(err.Error(),
		"is not replaced") {
		t.Errorf("a second ranking: %s%v", out, err)
	}
	verdict := "ecosystems:\n  - {name: grain, organizations: [mill], repositories: [bakery/oven], verdict: keep, " +
		"reason: from grain to bread}\n"
	if err := os.WriteFile(filepath.Join(dir, "ecosystems.yaml"), []byte(verdict), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := wideswe(t, "-C", dir, "rank"); err != nil || strings.Contains(out, "wait for a verdict") {
		t.Errorf("with a verdict: %s%v", out, err)
	}
	out, err = wideswe(t, "-C", dir, "sql", "--csv", "-c",
		"SELECT ecosystem, stars, kept, reason[:25] FROM ecosystems ORDER BY 1")
	if want := "dusty,5993,false,no activity in the 24 mon\ngrain,5997,true,kept by a person (from gr\n"; err != nil ||
		!strings.Contains(out, want) {
		t.Errorf("got %s%v, want %s", out, err, want)
	}
}

func TestInitWithThePublishedEcosystems(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "f")
	if out, err := wideswe(t, "init", dir, "--published"); err != nil {
		t.Fatal(out, err)
	}
	got, err := folder.Folder{Dir: dir}.Ecosystems()
	if err != nil || len(got) != 41 {
		t.Fatalf("%d ecosystems, %v", len(got), err)
	}
	tasks := 0
	for _, e := range got {
		var n int
		if _, err := fmt.Sscanf(e.Reason, "in the paper's release with %d", &n); err != nil {
			t.Errorf("%s: %v", e.Name, err)
		}
		tasks += n
	}
	text, err := os.ReadFile(filepath.Join(dir, "ecosystems.yaml"))
	if tasks != 120 || err != nil || !bytes.Equal(text, data.Ecosystems()) {
		t.Errorf("%d tasks, %v; the file has its comments: %t", tasks, err, bytes.Equal(text, data.Ecosystems()))
	}
	if out, err := wideswe(t, "-C", dir, "rank"); err != nil || !strings.Contains(out, "41 done") {
		t.Errorf("rank: %s%v", out, err)
	}
}
