package recipe

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/store"
	"github.com/wideswe/wideswe/pipeline/testrun"
	"github.com/wideswe/wideswe/schema"
	"github.com/wideswe/wideswe/stages/assemble"
	"github.com/wideswe/wideswe/stages/export"
	"github.com/wideswe/wideswe/stages/validate"
)

// pulls makes a throwaway task of crawled pulls, in a database in memory, and
// brings it through assemble and validate.
func (t *try) pulls(ctx context.Context, names []string) error {
	begun := time.Now()
	db, err := store.Open(ctx, "", store.Options{})
	if err != nil {
		return err
	}
	t.a.Defer(func() { _ = db.Close() })
	candidate, err := t.copyPulls(ctx, db, names)
	if err != nil {
		return err
	}
	if _, err := t.logs(candidate); err != nil {
		return err
	}
	err = t.throwaway(ctx, db, candidate)
	t.found.Seconds = time.Since(begun).Seconds()
	if reason, skip := pipeline.SkipReason(err); skip {
		t.found.Reason = reason + t.found.badGold()
		return nil
	}
	t.found.Works = err == nil
	return err
}

// badGold tells of the first run of gold that did not come to its end: that, and not
// the tests, is why nothing passes.
func (f finding) badGold() string {
	for _, x := range f.Targets {
		for _, r := range x.Runs {
			if r.State == "gold" && r.Status != string(testrun.OK) {
				return fmt.Sprintf("; %s of %s: %s: %s", r.name(), x.Repository, r.Status, r.Detail)
			}
		}
	}
	return ""
}

// triedPull is a pull of the curator's database.
type triedPull struct {
	repositoryID int64
	repository   string
	number       int
	ecosystem    string
	merged       bool
}

// copyPulls makes one accepted candidate of the pulls and gives its id. What
// assemble reads of them is copied; that inspect would let them pass is taken as
// given.
func (t *try) copyPulls(ctx context.Context, db *store.DB, names []string) (string, error) {
	from, err := t.a.ReadDatabase(ctx, t.cur)
	if err != nil {
		return "", err
	}
	var pulls []triedPull
	for _, name := range names {
		p, err := findPull(ctx, from, name)
		if err != nil {
			return "", err
		}
		if !slices.Contains(pulls, p) {
			pulls = append(pulls, p)
		}
	}
	id := "try-" + pipeline.Hash(names)[:12]
	return id, db.InTx(ctx, func(ctx context.Context, tx pipeline.Tx) error {
		for _, p := range pulls {
			if err := p.copy(ctx, from, tx); err != nil {
				return fmt.Errorf("copying %s: %w", schema.PullName(p.repository, p.number), err)
			}
		}
		return candidateRows(ctx, tx, id, pulls)
	})
}

func findPull(ctx context.Context, db pipeline.Queryer, name string) (p triedPull, err error) {
	repository, number, err := schema.ParsePullName(name)
	if err != nil {
		return p, pipeline.Usage("%v", err)
	}
	rows, err := db.Query(ctx, `SELECT repository_id, repository, number, ecosystem, merged_at IS NOT NULL FROM all_pulls
		WHERE lower(repository) = lower(?) AND number = ?`, repository, number)
	if err != nil {
		return p, err
	}
	list, err := pipeline.Scan(rows, func(p *triedPull) []any {
		return []any{&p.repositoryID, &p.repository, &p.number, &p.ecosystem, &p.merged}
	})
	switch {
	case err != nil:
		return p, err
	case len(list) == 0:
		return p, pipeline.Usage("pull %s is not in the database; wideswe crawl brings the pulls of the ecosystems in wideswe.yaml", name)
	case !list[0].merged:
		return p, pipeline.Usage("pull %s is not merged; there is no gold to try", name)
	}
	return list[0], nil
}

// copy copies what the crawl stored of a pull.
func (p triedPull) copy(ctx context.Context, from pipeline.Queryer, tx pipeline.Tx) error {
	have, err := pipeline.Column(ctx, tx, "SELECT repository FROM repository_versions WHERE repository_id = ?", p.repositoryID)
	if err != nil {
		return err
	}
	if len(have) == 0 {
		if err := copyRows(ctx, from, tx, "repository_versions", "repository_id = ?", p.repositoryID); err != nil {
			return err
		}
	}
	return copyRows(ctx, from, tx, "pull_versions", "repository_id = ? AND number = ?", p.repositoryID, p.number)
}

