package validate

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"time"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/testrun"
	"github.com/wideswe/wideswe/schema"
)

// journal keeps the runs of one target in one state and repeat as they end. A task
// is one item whose rows come whole, at its end; until then its runs lie in the table
// run_journal under a key of everything that decides them. A run that is asked for
// again, after an interrupt or a kill, is read there instead of being made. Those of a
// task that was not put under stress stay, so that stress alone runs when it is asked for.
type journal struct {
	w      *work
	x      target
	state  string
	repeat int
	key    string
}

// journal makes the journal of a request; the trees are told by the task's commits
// and patches.
func (w *work) journal(x target, state string, repeat int, q testrun.Request) *journal {
	recipe := q.Recipe
	recipe.Why = nil // reasons decide nothing
	return &journal{w, x, state, repeat, pipeline.Hash(w.s.rules(recipe), w.t, x.Repository, state, repeat, q.Image,
		recipe, q.Selection,
		q.Expected, q.HangAfter, w.s.Runner.Limits.Defaults(), w.s.Runner.Backend.Name(), w.platform)}
}

// Kept implements [testrun.Journal].
func (j *journal) Kept(ctx context.Context, n int, skip, only []string) (a testrun.Attempt, found bool, err error) {
	key := j.runKey(n, skip, only)
	list, err := j.w.s.DB.Query(ctx, "SELECT run FROM run_journal WHERE task_id = ? AND run_key = ? ORDER BY kept_at "+
		"DESC LIMIT 1", j.w.t.ID, key)
	if err != nil {
		return a, false, err
	}
	texts, err := pipeline.Scan[string](list, nil)
	if err != nil || len(texts) == 0 {
		return a, false, err
	}
	if err := json.Unmarshal([]byte(texts[0]), &a); err != nil {
		return a, false, fmt.Errorf("reading a kept run: %w", err)
	}
	j.note(key)
	j.w.log.Info("this run stands from before", "repo", j.x.Repository, "state", j.state, "repeat", j.repeat, "run", n)
	return a, true, nil
}

// Keep implements [testrun.Journal]: the log first, so that no kept run lacks its own.
func (j *journal) Keep(ctx context.Context, n int, a testrun.Attempt) error {
	if err := j.w.s.keepRun(j.w.logName(j.x, j.state, j.repeat, n), a); err != nil {
		return err
	}
	key := j.runKey(n, a.Skip, a.Only)
	j.note(key)
	row := []any{j.w.t.ID, key, jsonText(a), time.Now().UTC()}
	return j.w.s.DB.InTx(ctx, func(ctx context.Context, tx pipeline.Tx) error {
		return tx.Append(ctx, "run_journal",
			[][]any{row})
	})
}

// note keeps a run past the task's end.
func (j *journal) note(key string) {
	if !j.w.t.stress {
		j.w.rows.journal = append(j.w.rows.journal, key)
	}
}

func (j *journal) runKey(n int, skip, only []string) string {
	return pipeline.Hash(j.key, n, append([]string{}, skip...), append([]string{}, only...))
}

func (w *work) logName(x target, state string, repeat, attempt int) string {
	return filepath.Join("validate", w.t.ID, schema.FileName(x.Repository), fmt.Sprintf("%s-%d-%d.log", state, repeat,
		attempt))
}

// forget drops the kept runs of a task that is to be made anew.
func (s Stage) forget(ctx context.Context, id string) error {
	return s.DB.InTx(ctx, func(ctx context.Context, tx pipeline.Tx) error {
		return tx.Exec(ctx, "DELETE FROM run_journal WHERE task_id = ?", id)
	})
}
