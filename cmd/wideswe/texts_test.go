package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/wideswe/wideswe/cmd/wideswe/internal/config"
	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/folder"
	"github.com/wideswe/wideswe/pipeline/github"
	"github.com/wideswe/wideswe/pipeline/githubtest"
	"github.com/wideswe/wideswe/pipeline/store"
	"github.com/wideswe/wideswe/pipeline/testscope"
	"github.com/wideswe/wideswe/schema"
)

// torn stands in a description for bytes that are not UTF-8: the host of the test
// puts them into its answers.
const torn = "TORN-BYTES"

// oddTexts are the bodies of the pulls of mill/stone: as they are written, and as they
// are found.
var oddTexts = map[int]struct{ written, found string }{
	1:  {written: "Squashed."},
	2:  {written: "Merged."},
	3:  {written: "Rebased."},
	4:  {written: "From a fork that is gone."},
	5:  {written: strings.Repeat("x", 65_536)},
	6:  {written: strings.Repeat("🦆", 65_536)}, // the host counts characters
	7:  {"a NUL \x00 within", "a NUL \uFFFD within"},
	8:  {"torn " + torn + " bytes", "torn \uFFFD\uFFFD\uFFFD bytes"},
	9:  {written: "👩‍👩‍👧‍👦 é e\u0301 \u202Eright to left\u202C שלום عالم\u200F zero\u200Bwidth \U0010FFFF"},
	10: {written: "Pushed by a bot. Goes with mill/wheel#1"},
	11: {written: "tabs\tand\r\nlines\r\nof 'quotes', \"quotes\", $$ and -- comments"},
}

func (o oddMill) body(n int) string {
	if t := oddTexts[n]; t.found != "" {
		return t.found
	}
	return oddTexts[n].written
}

// oddMill is a host with all of them.
type oddMill struct {
	built *githubtest.Built
	url   string
}

func newOddMill(t *testing.T) oddMill {
	t.Helper()
	day := func(n int) time.Time { return time.Date(2024, 3, n, 9, 0, 0, 0, time.UTC) }
	eco := githubtest.Ecosystem{
		Owners: []githubtest.Account{{Login: "mill", ID: 1, Type: "Organization"}},
		People: []githubtest.Account{{Login: "ada", ID: 2}, {Login: "sweep[bot]", ID: 3, Type: "Bot"}},
		Repositories: []githubtest.Repository{
			{Name: "mill/stone", ID: 11, DefaultBranch: "main", CreatedAt: day(1), Files: []githubtest.File{{Path: "README",
				Data: []byte("stone\n")}}},
			{Name: "mill/wheel", ID: 12, DefaultBranch: "main", CreatedAt: day(1), Files: []githubtest.File{{Path: "README",
				Data: []byte("wheel\n")}}}},
	}
	pull := func(repository string, n int, body string) githubtest.Pull {
		name := fmt.Sprintf("f%d.txt", n)
		return githubtest.Pull{Repository: repository, Number: n, Title: fmt.Sprintf("Change %d", n), Body: body,
			Author: "ada", Branch: "change",
			CreatedAt: day(2), MergedAt: day(3 + n), Merge: githubtest.Squash, Files: []githubtest.File{{Path: name,
				Data: []byte("x\n")}},
			Commits: []githubtest.Commit{{Message: "change", Paths: []string{name}}}}
	}
	for n := 1; n <= len(oddTexts); n++ {
		p := pull("mill/stone", n, oddTexts[n].written)
		switch n {
		case 2:
			p.Merge = githubtest.MergeCommit
		case 3:
			p.Merge = githubtest.Rebase
		case 4:
			p.Fork, p.ForkGone = "ada", true
		case 10:
			p.MergedAt, p.ClosedAt, p.LandedBy, p.Labels = time.Time{}, p.MergedAt, "sweep[bot]", []string{"Merged"}
		}
		eco.Pulls = append(eco.Pulls, p)
	}
	eco.Pulls = append(eco.Pulls, pull("mill/wheel", 1, "The other half."))
	built, err := githubtest.Build(t.Context(), eco, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	server, err := githubtest.Serve(t.Context(), built)
	if err != nil {
		t.Fatal(err)
	}
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		rec := httptest.NewRecorder()
		server.ServeHTTP(rec, r)
		for k, v := range rec.Header() {
			w.Header()[k] = v
		}
		w.WriteHeader(rec.Code)
		_, _ = w.Write(bytes.ReplaceAll(rec.Body.Bytes(), []byte(torn), []byte("\xff\xfe\x80")))
	}))
	t.Cleanup(front.Close)
	return oddMill{built, front.URL}
}

