package bench

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/store"
	"github.com/wideswe/wideswe/pipeline/testrun"
	"github.com/wideswe/wideswe/schema"
	"github.com/wideswe/wideswe/stages/validate"
	"golang.org/x/sync/errgroup"
)

// validation is a stage over the bench's tasks.
type validation struct {
	v     *dockerFigures
	db    *store.DB
	stage validate.Stage
}

func (v *dockerFigures) validation(ctx context.Context, work string) (*validation, error) {
	works := make([]string, v.tasks)
	for i := range works {
		works[i] = work
	}
	db, err := newTasks(ctx, works)
	if err != nil {
		return nil, err
	}
	return &validation{v: v, db: db, stage: validate.Stage{DB: db, Trees: snapshots(baseTree(v.salt)),
		Options: validate.Options{Repeats: 1}, Logs: filepath.Join(v.dir, "logs"), TempDir: v.dir,
		Recipe: func(string, time.Time) ([]schema.RecipePart, error) {
			return []schema.RecipePart{{Recipe: newRecipe(v.image)}}, nil
		}}}, nil
}

// run validates every task anew, and says how long it took and which layers of
// images were found and built.
func (x *validation) run(ctx context.Context, workers int) (seconds float64, cached, built int64, err error) {
	x.stage.Runner, x.stage.Workers = x.v.runner(), workers
	x.stage.Runner.Budget = testrun.MachineBudget(x.v.d)
	run := &pipeline.Run{Ledger: x.db, Log: x.v.env.Log(), Workers: workers, Redo: true, Out: &bytes.Buffer{}}
	seconds, err = timed(func() error { return pipeline.Execute(ctx, x.stage, run) })
	if err == nil && run.Counts.Done != x.v.tasks {
		err = fmt.Errorf("%d of %d tasks were validated: %w", run.Counts.Done, x.v.tasks, x.why(ctx))
	}
	cached, built = x.stage.Runner.LayerCounts()
	return seconds, cached, built, errors.Join(err, x.note(ctx))
}

// why gives what tasks ended with.
func (x *validation) why(ctx context.Context) error {
	list, err := pipeline.Column(ctx, x.db, "SELECT DISTINCT status || ' ' || reason FROM outcomes_latest WHERE stage = "+
		"'validate' ORDER BY 1")
	return errors.Join(err, errors.New(fmt.Sprint(list)))
}

// note remembers the images that were made, to remove them.
func (x *validation) note(ctx context.Context) error {
	ids, err := pipeline.Column(ctx, x.db, "SELECT DISTINCT image_id FROM task_images ORDER BY 1")
	for _, id := range ids {
		x.v.images[id] = true
	}
	return err
}

// cache validates tasks of one repository that agree in their manifests, twice.
func (v *dockerFigures) cache(ctx context.Context) error {
	v.salt += "c" // none of their images is there yet
	x, err := v.validation(ctx, ":")
	if err != nil {
		return err
	}
	defer x.db.Close()
	figure := map[string]any{"figure": "images found rather than built", "tasks": v.tasks,
		"target": "a second validation builds none"}
	for _, name := range []string{"first", "second"} {
		seconds, cached, built, err := x.run(ctx, 1)
		if err != nil {
			return err
		}
		figure[name+"_seconds"], figure[name+"_found"], figure[name+"_built"] = seconds, cached, built
		figure[name+"_hit_rate"] = float64(cached) / float64(max(1, cached+built))
	}
	return printFigure(v.env, figure)
}

// workers holds two workers against one, and two containers of Docker alone against
// one after the other: what the machine itself has no second core for, no runner finds.
func (v *dockerFigures) workers(ctx context.Context) error {
	for _, w := range []struct {
		name, work, target string
	}{
		{"two workers against one, tests that sleep", sleeping(v.seconds), "ratio at least 1.8"},
		{"two workers against one, tests that compute", computing(v.loops), "ratio at least 1.6"},
	} {
		x, err := v.validation(ctx, w.work)
		if err != nil {
			return err
		}
		figure, err := x.workers(ctx, w.work)
		_ = x.db.Close()
		if err != nil {
			return err
		}
		figure["figure"], figure["target"] = w.name, w.target
		if err := printFigure(v.env, figure); err != nil {
			return err
		}
	}
	return nil
}

func (x *validation) workers(ctx context.Context, work string) (map[string]any, error) {
	if _, _, _, err := x.run(ctx, 2); err != nil { // the image is made
		return nil, err
	}
	took := map[string][]float64{}
	for round := range x.v.rounds {
		for _, workers := range [][]int{{1, 2}, {2, 1}}[round%2] { // in turns: what a machine does besides comes and goes
			name := []string{1: "one", 2: "two"}[workers]
			seconds, _, _, err := x.run(ctx, workers)
			if err != nil {
				return nil, err
			}
			took[name] = append(took[name], seconds)
			if seconds, err = timed(func() error { return x.v.bare(ctx, work, workers) }); err != nil {
				return nil, err
			}
			took["docker_"+name] = append(took["docker_"+name], seconds)
		}
	}
	figure := map[string]any{"beside": "docker run of the same tests, two at once against one", "tasks": x.v.tasks,
		"runs": 2 * x.v.tasks, "rounds": x.v.rounds,
		"cpus_a_run": x.v.cpus, "load": loadAverage(), "ratio": median(ratios(took["one"], took["two"])),
		"docker_ratio": median(ratios(took["docker_one"], took["docker_two"]))}
	for name, list := range took {
		figure[name+"_seconds"] = median(list)
	}
	return figure, nil
}

// bare runs what the tasks' tests do as plain containers, so many at once.
func (v *dockerFigures) bare(ctx context.Context, work string, at int) error {
	base, err := v.runner().Base(ctx, v.image)
	if err != nil {
		return err
	}
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(at)
	for range 2 * v.tasks {
		g.Go(func() error { return v.docker(ctx, base.ID, work) })
	}
	return g.Wait()
}

// loadAverage says how busy the machine was: figures of a busy one are worth little.
func loadAverage() string {
	b, _ := os.ReadFile("/proc/loadavg")
	one, _, _ := bytes.Cut(b, []byte(" "))
	return string(one)
}
