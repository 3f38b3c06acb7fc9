package export

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/release"
	"github.com/wideswe/wideswe/pipeline/store"
	"github.com/wideswe/wideswe/pipeline/storetest"
	"github.com/wideswe/wideswe/pipeline/workspace"
	"github.com/wideswe/wideswe/schema"
)

// hosts answers for repositories that are one folder each.
type hosts struct {
	dir  string
	gone map[string]bool // snapshots that lack an object
}

func (h hosts) Tree(ctx context.Context, repository, _ string) (Tree, error) {
	id, err := workspace.TreeHash(ctx, filepath.Join(h.dir, repository))
	return Tree{ID: id, LicenseFiles: []string{"LICENSE"}}, err
}

func (h hosts) CommitBefore(_ context.Context, repository string, t time.Time) (string, time.Time, error) {
	if repository == "o/young" {
		return "", time.Time{}, nil
	}
	return sha("c", repository), t.Add(-time.Hour), nil
}

func (h hosts) Snapshot(ctx context.Context, repository, _ string, w io.Writer) error {
	if h.gone[repository] {
		return &UnavailableError{"no object abc"}
	}
	return workspace.Tar(ctx, filepath.Join(h.dir, repository), w)
}

// sha makes a commit id out of a repository's name.
func sha(prefix, repository string) string {
	s := fmt.Sprintf("%s%x", prefix, repository)
	return s + strings.Repeat("0", 40-len(s))
}

var day = time.Date(2025, 6, 1, 0, 0, 0, 0, time.UTC)