// copyRows copies rows of a table as they are.
func copyRows(ctx context.Context, from pipeline.Queryer, tx pipeline.Tx, table, where string, args ...any) error {
	rows, err := from.Query(ctx, "SELECT * FROM "+table+" WHERE "+where+" ORDER BY rowid", args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return err
	}
	var list [][]any
	for rows.Next() {
		values, places := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			places[i] = &values[i]
		}
		if err := rows.Scan(places...); err != nil {
			return err
		}
		list = append(list, values)
	}
	if err := rows.Err(); err != nil {
		return err
	}
	return tx.Append(ctx, table, list)
}

// candidateRows are those that group, inspect and review would have left.
func candidateRows(ctx context.Context, tx pipeline.Tx, id string, pulls []triedPull) error {
	var members, facts [][]any
	var repositories []string
	for _, p := range pulls {
		members = append(members, []any{id, p.repositoryID, p.number, ""})
		facts = append(facts, []any{p.repositoryID, p.number, true, 0, true, true, true, true, "", []string{}, []string{}})
		repositories = append(repositories, p.repository)
	}
	slices.Sort(repositories)
	anchor := schema.PullName(pulls[0].repository, pulls[0].number)
	return errors.Join(
		tx.Append(ctx, "candidate_groups", [][]any{{id, pulls[0].ecosystem, anchor, slices.Compact(repositories), len(pulls), 0, 0.0, []string{}, time.Now().UTC()}}),
		tx.Append(ctx, "group_members", members),
		tx.Append(ctx, "pull_facts", facts),
		tx.Append(ctx, "candidate_verdicts", [][]any{{id, "accepted", "", "", "tried"}}))
}

// throwaway runs both stages. The error is a skip where the task did not work out;
// what was found by then is in the finding.
func (t *try) throwaway(ctx context.Context, db *store.DB, candidate string) error {
	temp, remove, err := pipeline.Scratch("", "recipe-test")
	if err != nil {
		return fmt.Errorf("making a temporary folder: %w", err)
	}
	defer remove()
	if err := t.stage(ctx, db, assemble.Stage{DB: db, Mirrors: t.mirrors, Prompts: filepath.Join(temp, "prompts"), Alone: true}); err != nil {
		return err
	}
	if err := t.assembled(ctx, db); err != nil {
		return err
	}
	if err := t.bases(ctx); err != nil {
		return err
	}
	tried := t.stage(ctx, db, validate.Stage{DB: db, Trees: &export.Mirrors{Mirrors: t.mirrors}, Runner: t.runner, Recipe: t.cur.Recipe,
		Repeats: t.repeats(t.cur.Config.Validate.Repeats), Stress: t.flags.stress, Logs: t.found.Logs, TempDir: temp})
	if _, skip := pipeline.SkipReason(tried); tried != nil && !skip {
		return tried
	}
	return errors.Join(t.validated(ctx, db), tried)
}

// bases looks for the recipes' base images: one that is missing is for the person to
// bring, and no finding about the recipe.
func (t *try) bases(ctx context.Context) error {
	for _, f := range t.found.Targets {
		if f.Recipe == nil {
			continue
		}
		if _, err := t.runner.Base(ctx, f.Recipe.Image); err != nil {
			return fmt.Errorf("the image of %s: %w", f.Repository, err)
		}
	}
	return nil
}

func (t *try) repeats(otherwise int) int {
	if t.flags.repeats > 0 {
		return t.flags.repeats
	}
	return otherwise
}

// stage runs one stage over the only item there is and gives its outcome: an
// error with the reason where it is not done.
func (t *try) stage(ctx context.Context, db *store.DB, s pipeline.Stage) error {
	run := &pipeline.Run{Ledger: db, Log: t.a.Log(), Workers: 1, Now: time.Now, Progress: t.a.Progress(), Out: t.a.Err}
	err := pipeline.Execute(ctx, s, run)
	var items *pipeline.FailedItems
	if err != nil && !errors.As(err, &items) {
		return err
	}
	latest, err := db.Latest(ctx, s.Name())
	if err != nil {
		return err
	}
	for _, o := range latest {
		switch o.Status {
		case schema.Skipped:
			return pipeline.Skip("%s", o.Reason)
		case schema.Failed:
			return fmt.Errorf("%s: %s", s.Name(), o.Reason)
		}
	}
	return nil
}

