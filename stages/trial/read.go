package trial

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/testrun"
	"github.com/wideswe/wideswe/schema"
)

// readAssembled reads the targets of the task and finds what validate will run.
func (a *attempt) readAssembled(ctx context.Context, db pipeline.Queryer) error {
	rows, err := db.Query(ctx, `SELECT repository, array_to_string(pulls, ' '), base_commit, gold_commit, gold_tree, hidden_files,
		base_time FROM task_targets ORDER BY repository`)
	if err != nil {
		return err
	}
	type row struct {
		Target
		pulls, tree string
		hidden      pipeline.List
	}
	list, err := pipeline.Scan(rows, func(r *row) []any {
		return []any{&r.Repository, &r.pulls, &r.Commit, &r.Gold, &r.tree, &r.hidden, &r.base}
	})
	if err != nil {
		return err
	}
	for _, r := range list {
		t := r.Target
		t.base, t.TestFiles = t.base.UTC(), r.hidden
		if t.Pulls, err = numbers(r.pulls); err != nil {
			return err
		}
		err := a.detectAt(ctx, r.tree, &t)
		a.found.Targets = append(a.found.Targets, t)
		if err != nil {
			return err
		}
	}
	return nil
}

func numbers(text string) (list []int, err error) {
	for word := range strings.FieldsSeq(text) {
		var n int
		if _, err := fmt.Sscan(word, &n); err != nil {
			return nil, err
		}
		list = append(list, n)
	}
	return list, nil
}

// detectAt finds the recipe and the selection of a tree in the repository's mirror.
func (a *attempt) detectAt(ctx context.Context, treeish string, t *Target) error {
	repo, err := a.Mirrors.Mirror(ctx, t.Repository)
	if err != nil {
		return err
	}
	tree, err := newCommitTree(ctx, repo, treeish)
	if err != nil {
		return fmt.Errorf("reading the gold tree of %s: %w", t.Repository, err)
	}
	return a.detect(tree, t)
}

// readValidated reads what validate left, complete or not.
func (a *attempt) readValidated(ctx context.Context, db pipeline.Queryer) error {
	for i := range a.found.Targets {
		t := &a.found.Targets[i]
		err := errors.Join(a.readImage(ctx, db, t), a.readRuns(ctx, db, t), readClasses(ctx, db, t), readStress(ctx, db, t))
		if err != nil {
			return err
		}
	}
	return nil
}

func (a *attempt) readImage(ctx context.Context, db pipeline.Queryer, t *Target) error {
	rows, err := db.Query(ctx, "SELECT image, image_id, base_image, seconds, recipe FROM task_images WHERE repository = ?",
		t.Repository)
	if err != nil {
		return err
	}
	type row struct {
		Image
		id, recipe string
	}
	list, err := pipeline.Scan(rows, func(r *row) []any {
		return []any{&r.Name, &r.id, &r.Base, &r.Seconds, &r.recipe}
	})
	if err != nil || len(list) == 0 {
		return err
	}
	r := list[0]
	r.MB = imageMB(ctx, a.Runner.Backend, r.id)
	t.Image = &r.Image
	// The recipe that ran replaces the one that was foreseen.
	return json.Unmarshal([]byte(r.recipe), &t.Recipe)
}

func (a *attempt) readRuns(ctx context.Context, db pipeline.Queryer, t *Target) error {
	rows, err := db.Query(ctx, `SELECT state, repeat, attempt, status, seconds,
			(SELECT count(*) FROM test_outcomes o WHERE o.run_id = r.run_id), log
		FROM test_runs r WHERE repository = ? ORDER BY repeat, state DESC, attempt`, t.Repository)
	if err != nil {
		return err
	}
	type row struct {
		Run
		log string
	}
	list, err := pipeline.Scan(rows, func(r *row) []any {
		return []any{&r.State, &r.Repeat, &r.Attempt, &r.Status, &r.Seconds, &r.Tests, &r.log}
	})
	for _, r := range list {
		if r.Status != string(testrun.OK) {
			r.Detail = secondLine(filepath.Join(a.found.Logs, r.log))
		}
		t.Runs = append(t.Runs, r.Run)
		t.Seconds += r.Seconds
	}
	return err
}

// secondLine returns the second line of a run's log, which is the reason of its status.
func secondLine(log string) string {
	f, err := os.Open(log)
	if err != nil {
		return ""
	}
	defer f.Close()
	head, _ := io.ReadAll(io.LimitReader(f, 4096))
	_, rest, _ := strings.Cut(string(head), "\n")
	line, _, _ := strings.Cut(rest, "\n")
	return line
}

func readClasses(ctx context.Context, db pipeline.Queryer, t *Target) error {
	rows, err := db.Query(ctx, "SELECT test_id, class, missing_on_base, passed_before FROM test_transitions WHERE "+
		"repository = ? ORDER BY test_id",
		t.Repository)
	if err != nil {
		return err
	}
	type row struct {
		id, class       string
		missing, before bool
	}
	list, err := pipeline.Scan(rows, func(r *row) []any { return []any{&r.id, &r.class, &r.missing, &r.before} })
	t.Tests = map[string][]string{}
	for _, r := range list {
		t.Tests[r.class] = append(t.Tests[r.class], r.id)
		if r.missing && r.class == string(schema.F2P) {
			t.MissingOnBase++
		}
		if r.before && r.class == string(schema.F2P) {
			t.PassedBefore++
		}
	}
	return err
}
