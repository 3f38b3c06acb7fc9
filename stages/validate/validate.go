// Package validate proves tasks: it makes each target's image, runs the tests on
// base and on gold several times, and stores every run and every test's outcome.
// Which tests are F2P or P2P is said by the view test_transitions over these rows.
//
// What the base and gold trees are is assemble's; how tests are run is
// pipeline/testrun's; which tasks make a release is balance's.
package validate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/testrun"
	"github.com/wideswe/wideswe/pipeline/workspace"
	"github.com/wideswe/wideswe/schema"
)

// Trees gives repositories' trees without history.
type Trees interface {
	// Snapshot writes owner/name at a commit as tar.
	Snapshot(ctx context.Context, repository, commit string, w io.Writer) error
}

// Stage is the stage validate.
type Stage struct {
	DB     pipeline.DB
	Trees  Trees
	Runner *testrun.Runner
	// Recipe gives what a person set for a repository's recipe at the date of its base
	// commit, the parts in order; nil is none.
	Recipe func(repository string, base time.Time) ([]schema.RecipePart, error)
	// Released says when the commit was made that a version of a repository's package
	// came from; nil knows of none.
	Released func(ctx context.Context, repository, version string) (made time.Time, known bool, err error)
	// Options hold Repeats, 0 for the default; Stress: see the table stress_runs, a task that
	// was under it once stays so; and Workers, where 0 is as many tasks as the machine's CPUs
	// let run, and at least two, since not all of a task's work is running tests.
	Options
	// BaseLimit makes of gold's time how long tests may hang on base; the zero value is
	// [DefaultBaseLimit].
	BaseLimit schema.TimeLimit
	// Versions are those of languages and report formats; the zero value is the program's own.
	Versions testrun.Versions
	// Built, which may be nil, is called after images were built.
	Built func(context.Context) error
	// Logs is the folder of run and build logs.
	Logs string
	// TempDir holds the trees while a task is worked on; empty is the system's.
	TempDir string

	board *board
}

// DefaultBaseLimit is twice as patient as [schema.DefaultTimeLimit], which an
// evaluation goes by: what hangs here would hang there.
var DefaultBaseLimit = schema.TimeLimit{Factor: 10, Floor: 240}

// Name implements [pipeline.Stage].
func (s Stage) Name() string { return "validate" }

// Version implements [pipeline.Stage]. It covers what all tasks share; the languages
// and report formats of a task are in its input.
func (s Stage) Version() string { return stageRules + testrun.RuleVersion }

// stageRules are this stage's own rules.
const stageRules = "3."

// task is one item.
type task struct {
	ID      string
	Prompt  string   `json:"-"` // it decides no run: a better word in it must not cost them all
	Targets []target // by name
	stood   *[]baseImage
	stress  bool
	told    *[]string // the names of tests that the prompt says, once they are known
	recipes *recipes  // of its targets, once they are known
}

type target struct {
	Repository string
	Base, Gold string // commits
	GoldTree   string
	BaseTime   time.Time
	Hidden     []string
	Over       []schema.RecipePart // a person's parts of the recipe
	Patches    []string            // digests of gold patch and layers, in order
	Changed    []string            `json:"-"` // files of gold; the patches say the same
	input      string              // digest of what is validated, of the view task_inputs
	gold       [][]byte
	layers     []workspace.Layer
}

// relocations are those that the person's parts of the recipe ask for; no toolchain
// detects one.
func (x target) relocations() []schema.Relocation { return schema.Recipe{}.Lay(x.Over...).Relocate }

// placed are the hidden files where they lie in the trees.
func (x target) placed() []string { return schema.Recipe{}.Lay(x.Over...).Placed(x.Hidden) }

// Plan implements [pipeline.Planner].
func (s Stage) Plan(ctx context.Context) ([]pipeline.Ref, error) {
	items, err := s.items(ctx)
	return pipeline.Refs(items), err
}

// Run implements [pipeline.Stage].
func (s Stage) Run(ctx context.Context, run *pipeline.Run) error {
	if err := s.lockBases(ctx); err != nil {
		return err
	}
	items, err := s.items(ctx)
	if err != nil {
		return err
	}
	defer func(n int) { run.Workers = n }(run.Workers)
	run.Workers = s.workers(run.Workers)
	if s.Runner.Budget == nil {
		s.Runner.Budget = testrun.MachineBudget(s.Runner.Backend)
	}
	s.board = &board{show: run.Describe}
	return pipeline.Each(ctx, run, s, items, func(ctx context.Context, t task) (pipeline.Write, error) {
		w, err := s.validate(ctx, run, t)
		if errors.Is(err, syscall.ENOSPC) {
			return nil, pipeline.Need("the disk is full (%v): free some space, or set TMPDIR to a folder on another disk, and "+
				"run again", err)
		}
		return w, err
	}, func(id string) pipeline.Write { return write(id, rows{}) })
}

// workers is how many tasks are worked on at once, where the command says at most so many.
func (s Stage) workers(most int) int {
	if s.Workers > 0 {
		return s.Workers
	}
	return min(max(most, 1), max(2, int(float64(runtime.NumCPU())/s.Runner.Limits.Defaults().CPUs)))
}

func (s Stage) repeats() int {
	if s.Repeats > 0 {
		return s.Repeats
	}
	return defaults.Repeats
}