// assembled reads the targets of the task and finds what validate will run.
func (t *try) assembled(ctx context.Context, db *store.DB) error {
	rows, err := db.Query(ctx, `SELECT repository, array_to_string(pulls, ' '), base_commit, gold_commit, gold_tree, hidden_files, base_time
		FROM task_targets ORDER BY repository`)
	if err != nil {
		return err
	}
	type row struct {
		targetFinding
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
		for n := range strings.FieldsSeq(r.pulls) {
			var number int
			if _, err := fmt.Sscan(n, &number); err != nil {
				return err
			}
			r.Pulls = append(r.Pulls, number)
		}
		f := r.targetFinding
		f.base = f.base.UTC()
		f.TestFiles = r.hidden
		err := t.detectAt(ctx, r.tree, &f)
		t.found.Targets = append(t.found.Targets, f)
		if err != nil {
			return err
		}
	}
	return nil
}

func (t *try) detectAt(ctx context.Context, treeish string, f *targetFinding) error {
	repo, err := t.mirrors.Mirror(ctx, f.Repository)
	if err != nil {
		return err
	}
	tree, err := newGitTree(ctx, repo, treeish)
	if err != nil {
		return fmt.Errorf("reading the gold tree of %s: %w", f.Repository, err)
	}
	return t.detect(tree, f)
}

// validated reads what validate left, be it whole or not.
func (t *try) validated(ctx context.Context, db *store.DB) error {
	for i := range t.found.Targets {
		f := &t.found.Targets[i]
		if err := errors.Join(t.readImage(ctx, db, f), t.readRuns(ctx, db, f), readClasses(ctx, db, f), readStress(ctx, db, f)); err != nil {
			return err
		}
	}
	return nil
}

func (t *try) readImage(ctx context.Context, db *store.DB, f *targetFinding) error {
	rows, err := db.Query(ctx, "SELECT image, image_id, base_image, seconds, recipe FROM task_images WHERE repository = ?", f.Repository)
	if err != nil {
		return err
	}
	type row struct {
		imageFinding
		id, recipe string
	}
	list, err := pipeline.Scan(rows, func(r *row) []any { return []any{&r.Name, &r.id, &r.Base, &r.Seconds, &r.recipe} })
	if err != nil || len(list) == 0 {
		return err
	}
	r := list[0]
	r.MB = sizeOf(ctx, t.runner.Backend, r.id)
	f.Image = &r.imageFinding
	// What ran is told, not what was foreseen.
	return json.Unmarshal([]byte(r.recipe), &f.Recipe)
}

func (t *try) readRuns(ctx context.Context, db *store.DB, f *targetFinding) error {
	rows, err := db.Query(ctx, `SELECT state, repeat, attempt, status, seconds,
			(SELECT count(*) FROM test_outcomes o WHERE o.run_id = r.run_id), log
		FROM test_runs r WHERE repository = ? ORDER BY repeat, state DESC, attempt`, f.Repository)
	if err != nil {
		return err
	}
	type row struct {
		runFinding
		log string
	}
	list, err := pipeline.Scan(rows, func(r *row) []any {
		return []any{&r.State, &r.Repeat, &r.Attempt, &r.Status, &r.Seconds, &r.Tests, &r.log}
	})
	for _, r := range list {
		if r.Status != string(testrun.OK) {
			r.Detail = secondLine(filepath.Join(t.found.Logs, r.log))
		}
		f.Runs = append(f.Runs, r.runFinding)
		f.Seconds += r.Seconds
	}
	return err
}

// secondLine of a run's log is the reason of its status.
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

func readClasses(ctx context.Context, db *store.DB, f *targetFinding) error {
	rows, err := db.Query(ctx, "SELECT test_id, class, missing_on_base FROM test_transitions WHERE repository = ? ORDER BY test_id", f.Repository)
	if err != nil {
		return err
	}
	type row struct {
		id, class string
		missing   bool
	}
	list, err := pipeline.Scan(rows, func(r *row) []any { return []any{&r.id, &r.class, &r.missing} })
	f.Tests = map[string][]string{}
	for _, r := range list {
		f.Tests[r.class] = append(f.Tests[r.class], r.id)
		if r.missing && r.class == string(schema.F2P) {
			f.MissingOnBase++
		}
	}
	return err
}
