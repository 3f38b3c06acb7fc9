package inspect_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/git"
	"github.com/wideswe/wideswe/stages/inspect"
)

const sha = "89abcdef0123456789abcdef0123456789abcdef"

// asked is the API, and keeps what it was asked.
type asked struct {
	api
	mu    sync.Mutex
	paths []string
}

func (a *asked) Get(ctx context.Context, repository, path string) ([]byte, string, error) {
	a.mu.Lock()
	a.paths = append(a.paths, path)
	a.mu.Unlock()
	return a.api.Get(ctx, repository, path)
}

func TestOnlySurvivorsCostRequestsAndTheBillComesFirst(t *testing.T) {
	w := newWorld(t)
	w.pull(1, 1, "q.go", "q_test.go")
	w.pull(2, 1, "main.go", "main_test.go")
	w.pull(2, 2, "main.go") // no test
	w.pull(1, 3, "q.go", "q_test.go")
	w.candidate("kept", [2]int{1, 1}, [2]int{2, 1})
	w.candidate("dropped", [2]int{1, 3}, [2]int{2, 2})
	for _, n := range []int{1, 3} {
		w.put("link_occurrences", row{"repository_id": int64(1), "number": n, "target_repository_id": int64(2),
			"target_repository": "o/app",
			"location":          "body", "target_number": 50, "target_kind": "issue"})
	}
	a := &asked{api: w.api}
	var bill bytes.Buffer
	w.run(inspect.Stage{API: a, Bill: &bill})
	slices.Sort(a.paths)
	want := []string{}
	for _, p := range []string{"o/app", "o/lib"} {
		want = append(want, "repos/"+p+"/issues/1/comments?per_page=100", "repos/"+p+"/pulls/1/comments?per_page=100",
			"repos/"+p+"/pulls/1/commits?per_page=100", "repos/"+p+"/pulls/1/files?per_page=100", "repos/"+p+
				"/pulls/1/reviews?per_page=100")
	}
	want = append(want, "repos/o/app/issues/50", "repos/o/app/pulls/2/files?per_page=100",
		"repos/o/lib/pulls/3/files?per_page=100")
	slices.Sort(want)
	if d := cmp.Diff(want, a.paths); d != "" {
		t.Error(d)
	}
	if got := bill.String(); got != "inspect: 2 candidates with 4 pulls; at most 22 requests: 4 for lists of files, 16 "+
		"for comments, reviews and commits, 2 for issues (what a mirror lacks and lists of over 100 rows take more)\n" {
		t.Errorf("bill %q", got)
	}
	bill.Reset()
	w.run(inspect.Stage{API: a, Bill: &bill})
	if bill.Len() > 0 {
		t.Errorf("a run that asks nothing prints %q", bill.String())
	}
}

