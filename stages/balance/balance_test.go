package balance

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/folder"
	"github.com/wideswe/wideswe/pipeline/store"
	"github.com/wideswe/wideswe/pipeline/storetest"
	"github.com/wideswe/wideswe/schema"
)

func bug(id string) Task {
	return Task{ID: id, Ecosystem: "bugs", Kind: schema.Bugfix, Targets: 2, ChangeType: "other"}
}

func feature(id, ecosystem, change string, targets int) Task {
	return Task{ID: id, Ecosystem: ecosystem, Kind: schema.Feature, ChangeType: change, Targets: targets}
}

func selected(choices []Choice) (ids []string) {
	for _, c := range choices {
		if c.Selected {
			ids = append(ids, c.Task)
		}
	}
	return ids
}

func TestChoose(t *testing.T) {
	for name, tt := range map[string]struct {
		tasks []Task
		pins  schema.Pins
		want  []string
	}{
		"one kind only keeps all": {
			tasks: []Task{feature("f1", "a", "forwarding", 2), feature("f2", "a", "forwarding", 2)},
			want:  []string{"f1", "f2"}},
		"as many of both keeps all": {
			tasks: []Task{bug("b1"), feature("f1", "a", "sdk", 2)},
			want:  []string{"b1", "f1"}},
		"the scarcer kind may be features": {
			tasks: []Task{bug("b1"), bug("b2"), feature("f1", "a", "sdk", 2)},
			want:  []string{"f1", "b1"}},
		"most targets before any change type": {
			tasks: []Task{bug("b1"), feature("f1", "a", "protocol", 2), feature("f2", "bugs", "forwarding", 3)},
			want:  []string{"b1", "f2"}},
		"substantive before forwarding": {
			tasks: []Task{bug("b1"), feature("f1", "a", "forwarding", 2), feature("f2", "b", "other", 2), feature("f3", "c",
				"schema", 2)},
			want: []string{"b1", "f3"}},
		"another ecosystem before a repeated one": {
			tasks: []Task{bug("b1"), bug("b2"), feature("f1", "a", "runtime", 2), feature("f2", "a", "runtime", 2),
				feature("f3", "b", "runtime", 2)},
			want: []string{"b1", "b2", "f1", "f3"}},
		"another change type before a repeated one": {
			tasks: []Task{bug("b1"), bug("b2"), feature("f1", "a", "runtime", 2), feature("f2", "a", "runtime", 2),
				feature("f3", "a", "sdk", 2)},
			want: []string{"b1", "b2", "f1", "f3"}},
		"the fifth of an ecosystem gives way to a first": {
			tasks: []Task{bug("b1"), bug("b2"), bug("b3"), bug("b4"), bug("b5"),
				feature("f1", "a", "runtime", 2), feature("f2", "a", "runtime", 2), feature("f3", "a", "runtime", 2),
				feature("f4", "a", "runtime", 2), feature("f5", "a", "runtime", 2), feature("f6", "b", "forwarding", 2)},
			want: []string{"b1", "b2", "b3", "b4", "b5", "f1", "f2", "f3", "f6", "f4"}},
		"pinned in takes a place": {
			tasks: []Task{bug("b1"), feature("f1", "a", "protocol", 3), feature("f2", "a", "forwarding", 2)},
			pins:  schema.Pins{Include: []string{"f2"}},
			want:  []string{"b1", "f2"}},
		"pinned in beyond the balance stays": {
			tasks: []Task{bug("b1"), feature("f1", "a", "sdk", 2), feature("f2", "a", "sdk", 2), feature("f3", "a", "sdk", 3)},
			pins:  schema.Pins{Include: []string{"f1", "f2"}},
			want:  []string{"b1", "f1", "f2"}},
		"pinned out lowers the scarcer kind": {
			tasks: []Task{bug("b1"), bug("b2"), feature("f1", "a", "sdk", 2), feature("f2", "b", "sdk", 2), feature("f3", "c",
				"sdk", 2)},
			pins: schema.Pins{Exclude: []string{"b2"}},
			want: []string{"b1", "f1"}},
		"not eligible can't be pinned in": {
			tasks: []Task{bug("b1"), {ID: "b2", Kind: schema.Bugfix, Ineligible: "no F2P test in o/a"}, feature("f1", "a", "sdk",
				2)},
			pins: schema.Pins{Include: []string{"b2"}},
			want: []string{"b1", "f1"}},
		"none": {},
	} {
		t.Run(name, func(t *testing.T) {
			got := Choose(tt.tasks, tt.pins)
			if d := cmp.Diff(tt.want, selected(got)); d != "" {
				t.Error(d)
			}
			if len(got) != len(tt.tasks) {
				t.Errorf("%d tasks, %d choices", len(tt.tasks), len(got))
			}
			for i, c := range got {
				if c.Reason == "" || c.Selected && c.Position != i+1 || !c.Selected && c.Position != 0 {
					t.Errorf("choice %d: %+v", i, c)
				}
			}
		})
	}
}