// rig is a database with tasks t1 (o/a, o/b), t2 (o/b, o/young) and t3 (o/c, o/d),
// of which t1 and t2 are selected.
func rig(t *testing.T) (*store.DB, hosts) {
	t.Helper()
	db := storetest.Open(t)
	h := hosts{dir: t.TempDir(), gone: map[string]bool{}}
	for _, r := range []string{"o/a", "o/b", "o/c", "o/d", "o/young"} {
		if err := os.MkdirAll(filepath.Join(h.dir, r), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(h.dir, r, "f"), []byte(r+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	err := db.InTx(t.Context(), func(ctx context.Context, tx pipeline.Tx) error {
		for id, repos := range map[string][]string{"t1": {"o/a", "o/b"}, "t2": {"o/b", "o/young"}, "t3": {"o/c", "o/d"}} {
			if err := addTask(ctx, tx, id, repos); err != nil {
				return err
			}
		}
		if err := tx.Exec(ctx, validated); err != nil {
			return err
		}
		return tx.Append(ctx, "selections", [][]any{{"t1", true, false, int32(1), "scarcer kind"}, {"t2", true, true,
			int32(2), "pinned"}, {"t3", false, false, int32(3), "too many"}})
	})
	if err != nil {
		t.Fatal(err)
	}
	return db, h
}

// validated notes that what is assembled now is what was validated.
const validated = "UPDATE task_images g SET input = n.input FROM task_inputs n WHERE n.task_id = g.task_id AND " +
	"n.repository = g.repository"

func addTask(ctx context.Context, tx pipeline.Tx, id string, repos []string) error {
	if err := tx.Append(ctx, "task_list", [][]any{{id, "cand-" + id, "eco", "bugfix", "parallel", "Title of " + id,
		"Fix it.\n", "draft", []string{"Go"}, "runtime", day}}); err != nil {
		return err
	}
	if err := tx.Append(ctx, "prompt_paragraphs", [][]any{{id, int32(1), "Fix it.", repos[0] + "#1 body",
		false}}); err != nil {
		return err
	}
	if err := tx.Append(ctx, "reviews", [][]any{{"cand-" + id, "cand-" + id, "ann", "accept", "bugfix", "parallel", "",
		"clear", []string{}, false, "f", day}}); err != nil {
		return err
	}
	limits := `{"memory":1073741824,"cpus":2,"pids":512,"timeout":600000000000,"output":1}`
	for i, r := range repos {
		for _, row := range []struct {
			table string
			row   []any
		}{
			{"task_targets", []any{id, int64(i), r, []int{1}, sha("b", r), "g", "m", "h", "bt", "gt", false,
				day.Add(time.Duration(i) * time.Hour), "MIT", []string{"f_test"}, []string{"f"}}},
			{"task_patches", []any{id, r, "gold", int32(0), "gold", []byte("gold " + r + "\n"), "s"}},
			{"task_patches", []any{id, r, "tests", int32(1), "up stream", []byte("tests\n"), "s"}},
			{"task_images", []any{id, r, "img", "sha256:1", "debian:trixie",
				`{"toolchain":"shell","image":"debian:trixie","setup":["true\nfalse"]}`, "l", 1.0, ""}},
		} {
			if err := tx.Append(ctx, row.table, [][]any{row.row}); err != nil {
				return err
			}
		}
		for _, state := range []string{"base", "gold"} {
			run := id + r + state
			if err := tx.Append(ctx, "test_runs", [][]any{{run, id, r, state, int32(1), int32(1), "ok", int32(0), false, false,
				2.5, "sha256:1", limits, "1", "linux/amd64", "l", day, "", ""}}); err != nil {
				return err
			}
			old := [][]any{{run, id, r, state, int32(1), "u::old", "pass", "", 0.1}, {run, id, r, state, int32(1), "u::skipped",
				"skip", "", 0.1}}
			if state == "gold" {
				old = append(old, []any{run, id, r, state, int32(1), "u::new", "pass", "", 0.1})
			}
			if err := tx.Append(ctx, "test_outcomes", old); err != nil {
				return err
			}
		}
	}
	return nil
}

func run(t *testing.T, db *store.DB, s Stage) pipeline.Counts {
	t.Helper()
	r := &pipeline.Run{Ledger: db}
	if err := pipeline.Execute(t.Context(), s, r); err != nil {
		var failed *pipeline.FailedItems
		if errors.As(err, &failed) {
			latest, _ := db.Latest(t.Context(), "export")
			t.Fatal(latest[item].Reason)
		}
		t.Fatal(err)
	}
	return r.Counts
}

func TestExport(t *testing.T) {
	db, h := rig(t)
	out := filepath.Join(t.TempDir(), "release")
	s := Stage{DB: db, Git: h, Out: out, WithSources: true,
		Selection: func(context.Context) (schema.Selection, error) {
			return schema.Selection{Sets: map[string][]string{"small": {"t1"}}}, nil
		}}
	if d := cmp.Diff(pipeline.Counts{Done: 1}, run(t, db, s)); d != "" {
		t.Fatal(d)
	}
	r, err := release.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	want := schema.ReleaseCounts{Tasks: 2, Targets: 4, Ecosystems: 1, Bugfixes: 2, F2P: 4, P2P: 4, Sources: 4}
	if d := cmp.Diff(want, r.Counts); d != "" {
		t.Error(d)
	}
	t1, err := r.Task("t1")
	if err != nil {
		t.Fatal(err)
	}
	// Context of t1 is o/young alone, which had no commit yet; o/c and o/d belong to no task of the release.
	if len(t1.Context) != 0 {
		t.Errorf("context of t1: %v", t1.Context)
	}
	if r.TimeLimit == nil || *r.TimeLimit != schema.DefaultTimeLimit {
		t.Errorf("time limit %+v", r.TimeLimit)
	}
	f, err := r.Funnel()
	if err != nil || len(f.Rows) == 0 {
		t.Errorf("funnel %+v, %v", f, err)
	}
	if d := cmp.Diff(schema.FunnelRow{Stage: "balance", Unit: "task", Status: "done", Items: 2},
		f.Rows[len(f.Rows)-2]); d != "" {
		t.Error(d)
	}
	x := t1.Hidden[0]
	wantTests := schema.TestsFile{Format: 1, Repository: "o/a", F2P: []string{"u::new"}, P2P: []string{"u::old"},
		MissingOnBase: []string{"u::new"}, Unstable: []string{}, Repeats: 1, Others: []string{"u::skipped"}}
	if d := cmp.Diff(wantTests, x.Tests); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(schema.RunLimits{Seconds: 600, Memory: 1 << 30, CPUs: 2, Pids: 512}, x.Limits); d != "" {
		t.Error(d)
	}
	if string(x.Gold) != "gold o/a\n" || x.Layers[0].Name != "01-up-stream" || x.GoldSeconds != 2.5 ||
		x.Image.Platform != "linux/amd64" || x.Recipe.Toolchain != "shell" {
		t.Errorf("hidden part of o/a: %+v", x)
	}
	t2, err := r.Task("t2")
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]schema.TaskContext{{Repository: "o/a", Commit: sha("c", "o/a"),
		Reason: "a target of another task in eco"}}, t2.Context); d != "" {
		t.Error(d)
	}
	if err := r.Workspace(t.Context(), "t2", release.ScopeJoint, "", filepath.Join(t.TempDir(), "w")); err != nil {
		t.Error(err)
	}
	rows, err := query(t.Context(), db, func(c *contextRepository) []any {
		return []any{&c.repository, &c.commit,
			&c.reason}
	},
		"SELECT repository, commit_sha, reason FROM context_repositories WHERE task_id = 't1'")
	if err != nil || len(rows) != 1 || rows[0].commit != "" || !strings.Contains(rows[0].reason, "no commit as early") {
		t.Errorf("context rows of t1: %+v, %v", rows, err)
	}
	for file, piece := range map[string]string{
		"README.md": "Responsible use", "selection.yaml": "small", "tasks/t1/record.yaml": "reviewer: ann",
		"tasks/t1/hidden/o__a/Dockerfile": "RUN true && false\n", "tasks/t1/prompt_sources.yaml": "o/a#1 body",
	} {
		if b, err := os.ReadFile(filepath.Join(out, file)); err != nil || !strings.Contains(string(b), piece) {
			t.Errorf("%s lacks %q: %v\n%s", file, piece, err, b)
		}
	}
}

func TestSecondRunDoesNothingUntilSomethingChanged(t *testing.T) {
	db, h := rig(t)
	out := filepath.Join(t.TempDir(), "release")
	s := Stage{DB: db, Git: h, Out: out, WithSources: true}
	steps := []struct {
		why  string
		do   func() error
		want pipeline.Counts
	}{
		{"first", func() error { return nil }, pipeline.Counts{Done: 1}},
		{"nothing changed", func() error { return nil }, pipeline.Counts{Unchanged: 1}},
		{"release removed", func() error { return os.RemoveAll(out) }, pipeline.Counts{Done: 1}},
		{"after that", func() error { return nil }, pipeline.Counts{Unchanged: 1}},
		{"another selection", func() error {
			return db.InTx(t.Context(), func(ctx context.Context, tx pipeline.Tx) error {
				return tx.Exec(ctx, "UPDATE selections SET selected = false WHERE task_id = 't2'")
			})
		}, pipeline.Counts{Done: 1}},
		{"none selected", func() error {
			return db.InTx(t.Context(), func(ctx context.Context, tx pipeline.Tx) error {
				return tx.Exec(ctx, "UPDATE selections SET selected = false")
			})
		}, pipeline.Counts{Skipped: 1}},
	}
	for _, step := range steps {
		if err := step.do(); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(step.want, run(t, db, s)); d != "" {
			t.Errorf("%s: %s", step.why, d)
		}
	}
}

func TestATaskAssembledAnewIsNotExported(t *testing.T) {
	db, h := rig(t)
	out := filepath.Join(t.TempDir(), "release")
	if err := db.InTx(t.Context(), func(ctx context.Context, tx pipeline.Tx) error {
		return tx.Exec(ctx, "UPDATE task_patches SET sha256 = 'new' WHERE task_id = 't2' AND kind = 'gold'")
	}); err != nil {
		t.Fatal(err)
	}
	err := pipeline.Execute(t.Context(), Stage{DB: db, Git: h, Out: out}, &pipeline.Run{Ledger: db})
	var need *pipeline.NeedError
	if !errors.As(err, &need) || !strings.Contains(err.Error(), "t2 was assembled anew") {
		t.Errorf("got %v", err)
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("a release was written")
	}
}

func TestSourcesOfTheLastReleaseAreKept(t *testing.T) {
	db, h := rig(t)
	out := filepath.Join(t.TempDir(), "release")
	run(t, db, Stage{DB: db, Git: h, Out: out, WithSources: true})
	// Without sources, under another version: the trees that are there stay.
	run(t, db, Stage{DB: db, Git: h, Out: out, Options: Options{Version: "2"}})
	r, err := release.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if n := len(r.MissingSources()); n != 0 || r.Version != "2" {
		t.Errorf("version %s, %d sources missing", r.Version, n)
	}
}

func TestContextWithoutItsObjectsIsLeftOut(t *testing.T) {
	db, h := rig(t)
	out := filepath.Join(t.TempDir(), "release")
	h.gone["o/c"] = true
	if err := db.InTx(t.Context(), func(ctx context.Context, tx pipeline.Tx) error {
		return tx.Append(ctx, "repository_versions", [][]any{
			{int64(9), "o/c", "eco", false, false, false, int64(1), "Go", "MIT", "main", "", day, "ok", day},
			{int64(1), "o/b", "eco", false, false, false, int64(1), "Go", "MIT", "main", "", day, "ok", day}})
	}); err != nil {
		t.Fatal(err)
	}
	p := &plan{cfg: Stage{WithSources: true}.config(), git: h, pins: map[string]*pin{}}
	c, err := read(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	c.Linked["o/c o/a"] = 3
	p.cfg.Context, p.content = ContextNearest, c
	if p.writer, err = release.Create(out, release.Guard{}); err != nil {
		t.Fatal(err)
	}
	defer p.writer.Abort()
	if err := p.choose(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := p.packSources(t.Context()); err != nil {
		t.Fatal(err)
	}
	got := p.context["t1"]
	if len(got) != 1 || got[0].repository != "o/c" || got[0].commit != "" || !strings.Contains(got[0].reason,
		"no object abc") {
		t.Errorf("context of t1: %+v", got)
	}
	// A target without its objects is an error, not a smaller workspace.
	h.gone["o/a"] = true
	if err := p.packSources(t.Context()); err == nil {
		t.Error("a release with half a target was packed")
	}
}

func TestNeighboursAreBoundedByWeight(t *testing.T) {
	c := &content{Linked: map[string]int{"o/x o/a": 2}, Tasks: []*task{
		{ID: "1", Ecosystem: "e", Targets: []*target{{Repository: "o/a"}, {Repository: "o/b"}}},
		{ID: "2", Ecosystem: "e", Targets: []*target{{Repository: "o/x"}, {Repository: "o/y"}, {Repository: "o/b"}}},
		{ID: "3", Ecosystem: "other", Targets: []*target{{Repository: "p/z"}}},
	}}
	p := &plan{cfg: Stage{}.config(), content: c}
	p.cfg.ContextLimit = 1
	if d := cmp.Diff([]string{"o/x"}, p.neighbours(c.Tasks[0])); d != "" {
		t.Error(d)
	}
	p.cfg.ContextLimit = 20
	if d := cmp.Diff([]string{"o/x", "o/y"}, p.neighbours(c.Tasks[0])); d != "" {
		t.Error(d)
	}
}

func TestExportRefusesSecrets(t *testing.T) {
	db, h := rig(t)
	if err := db.InTx(t.Context(), func(ctx context.Context, tx pipeline.Tx) error {
		return tx.Exec(ctx, "UPDATE task_list SET prompt = 'use ' || 'secretsecretsecret' WHERE task_id = 't1'")
	}); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "release")
	s := Stage{DB: db, Git: h, Out: out, Secrets: []string{"secretsecretsecret"}}
	err := pipeline.Execute(t.Context(), s, &pipeline.Run{Ledger: db})
	latest, _ := db.Latest(t.Context(), "export")
	if err == nil || !strings.Contains(latest[item].Reason, "tasks/t1/prompt.md:1") {
		t.Errorf("got %v, %v", err, latest)
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("the release was written all the same")
	}
}

// A release whose last task was withdrawn is a person's to remove: it stays whole, the
// database says of nothing that it is released, and each run tells of it.
func TestAReleaseWhoseLastTaskWasWithdrawn(t *testing.T) {
	db, h := rig(t)
	out := filepath.Join(t.TempDir(), "release")
	s := Stage{DB: db, Git: h, Out: out, WithSources: true}
	run(t, db, s)
	if err := db.InTx(t.Context(), func(ctx context.Context, tx pipeline.Tx) error {
		return tx.Exec(ctx, "UPDATE selections SET selected = false")
	}); err != nil {
		t.Fatal(err)
	}
	for n := range 2 {
		if got := run(t, db, s); got.Skipped != 1 {
			t.Errorf("run %d: %+v", n, got)
		}
	}
	latest, err := db.Latest(t.Context(), "export")
	if err != nil || !strings.Contains(latest[item].Reason, out) || !strings.Contains(latest[item].Reason, "withdrawn") {
		t.Errorf("%q, %v", latest[item].Reason, err)
	}
	for _, table := range []string{"exports", "context_repositories"} {
		n, err := query(t.Context(), db, func(n *int) []any { return []any{n} }, "SELECT count(*)::INTEGER FROM "+table)
		if err != nil || n[0] != 0 {
			t.Errorf("%s has %v rows, %v", table, n, err)
		}
	}
	r, err := release.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	if err := os.RemoveAll(out); err != nil {
		t.Fatal(err)
	}
	if got := run(t, db, s); got.Unchanged != 1 {
		t.Errorf("without it: %+v", got)
	}
}