func TestReferencesOfWhatInspectReads(t *testing.T) {
	w := newWorld(t)
	w.pull(1, 1, "q.go", "q_test.go")
	w.pull(2, 1, "main.go", "main_test.go")
	w.put("pull_versions", row{"repository_id": int64(2), "number": 7, "merge_commit_sha": sha, "source": "linked"})
	w.candidate("c", [2]int{1, 1}, [2]int{2, 1})
	w.put("repository_aliases", row{"written": "o/old-app", "repository_id": int64(2), "repository": "o/app",
		"state": "renamed"})
	w.put("own_issues", row{"repository_id": int64(1), "number": 1, "issue_number": 60, "relation": "closes"})
	w.put("issue_versions", row{"repository_id": int64(1), "number": 60, "kind": "issue", "title": "Own",
		"body": "also app#9"})
	user := row{"login": "ann", "type": "User"}
	w.api.put("repos/o/lib/issues/1/comments?per_page=100", []row{
		{"id": 7, "body": "Companion: o/old-app#1, and `o/app#5`, o/lib#4, other/thing#5", "user": user},
		{"id": 8, "body": "Depends on o/app#2", "user": row{"login": "x[bot]", "type": "Bot"}}, {"id": 9, "body": "",
			"user": user}})
	w.api.put("repos/o/lib/pulls/1/comments?per_page=100", []row{{"id": 7, "body": "as in https://github.com/o/app/pull/3",
		"user": user}})
	w.api.put("repos/o/lib/pulls/1/reviews?per_page=100", []row{{"id": 5, "body": "see o/app@" + sha[:10], "user": nil}})
	w.api.put("repos/o/lib/pulls/1/commits?per_page=100", []row{
		{"sha": "c1", "commit": row{"message": "Fix\n\nNeeds o/app#4"}, "parents": []row{{"sha": "p"}}},
		{"sha": "c2", "commit": row{"message": "Merge o/app#6"}, "parents": []row{{"sha": "p"}, {"sha": "q"}}}})
	w.run(inspect.Stage{})
	want := []string{
		"o/lib#1 o/app#1 comment issuecomment-7 ann companion ",
		"o/lib#1 o/app#2 comment issuecomment-8 x[bot] depends_on bot",
		"o/lib#1 o/app#3 comment discussion_r7 ann mention ", "o/lib#1 o/app#4 commit c1  needs ",
		"o/lib#1 o/app#9 issue o/lib#60  mention loose",
		"o/lib#1 o/app@89abcdef01 comment pullrequestreview-5  mention ",
	}
	if d := cmp.Diff(want, w.strings(`SELECT concat_ws(' ', source, target, location, origin, author, relation, coalesce(array_to_string(flags, ','), '')) FROM inspected_links
		WHERE NOT may_group ORDER BY 1`)); d != "" {
		t.Error(d)
	}
	// The view of links has them beside those of link; what group reads has them not.
	if d := cmp.Diff([]string{"6 0"}, w.strings(
		`SELECT (SELECT count(*) FROM links WHERE origin <> '' AND NOT may_group) || ' ' || (SELECT count(*) FROM `+
			`text_links)`)); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"comment o/app#1 c true", "comment o/app#2  false", "comment o/app#3  false",
		"comment o/app#7  false", "commit o/app#4  false", "issue o/app#9  false"}, w.strings(
		"SELECT location || ' ' || neighbour || ' ' || coalesce(neighbour_candidate, '') || ' ' || inside FROM "+
			"evidence_neighbours ORDER BY 1")); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"comment 7", "comment 8", "review 5", "review_comment 7"},
		w.strings("SELECT kind || ' ' || comment_id FROM pull_comments ORDER BY 1")); d != "" {
		t.Error(d)
	}
}

func TestDependencyEvidenceOfTheHostsFiles(t *testing.T) {
	w := newWorld(t)
	w.pull(1, 1, "q.go", "q_test.go")
	w.pull(2, 1, "main.go", "main_test.go")
	w.put("pull_versions", row{"repository_id": int64(1), "number": 7, "merge_commit_sha": sha,
		"head_sha": strings.Repeat("e", 40), "source": "linked"})
	w.candidate("c", [2]int{1, 1}, [2]int{2, 1})
	line := "@@ -1 +1 @@\n+\tgithub.com/O/lib v0.0.0-20250101000000-"
	w.api.put("repos/o/app/pulls/1/files?per_page=100", []row{{"filename": "main.go", "status": "modified"},
		{"filename": "main_test.go", "status": "modified"},
		{"filename": "go.mod", "status": "modified", "patch": line + sha[:12]},
		{"filename": "x/go.mod", "status": "modified", "patch": line + "eeeeeeeeeeee"},
		{"filename": "y/go.mod", "status": "modified", "patch": line + "aaaaaaaaaaaa"},
		{"filename": "z/go.mod", "status": "modified",
			"patch": "@@ -1 +1 @@\n+\tlib.example.org/core v0.0.0-20250101000000-" + sha[:12] +
				"\n+\tgithub.com/other/x v0.0.0-20250101000000-" + sha[:12]},
		{"filename": "libs/lib", "status": "modified", "patch": "@@ -1 +1 @@\n-Subproject commit " + strings.Repeat("a", 40) +
			"\n+Subproject commit " + sha}})
	w.run(inspect.Stage{})
	want := []string{
		"go.mod go_pseudo_version o/lib#7 merge_commit", "libs/lib submodule o/lib#7 merge_commit",
		"x/go.mod go_pseudo_version o/lib#7 head",
		"y/go.mod go_pseudo_version o/lib@aaaaaaaaaaaa ", "z/go.mod go_pseudo_version o/lib#7 merge_commit",
	}
	if d := cmp.Diff(want, w.strings("SELECT path || ' ' || kind || ' ' || target || ' ' || resolved_by FROM "+
		"dependency_links WHERE source = 'o/app#1' ORDER BY 1")); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"o/app#1 o/lib#7 false"},
		w.strings("SELECT DISTINCT pull || ' ' || neighbour || ' ' || inside FROM evidence_neighbours WHERE kind <> "+
			"'link'")); d != "" {
		t.Error(d)
	}
}