func (s Stage) items(ctx context.Context) ([]pipeline.Item[task], error) {
	tasks, err := s.readTasks(ctx)
	if err != nil {
		return nil, err
	}
	bases, err := s.bases(ctx)
	if err != nil {
		return nil, err
	}
	stressed, err := s.stressed(ctx)
	if err != nil {
		return nil, err
	}
	tests, err := s.goldTests(ctx)
	if err != nil {
		return nil, err
	}
	stored, err := s.recipes(ctx)
	if err != nil {
		return nil, err
	}
	items := make([]pipeline.Item[task], len(tasks))
	for i, t := range tasks {
		hash := func(stood []baseImage, told []string, known recipes) string {
			of := []any{t, s.Runner.Limits.Defaults(), stood, s.Runner.Backend.Name(), s.repeats()}
			if t.stress {
				of = append(of, "stress")
			}
			if len(told) > 0 {
				of = append(of, "told", told)
			}
			if rules := s.rules(known.of(t)...); rules != s.Version() {
				of = append(of, "rules", rules)
			}
			return pipeline.Hash(of...)
		}
		t.stress = s.Stress || stressed[t.ID]
		t.stood, t.told, t.recipes = new([]baseImage), new([]string), &recipes{}
		items[i] = pipeline.Item[task]{ID: t.ID, Value: t, Hash: hash(bases[t.ID], promptNames(t.Prompt, tests[t.ID]),
			stored[t.ID]),
			Settle: func() string { return hash(*t.stood, *t.told, *t.recipes) }}
	}
	return items, nil
}

// readTasks reads the assembled tasks with the digests of their patches.
func (s Stage) readTasks(ctx context.Context) ([]task, error) {
	rows, err := s.DB.Query(ctx, `SELECT t.task_id, t.repository, t.base_commit, t.gold_commit, t.gold_tree, t.base_time, l.prompt, t.hidden_files, t.gold_files,
			(SELECT list(p.kind || ' ' || p.layer || ' ' || p.name || ' ' || p.sha256 ORDER BY p.kind, p.layer, p.name)
				FROM task_patches p WHERE p.task_id = t.task_id AND p.repository = t.repository) AS patches, i.input
		FROM task_targets t JOIN task_list l USING (task_id) JOIN task_inputs i ON i.task_id = t.task_id AND i.repository = t.repository
		ORDER BY t.task_id, t.repository`)
	if err != nil {
		return nil, err
	}
	type row struct {
		task, prompt string
		target
		hidden, changed, patches pipeline.List
	}
	list, err := pipeline.Scan(rows, func(r *row) []any {
		return []any{&r.task, &r.Repository, &r.Base, &r.Gold, &r.GoldTree, &r.BaseTime, &r.prompt, &r.hidden, &r.changed,
			&r.patches, &r.input}
	})
	if err != nil {
		return nil, fmt.Errorf("reading tasks: %w", err)
	}
	var tasks []task
	for _, r := range list {
		if len(tasks) == 0 || tasks[len(tasks)-1].ID != r.task {
			tasks = append(tasks, task{ID: r.task, Prompt: r.prompt})
		}
		r.Hidden, r.Changed, r.Patches = r.hidden, r.changed, r.patches
		if s.Recipe != nil {
			if r.Over, err = s.Recipe(r.Repository, r.BaseTime.UTC()); err != nil {
				return nil, fmt.Errorf("reading the recipe of %s: %w", r.Repository, err)
			}
		}
		t := &tasks[len(tasks)-1]
		t.Targets = append(t.Targets, r.target)
	}
	return tasks, nil
}

// readPatches reads the patches of a task.
func (s Stage) readPatches(ctx context.Context, t *task) error {
	rows, err := s.DB.Query(ctx, `SELECT repository, kind, name, patch FROM task_patches WHERE task_id = ?
		ORDER BY repository, kind, layer, name`, t.ID)
	if err != nil {
		return err
	}
	type row struct {
		repository, kind, name string
		patch                  []byte
	}
	list, err := pipeline.Scan(rows, func(r *row) []any { return []any{&r.repository, &r.kind, &r.name, &r.patch} })
	if err != nil {
		return fmt.Errorf("reading patches: %w", err)
	}
	for _, r := range list {
		i := slices.IndexFunc(t.Targets, func(x target) bool { return x.Repository == r.repository })
		switch {
		case i < 0:
			return fmt.Errorf("task %s has a patch for %s, which is no target of it", t.ID, r.repository)
		case r.kind == "gold":
			t.Targets[i].gold = append(t.Targets[i].gold, r.patch)
		default:
			t.Targets[i].layers = append(t.Targets[i].layers, workspace.Layer{Name: r.name, Patch: r.patch})
		}
	}
	return nil
}

// rows is what a task leaves in the tables.
type rows struct {
	bases, images, runs, outcomes, leaks, stressRuns, stressed, ownRuns, passedBefore [][]any
	// journal names the kept runs that stay: stress may be asked for later, and they
	// are its repeats then.
	journal []string
}

// write replaces a task's rows.
func write(id string, r rows) pipeline.Write {
	return func(ctx context.Context, tx pipeline.Tx) error {
		if err := tx.Exec(ctx, "DELETE FROM run_journal WHERE task_id = ? AND NOT list_contains(string_split(?, ' '), "+
			"run_key)", id, strings.Join(r.journal, " ")); err != nil {
			return err
		}
		for _, t := range []struct {
			name string
			rows [][]any
		}{{"task_bases", r.bases}, {"task_images", r.images}, {"test_runs", r.runs}, {"test_outcomes", r.outcomes},
			{"task_leaks", r.leaks},
			{"stress_runs", r.stressRuns}, {"stress_outcomes", r.stressed}, {"own_test_runs", r.ownRuns}, {"passed_before",
				r.passedBefore}} {
			if err := tx.Exec(ctx, "DELETE FROM "+t.name+" WHERE task_id = ?", id); err != nil {
				return err
			}
			if err := tx.Append(ctx, t.name, t.rows); err != nil {
				return err
			}
		}
		return nil
	}
}

func jsonText(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("marshalling %T: %v", v, err)) // our own plain types
	}
	return string(b)
}