// want is a line for each pull of mill/stone.
func (o oddMill) want(t *testing.T) (lines []string) {
	t.Helper()
	for n := 1; n <= len(oddTexts); n++ {
		c, ok := o.built.Commits(schema.PullName("mill/stone", n))
		if !ok {
			t.Fatalf("no commits of %d", n)
		}
		head := "mill/stone"
		if n == 4 {
			head = ""
		}
		lines = append(lines, fmt.Sprintf("%d|%s|%s|%s|%t|%s", n, c.Merged, c.Head, head, n == 10, o.body(n)))
	}
	return lines
}

const oddQuery = `SELECT concat_ws('|', number, merge_commit_sha, head_sha, head_repository, landed, body) AS line
	FROM %s WHERE repository = 'mill/stone' ORDER BY number`

func TestOddPullsAreStoredAndFoundAgain(t *testing.T) {
	testscope.NotShort(t, "it runs the whole program")
	mill := newOddMill(t)
	want := mill.want(t)
	dir := filepath.Join(t.TempDir(), "folder")
	for _, name := range []string{"GITHUB_TOKENS", "GITHUB_APP_ID", "GITHUB_APP_KEY"} {
		t.Setenv(name, "")
	}
	t.Setenv("GITHUB_TOKEN", "t")
	command := func(args ...string) string {
		t.Helper()
		var out, errs bytes.Buffer
		if code := run(append([]string{"-q", "-C", dir}, args...), strings.NewReader(""), &out, &errs); code != 0 {
			t.Fatalf("%v: exit %d\n%s", args, code, errs.String())
		}
		return out.String()
	}
	text := config.NewText([]schema.EcosystemConfig{{Name: "mill", Organizations: []string{"mill"}}})
	text = strings.Replace(text, github.DefaultURL, mill.url, 1)
	text = strings.Replace(text, "landed_by_bot: []",
		"landed_by_bot: [{repositories: [mill/*], labels: [Merged], bots: ['sweep[bot]']}]", 1)
	if _, err := folder.Init(dir, []byte(text)); err != nil {
		t.Fatal(err)
	}
	asSQL := func() []string {
		var rows []struct{ Line string }
		if err := json.Unmarshal([]byte(command("sql", "--json", "-c", fmt.Sprintf(oddQuery, "pulls"))), &rows); err != nil {
			t.Fatal(err)
		}
		var lines []string
		for _, r := range rows {
			lines = append(lines, r.Line)
		}
		return lines
	}
	check := func(where string, got []string) {
		t.Helper()
		if d := cmp.Diff(brief(want), brief(got)); d != "" {
			t.Errorf("%s: %s", where, d)
		}
	}
	command("run", "--until", "group")
	check("after a crawl", asSQL())
	grouped := command("sql", "--csv", "-c", "SELECT repository, number FROM candidate_pulls ORDER BY ALL")
	if grouped != "repository,number\nmill/stone,10\nmill/wheel,1\n" {
		t.Errorf("the landed pull is not grouped: %s", grouped)
	}
	snapshot, tables := filepath.Join(t.TempDir(), "copy.duckdb"), filepath.Join(t.TempDir(), "tables")
	command("snapshot", snapshot)
	check("in the snapshot", linesOf(t, snapshot, "pulls"))
	command("export", "tables", "--parquet", tables)
	check("in Parquet", linesOf(t, "", "read_parquet('"+filepath.Join(tables, "pulls.parquet")+"')"))
	for _, name := range []string{"wideswe.duckdb", "snapshot.duckdb"} {
		if err := os.RemoveAll(filepath.Join(dir, ".wideswe", name)); err != nil {
			t.Fatal(err)
		}
	}
	command("crawl", "--replay")
	check("after a replay", asSQL())
	command("run", "--until", "group")
	if again := command("sql", "--csv", "-c", "SELECT repository, number FROM candidate_pulls ORDER BY "+
		"ALL"); again != grouped {
		t.Errorf("grouped after the replay: %s", again)
	}
}

func linesOf(t *testing.T, path, from string) []string {
	t.Helper()
	db, err := store.Open(t.Context(), path, store.Options{ReadOnly: path != ""})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	rows, err := db.Query(t.Context(), fmt.Sprintf(oddQuery, from))
	if err != nil {
		t.Fatal(err)
	}
	lines, err := pipeline.Scan[string](rows, nil)
	if err != nil {
		t.Fatal(err)
	}
	return lines
}

// brief keeps a difference readable: a long line is its ends and a hash.
func brief(lines []string) (out []string) {
	for _, l := range lines {
		if len(l) > 1000 {
			l = fmt.Sprintf("%s … %s (%d bytes, %s)", l[:100], l[len(l)-20:], len(l), pipeline.Hash(l))
		}
		out = append(out, l)
	}
	return out
}