// repository makes a repository with a pull merged by a merge commit.
func repository(t *testing.T, dir string, before, after map[string]string, module bool) (merge, head string) {
	t.Helper()
	run := func(args ...string) string {
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1",
			"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.org",
			"GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.org", "GIT_AUTHOR_DATE=2025-01-01T00:00:00Z",
			"GIT_COMMITTER_DATE=2025-01-01T00:00:00Z"}
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	write := func(files map[string]string) {
		for name, text := range files {
			full := filepath.Join(dir, name)
			if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		run("add", "-A", "-f")
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	run("init", "--quiet", "--initial-branch=trunk")
	run("config", "uploadpack.allowFilter", "true")
	run("config", "uploadpack.allowAnySHA1InWant", "true")
	write(before)
	run("commit", "--quiet", "-m", "base")
	run("checkout", "--quiet", "-b", "topic")
	write(after)
	if module {
		run("update-index", "--add", "--cacheinfo", "160000,"+sha+",libs/lib")
	}
	run("commit", "--quiet", "-m", "Change\n\nGoes with o/lib#9")
	head = run("rev-parse", "HEAD")
	run("checkout", "--quiet", "-f", "trunk")
	run("merge", "--quiet", "--no-ff", "-m", "Merge pull request #1", "topic")
	run("update-ref", "refs/pull/1/head", head)
	return run("rev-parse", "HEAD"), head
}

func TestFilesCommitsAndDependenciesOfAMirror(t *testing.T) {
	w := newWorld(t)
	root := t.TempDir()
	for id, name := range map[int]string{1: "o/lib", 2: "o/app"} {
		after := map[string]string{"q.go": "package q\n", "q_test.go": "package q\n"}
		if id == 2 {
			after[".gitmodules"] = "[submodule \"lib\"]\n\tpath = libs/lib\n\turl = ../lib.git\n"
			after["Cargo.lock"] = "source = \"git+https://github.com/o/lib#" + sha + "\"\n"
		}
		merge, head := repository(t, filepath.Join(root, name), map[string]string{"README.md": "x\n"}, after, id == 2)
		w.put("pull_versions", row{"repository_id": int64(id), "number": 1, "source": "linked", "merge_commit_sha": merge,
			"head_sha": head, "head_ref": "o/lib#3"})
	}
	w.candidate("c", [2]int{1, 1}, [2]int{2, 1})
	mirrors := &git.Mirrors{Dir: filepath.Join(t.TempDir(), "m"), Options: git.Options{URLTemplate: "file://" + root +
		"/{owner}/{name}"}, Backoff: time.Millisecond}
	a := &asked{api: w.api}
	w.run(inspect.Stage{API: a, Mirrors: mirrors, MirrorFrom: 1})
	if d := cmp.Diff([]string{"true"}, w.strings("SELECT kept::VARCHAR FROM candidate_facts")); d != "" {
		t.Error(d)
	}
	for _, p := range a.paths {
		if strings.Contains(p, "files") || strings.Contains(p, "commits") {
			t.Errorf("asked the host for %s, which the mirror has", p)
		}
	}
	if d := cmp.Diff([]string{"Cargo.lock git_reference o/lib " + sha, "libs/lib submodule o/lib " + sha}, w.strings(
		"SELECT path || ' ' || kind || ' ' || target_repository || ' ' || sha FROM dependency_evidence ORDER BY "+
			"1")); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"o/lib#3 branch mention", "o/lib#9 commit companion"}, w.strings(
		"SELECT target || ' ' || location || ' ' || relation FROM inspected_links ORDER BY 1")); d != "" {
		t.Error(d)
	}
}

