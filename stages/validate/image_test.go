package validate_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/sandbox"
	"github.com/wideswe/wideswe/stages/validate"
)

// imageless is a backend whose first base images are not to be had.
type imageless struct {
	sandbox.Backend
	errs []error
}

func (b *imageless) ImageID(ctx context.Context, name string) (string, error) {
	if strings.HasPrefix(name, "wideswe/") {
		return "", &sandbox.MissingImageError{Name: name} // none was made here
	}
	if len(b.errs) == 0 {
		return b.Backend.ImageID(ctx, name)
	}
	err := b.errs[0]
	b.errs = b.errs[1:]
	return "", err
}

// twoTasks has a second task that is the first again, and a backend as it is given.
func twoTasks(t *testing.T, errs ...error) (validate.Stage, *pipeline.Run, func(string) []string) {
	t.Helper()
	tr, changes := fixture()
	db := open(t, changes)
	err := db.InTx(t.Context(), func(ctx context.Context, tx pipeline.Tx) error {
		for _, table := range []string{"task_list", "task_targets", "task_patches"} {
			if err := tx.Exec(ctx, "INSERT INTO "+table+" SELECT * REPLACE ('t2' AS task_id) FROM "+table); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	s := stage(t, db, tr)
	s.Repeats = 1
	s.Runner.Backend = &imageless{s.Runner.Backend, errs}
	return s, &pipeline.Run{Ledger: db, Workers: 1}, func(q string) []string { return query(t, db, q) }
}

const ends = "SELECT item || ' ' || status || ' ' || reason FROM outcomes_latest WHERE stage = 'validate' ORDER BY 1"

// A base image is a matter of one recipe: the other tasks go on.
func TestValidateGoesOnWithoutABaseImage(t *testing.T) {
	s, run, ask := twoTasks(t, &sandbox.MissingImageError{Name: "acme/own:1"})
	var failed *pipeline.FailedItems
	if err := pipeline.Execute(t.Context(), s, run); !errors.As(err, &failed) || failed.Count != 1 {
		t.Errorf("got %v, want one failed item", err)
	}
	got := ask(ends)
	if len(got) != 2 || !strings.HasPrefix(got[0], "t1 failed ") || !strings.Contains(got[0],
		"Docker has no image acme/own:1") || got[1] != "t2 done " {
		t.Errorf("got %q", got)
	}
	run.Counts = pipeline.Counts{}
	if err := pipeline.Execute(t.Context(), s, run); err != nil || run.Counts.Done != 1 || run.Counts.Unchanged != 1 {
		t.Errorf("with the image: %+v, %v", run.Counts, err)
	}
}

func TestValidateStopsWithoutAnEngine(t *testing.T) {
	s, run, ask := twoTasks(t, &sandbox.InfraError{Op: "x", Err: errors.New("y"), Need: "Docker does not answer"})
	var need *pipeline.NeedError
	if err := pipeline.Execute(t.Context(), s, run); !errors.As(err, &need) {
		t.Errorf("got %v, want what is needed", err)
	}
	if d := cmp.Diff([]string(nil), ask(ends)); d != "" {
		t.Error(d)
	}
}
