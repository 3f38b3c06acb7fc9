package validate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/sandbox"
)

// baseImage is a base image that a task's result came from. Which ones a task has is
// known only once its trees were looked at, so they are stored with its result and
// belong to its input from then on.
type baseImage struct{ Image, Pin string }

// bases reads what each task stood on, with the content that the names are locked to
// now: where that is another, the task is validated again.
func (s Stage) bases(ctx context.Context) (map[string][]baseImage, error) {
	list, err := s.DB.Query(ctx, "SELECT task_id, image, pin FROM task_bases ORDER BY task_id, image")
	if err != nil {
		return nil, err
	}
	type row struct {
		task string
		baseImage
	}
	rows, err := pipeline.Scan(list, func(r *row) []any { return []any{&r.task, &r.Image, &r.Pin} })
	if err != nil {
		return nil, fmt.Errorf("reading base images: %w", err)
	}
	of := map[string][]baseImage{}
	for _, r := range rows {
		now, err := s.Runner.LockedPin(r.Image)
		if err != nil {
			return nil, err
		}
		// Without a lock's word it is taken to be what it was.
		of[r.task] = append(of[r.task], baseImage{r.Image, cmp.Or(now, r.Pin)})
	}
	return of, nil
}

// lockBases asks for the base images of earlier results whose line in the lock was
// deleted or is to be renewed.
func (s Stage) lockBases(ctx context.Context) error {
	if s.Runner.Lock == nil {
		return nil
	}
	list, err := s.DB.Query(ctx, "SELECT DISTINCT image FROM task_bases ORDER BY image")
	if err != nil {
		return err
	}
	names, err := pipeline.Scan[string](list, nil)
	if err != nil {
		return fmt.Errorf("reading base images: %w", err)
	}
	for _, name := range names {
		if pin, err := s.Runner.LockedPin(name); err != nil || pin != "" {
			if err != nil {
				return err
			}
			continue
		}
		var missing *sandbox.MissingImageError
		// What is missing is said by the tasks that need it.
		if _, err := s.Runner.Base(ctx, name); err != nil && !errors.As(err, &missing) {
			return err
		}
	}
	return nil
}

// stands notes a base image under the task's result.
func (w *work) stands(image, pin string) {
	b := baseImage{image, pin}
	if pin == "" || slices.Contains(*w.t.stood, b) {
		return
	}
	*w.t.stood = append(*w.t.stood, b)
	slices.SortFunc(*w.t.stood, func(a, b baseImage) int {
		return cmp.Or(cmp.Compare(a.Image, b.Image), cmp.Compare(a.Pin,
			b.Pin))
	})
	w.rows.bases = append(w.rows.bases, []any{w.t.ID, image, pin})
}