// A host that gives no diff of a manifest sends inspect to the mirror, for pulls
// that stay; a mirror that can't be had costs the evidence alone.
func TestManifestsWithoutADiffAreReadInTheMirror(t *testing.T) {
	w := newWorld(t)
	root := t.TempDir()
	w.pull(1, 1, "q.go", "q_test.go", "yarn.lock") // has no history at all
	w.pull(2, 1, "q.go", "q_test.go", "Cargo.lock")
	merge, head := repository(t, filepath.Join(root, "o/app"), map[string]string{"README.md": "x\n"},
		map[string]string{"q.go": "package q\n", "Cargo.lock": "source = \"git+https://github.com/o/lib#" + sha + "\"\n"},
		false)
	w.put("pull_versions", row{"repository_id": int64(2), "number": 1, "source": "linked", "merge_commit_sha": merge,
		"head_sha": head, "fetched_at": day.Add(time.Hour)})
	w.candidate("c", [2]int{1, 1}, [2]int{2, 1})
	mirrors := &git.Mirrors{Dir: filepath.Join(t.TempDir(), "m"), Options: git.Options{URLTemplate: "file://" + root +
		"/{owner}/{name}"}, Backoff: time.Millisecond}
	if counts := w.run(inspect.Stage{Mirrors: mirrors}); counts.Done != 1 {
		t.Fatalf("%+v", counts)
	}
	if d := cmp.Diff([]string{"2#1 Cargo.lock o/lib"}, w.strings(
		"SELECT repository_id || '#' || number || ' ' || path || ' ' || target_repository FROM "+
			"dependency_evidence")); d != "" {
		t.Error(d)
	}
}

// A mirror on disk, left by another stage or by a run that was killed, changes neither
// what is asked nor what is found.
func TestWhatLiesOnDiskChoosesNothing(t *testing.T) {
	w := newWorld(t)
	root := t.TempDir()
	for id, name := range map[int]string{1: "o/lib", 2: "o/app"} {
		w.pull(id, 1, "q.go", "q_test.go", "go.mod")
		merge, head := repository(t, filepath.Join(root, name), map[string]string{"README.md": "x\n"},
			map[string]string{"q.go": "package q\n", "q_test.go": "package q\n",
				"Cargo.lock": "source = \"git+https://github.com/o/lib#" + sha + "\"\n"}, false)
		w.put("pull_versions", row{"repository_id": int64(id), "number": 1, "source": "linked", "merge_commit_sha": merge,
			"head_sha": head, "fetched_at": day.Add(time.Hour)})
		w.api.put("repos/"+name+"/pulls/1/files?per_page=100", []row{{"filename": "q.go", "status": "added"},
			{"filename": "q_test.go", "status": "added"},
			{"filename": "Cargo.lock", "status": "added", "patch": "@@ -0,0 +1 @@\n+x"}})
	}
	w.candidate("c", [2]int{1, 1}, [2]int{2, 1})
	mirrors := &git.Mirrors{Dir: filepath.Join(t.TempDir(), "m"), Options: git.Options{URLTemplate: "file://" + root +
		"/{owner}/{name}"}, Backoff: time.Millisecond}
	everything := func() (all []string) {
		for _, table := range []string{"pull_files", "pull_facts", "candidate_facts", "dependency_evidence",
			"inspected_references"} {
			all = append(all, w.strings("SELECT t::VARCHAR FROM "+table+" t ORDER BY 1")...)
		}
		return all
	}
	w.run(inspect.Stage{Mirrors: mirrors})
	calm := everything()
	for _, name := range []string{"o/lib", "o/app"} {
		if _, err := mirrors.Mirror(t.Context(), name); err != nil {
			t.Fatal(err)
		}
	}
	for _, redo := range []bool{false, true} {
		s := inspect.Stage{DB: w.db, API: w.api, Mirrors: mirrors}
		if err := pipeline.Execute(t.Context(), s, &pipeline.Run{Ledger: w.db, Redo: redo}); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(calm, everything()); d != "" {
			t.Errorf("redo %v: %s", redo, d)
		}
	}
}