// The paper's figures: 60 bug fixes, 132 features of which 13 have three targets.
func TestChooseAsThePaperDid(t *testing.T) {
	var tasks []Task
	for i := range 60 {
		tasks = append(tasks, Task{ID: fmt.Sprintf("b%03d", i), Ecosystem: fmt.Sprint("e", i%41), Kind: schema.Bugfix,
			Targets: 2})
	}
	for i := range 132 {
		targets := 2
		if i >= 119 {
			targets = 3
		}
		tasks = append(tasks, feature(fmt.Sprintf("f%03d", i), fmt.Sprint("e", i%41), []string{"runtime", "forwarding",
			"sdk"}[i%3], targets))
	}
	want := Choose(tasks, schema.Pins{})
	got := map[string]int{}
	for _, c := range want {
		if i := slices.IndexFunc(tasks, func(t Task) bool { return t.ID == c.Task }); c.Selected {
			got[fmt.Sprint(tasks[i].Kind, tasks[i].Targets)]++
		}
	}
	if d := cmp.Diff(map[string]int{"bugfix2": 60, "feature2": 47, "feature3": 13}, got); d != "" {
		t.Error(d)
	}
	for range 5 {
		rand.Shuffle(len(tasks), func(i, j int) { tasks[i], tasks[j] = tasks[j], tasks[i] })
		if d := cmp.Diff(want, Choose(tasks, schema.Pins{})); d != "" {
			t.Fatal("the order of arrival matters:", d)
		}
	}
}