// What the host lists of a submodule is its commit; the mirror's .gitmodules tells
// whose it is, also where no pull is known by the commit.
func TestSubmodulesOfTheHostsListAreNamedByTheMirror(t *testing.T) {
	w := newWorld(t)
	root := t.TempDir()
	w.pull(1, 1, "q.go", "q_test.go")
	w.pull(2, 1, "q.go", "q_test.go")
	merge, head := repository(t, filepath.Join(root, "o/app"), map[string]string{"README.md": "x\n"},
		map[string]string{".gitmodules": "[submodule \"lib\"]\n\tpath = libs/lib\n\turl = ../lib.git\n"}, true)
	w.put("pull_versions", row{"repository_id": int64(2), "number": 1, "source": "linked", "merge_commit_sha": merge,
		"head_sha": head, "fetched_at": day.Add(time.Hour)})
	w.candidate("c", [2]int{1, 1}, [2]int{2, 1})
	w.api.put("repos/o/app/pulls/1/files?per_page=100", []row{{"filename": "q.go", "status": "modified"},
		{"filename": "q_test.go", "status": "modified"},
		{"filename": "libs/lib", "status": "added", "patch": "@@ -0,0 +1 @@\n+Subproject commit " + sha}})
	mirrors := &git.Mirrors{Dir: filepath.Join(t.TempDir(), "m"), Options: git.Options{URLTemplate: "file://" + root +
		"/{owner}/{name}"}, Backoff: time.Millisecond}
	w.run(inspect.Stage{Mirrors: mirrors})
	if d := cmp.Diff([]string{"o/app#1 libs/lib submodule o/lib@" + sha},
		w.strings("SELECT source || ' ' || path || ' ' || kind || ' ' || target FROM dependency_links")); d != "" {
		t.Error(d)
	}
}

func TestThreeThousandFilesAreIncomplete(t *testing.T) {
	w := newWorld(t)
	w.pull(1, 1, "q.go", "q_test.go")
	w.pull(2, 1, "main.go", "main_test.go")
	w.candidate("c", [2]int{1, 1}, [2]int{2, 1})
	path := "repos/o/app/pulls/1/files?per_page=100"
	pages := &paged{api: w.api, path: path, pages: 40}
	w.run(inspect.Stage{API: pages})
	if d := cmp.Diff([]string{"o/app#1 3000 false", "o/lib#1 2 true"}, w.strings(
		"SELECT repository || '#' || number || ' ' || files || ' ' || files_complete FROM pull_checks ORDER BY 1")); d != "" {
		t.Error(d)
	}
}

// paged answers a list of many pages of 100 files.
type paged struct {
	api
	path  string
	pages int
}

func (p *paged) Get(ctx context.Context, repository, path string) ([]byte, string, error) {
	page := 0
	if path != p.path {
		if n, err := fmt.Sscanf(path, p.path+"&page=%d", &page); n != 1 || err != nil {
			return p.api.Get(ctx, repository, path)
		}
	}
	var list []string
	for i := range 50 {
		list = append(list, fmt.Sprintf(`{"filename":"a/%d_%d_test.go"},{"filename":"a/%d_%d.go"}`, page, i, page, i))
	}
	body := "[" + strings.Join(list, ",") + "]"
	next := ""
	if page+1 < p.pages {
		next = fmt.Sprintf("%s&page=%d", p.path, page+1)
	}
	return []byte(body), next, nil
}

func TestFlagsAndFamilies(t *testing.T) {
	w := newWorld(t)
	w.pull(1, 1, "q.go", "q_test.go", "web/a.ts", "gen.pb.go", "docs/x.py")
	w.pull(2, 1, "main.py", "test_main.py")
	w.candidate("c", [2]int{1, 1}, [2]int{2, 1})
	for n, p := range []row{{"title": "Revert \"x\""}, {"title": "[1.2] Backport x"}, {"author": "dependabot[bot]",
		"author_type": "Bot"},
		{"title": "Release v1.2.0"}, {"title": "x", "body": "PiperOrigin-RevId: 1"}, {"title": "x", "head_ref": "renovate/y"},
		{"title": "Add y"}} {
		w.pull(2, 10+n, "main.go", "main_test.go")
		p["repository_id"], p["number"], p["source"], p["fetched_at"] = int64(2), 10+n, "linked", day.Add(time.Hour)
		w.put("pull_versions", p)
		w.candidate("c", [2]int{2, 10 + n})
	}
	if err := w.deleteExtra(); err != nil {
		t.Fatal(err)
	}
	w.run(inspect.Stage{})
	if d := cmp.Diff([]string{"1 ", "10 revert", "11 backport", "12 bot", "13 release", "14 mirror_import", "15 bot",
		"16 "}, w.strings(
		"SELECT number || ' ' || coalesce(array_to_string(flags, ','), '') FROM pull_facts WHERE repository_id = 2 ORDER "+
			"BY number")); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"Go,JavaScript/TypeScript"},
		w.strings("SELECT array_to_string(families, ',') FROM pull_facts WHERE repository_id = 1")); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"Go,JavaScript/TypeScript,Python"},
		w.strings("SELECT array_to_string(families, ',') FROM candidate_facts")); d != "" {
		t.Error(d)
	}
}

// deleteExtra leaves one row a candidate, however often it was added to.
func (w *world) deleteExtra() error {
	return w.exec("DELETE FROM candidate_groups WHERE rowid NOT IN (SELECT min(rowid) FROM candidate_groups GROUP BY " +
		"candidate_id)")
}

func TestPhonesFoldersAloneAreNoObstacle(t *testing.T) {
	w := newWorld(t)
	w.pull(1, 1, "q.go", "q_test.go")
	for n, c := range []struct {
		repository int
		linux      bool
		files      []string
	}{
		// React Native
		{2, true, []string{"src/Player.tsx", "ios/Player.swift", "android/src/main/java/x/Player.java",
			"src/__tests__/Player.test.tsx"}},
		{2, true, []string{"lib/player.dart", "ios/Classes/Player.m", "test/player_test.dart"}}, // Flutter
		{2, true, []string{"ios/Podfile", "ios/Runner.xcodeproj/project.pbxproj", "lib/a.dart", "test/a_test.dart"}},
		{2, false, []string{"ios/A.swift", "ios/ATests.swift"}},
		// a module of React Native, called after iOS
		{3, true, []string{"src/index.ts", "ios/View.swift", "test/index.test.ts"}},
		{3, true, []string{"lib/a.dart", "test/a_test.dart"}},
		{3, false, []string{"Sources/A.swift", "Tests/ATests.swift"}},
		{3, false, []string{"Sources/A.m", "scripts/build.rb", "Tests/ATests.m"}},
	} {
		w.pull(c.repository, 20+n, c.files...)
		w.candidate(fmt.Sprintf("c%d", n), [2]int{1, 1}, [2]int{c.repository, 20 + n})
		w.run(inspect.Stage{})
		if got := w.strings(fmt.Sprintf("SELECT linux::VARCHAR FROM pull_facts WHERE number = %d", 20+n)); !cmp.Equal(got,
			[]string{fmt.Sprint(c.linux)}) {
			t.Errorf("%v in %s: linux %v, want %v", c.files, names[c.repository], got, c.linux)
		}
	}
}