func TestReasonTellsTheScore(t *testing.T) {
	got := Choose([]Task{bug("b1"), feature("f1", "bugs", "other", 2), feature("f2", "a", "sdk", 2)}, schema.Pins{})
	want := []Choice{
		{"b1", true, false, 1, "all 1 of the scarcer kind bugfix are kept"},
		{"f2", true, false, 2, "2 targets; score 40: sdk change 40"},
		{"f1", false, false, 0, "the kinds are in balance without it; 2 targets; score 4 at the end: other change 20, bugs " +
			"is there 1 times −10, with such a change −5, such changes elsewhere −1"},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func newStage(t *testing.T) (Stage, *store.DB, folder.Folder) {
	t.Helper()
	db := storetest.Open(t)
	f, err := folder.Init(filepath.Join(t.TempDir(), "bench"), []byte("ecosystems: []\n"))
	if err != nil {
		t.Fatal(err)
	}
	return Stage{db, f}, db, f
}

func TestATaskAssembledAnewIsNotChosen(t *testing.T) {
	s, db, _ := newStage(t)
	addTask(t, db, "b1", schema.Bugfix, schema.Done, 1, 2)
	exec(t, db, `INSERT INTO task_images SELECT task_id, repository, '', '', '', '', '', 0, input FROM task_inputs`)
	choice := func() string {
		t.Helper()
		tasks, err := s.tasks(t.Context())
		if err != nil || len(tasks) != 1 {
			t.Fatal(tasks, err)
		}
		return tasks[0].Ineligible
	}
	if why := choice(); why != "" {
		t.Errorf("as validated: %q", why)
	}
	exec(t, db, `INSERT INTO task_patches (task_id, repository, kind, layer, name, patch, sha256) VALUES ('b1', 'o/r1', `+
		`'gold', 0, 'gold', '', 'new')`)
	if why := choice(); why != "assembled anew since it was validated: o/r1" {
		t.Errorf("with another patch: %q", why)
	}
}

func exec(t *testing.T, db *store.DB, sql string, args ...any) {
	t.Helper()
	if err := db.InTx(t.Context(), func(ctx context.Context, tx pipeline.Tx) error {
		return tx.Exec(ctx, sql,
			args...)
	}); err != nil {
		t.Fatal(err)
	}
}

func addTask(t *testing.T, db *store.DB, id, kind string, status schema.Status, f2p ...int) {
	t.Helper()
	exec(t, db, `INSERT INTO task_list (task_id, candidate_id, ecosystem, kind, pattern, title, prompt, prompt_state, languages, change_type, assembled_at)
		VALUES (?, 'c', 'e', ?, '', '', '', 'draft', [], 'runtime', TIMESTAMP '2025-01-01')`, id, kind)
	for i, n := range f2p {
		repository := fmt.Sprintf("o/r%d", i)
		exec(t, db, `INSERT INTO task_targets (task_id, repository_id, repository, pulls, base_commit, gold_commit, merge_commit, host_base_sha,
			base_tree, gold_tree, composed, base_time, license, hidden_files, gold_files)
			VALUES (?, ?, ?, [1], '', '', '', '', '', '', false, TIMESTAMP '2025-01-01', '', [], [])`, id, i, repository)
		addTests(t, db, id, repository, n)
	}
	if status != "" {
		if err := db.Record(t.Context(), nil, schema.Outcome{Stage: "validate", Item: id, Status: status,
			Reason: "gold fails"}); err != nil {
			t.Fatal(err)
		}
	}
}

// addTests adds a base and a gold run with one P2P test and n F2P tests.
func addTests(t *testing.T, db *store.DB, task, repository string, n int) {
	t.Helper()
	for _, state := range []string{"base", "gold"} {
		run := task + repository + state
		exec(t, db, `INSERT INTO test_runs (run_id, task_id, repository, state, repeat, attempt, status, exit_code, timed_out, oom, seconds,
			image_id, limits, rule_version, platform, log, started_at)
			VALUES (?, ?, ?, ?, 1, 1, 'ok', 0, false, false, 1, '', '{}', '1', '', '', TIMESTAMP '2025-01-01')`, run, task,
			repository, state)
		for i := range n + 1 {
			outcome := schema.Pass
			if state == "base" && i > 0 {
				outcome = schema.Fail
			}
			exec(t, db, `INSERT INTO test_outcomes (run_id, task_id, repository, state, repeat, test_id, outcome, message, seconds)
				VALUES (?, ?, ?, ?, 1, ?, ?, '', 0)`, run, task, repository, state, fmt.Sprintf("u::T%d", i), string(outcome))
		}
	}
}

func runStage(t *testing.T, s Stage, db *store.DB) pipeline.Counts {
	t.Helper()
	run := &pipeline.Run{Ledger: db}
	if err := pipeline.Execute(t.Context(), s, run); err != nil {
		t.Fatal(err)
	}
	return run.Counts
}

func TestStageWritesTableAndFile(t *testing.T) {
	s, db, f := newStage(t)
	if c := runStage(t, s, db); c.Skipped != 1 {
		t.Errorf("without a task: %+v", c)
	}
	addTask(t, db, "b1", schema.Bugfix, schema.Done, 1, 2)
	addTask(t, db, "b2", schema.Bugfix, schema.Done, 1, 0)
	addTask(t, db, "b3", schema.Bugfix, schema.Skipped, 1, 1)
	addTask(t, db, "b4", schema.Bugfix, "", 1, 1)
	addTask(t, db, "f1", schema.Feature, schema.Done, 1, 1)
	addTask(t, db, "f2", schema.Feature, schema.Done, 1, 1, 1)
	if c := runStage(t, s, db); c.Done != 1 {
		t.Errorf("%+v", c)
	}
	got := storetest.Strings(t, db, "SELECT task_id || ' ' || selected || ' ' || position || ' ' || split_part(reason, "+
		"';', 1) FROM selections ORDER BY task_id")
	want := []string{
		"b1 true 1 all 1 of the scarcer kind bugfix are kept",
		"b2 false 0 not eligible: no F2P test in o/r1",
		"b3 false 0 not eligible: not runnable: gold fails",
		"b4 false 0 not eligible: not validated yet",
		"f1 false 0 the kinds are in balance without it",
		"f2 true 2 3 targets",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	selection, err := f.Selection()
	if err != nil {
		t.Fatal(err)
	}
	var in []string
	for _, st := range selection.Tasks {
		in = append(in, fmt.Sprint(st.Task, " ", st.Selected))
	}
	if d := cmp.Diff([]string{"b1 true", "f2 true", "b2 false", "b3 false", "b4 false", "f1 false"}, in); d != "" {
		t.Error(d)
	}
	if c := runStage(t, s, db); c.Unchanged != 1 || c.Done > 0 {
		t.Errorf("a second run did %+v", c)
	}
}

func TestFileThatLostItsTasksGetsThemBack(t *testing.T) {
	s, db, f := newStage(t)
	addTask(t, db, "b1", schema.Bugfix, schema.Done, 1, 2)
	runStage(t, s, db)
	if err := f.WriteTasks(nil); err != nil {
		t.Fatal(err)
	}
	runStage(t, s, db)
	selection, err := f.Selection()
	if err != nil || len(selection.Tasks) != 1 || !strings.HasPrefix(selection.Tasks[0].Reason, "all 1 kept") {
		t.Errorf("%+v, %v", selection, err)
	}
}
