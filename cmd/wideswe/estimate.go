package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/release"
	"github.com/wideswe/wideswe/pipeline/sandbox/docker"
	"github.com/wideswe/wideswe/schema"
	"github.com/wideswe/wideswe/stages/evaluate/predictions"
)

// What an evaluation costs beside the tests, as bench evaluate shows it.
const (
	runSeconds  = 1.0 // of each run
	treeCopies  = 4   // of a task's trees while it is under way: clean, base, gold, and the prediction's
	packedToRaw = 4   // a tree against its packed form, roughly
)

// estimate is what an evaluation will take.
type estimate struct {
	Tasks       int `json:"tasks"`
	Targets     int `json:"targets"`
	Predictions int `json:"predictions"`
	// Repeated are predictions with the patches of another one: they cost nothing.
	Repeated int `json:"repeated"`
	// Containers are test runs; with --guard on a patch that changes runner
	// configuration runs twice, so there may be as many again.
	Containers    int     `json:"containers"`
	MostContainer int     `json:"containers_at_most"`
	Workers       int     `json:"workers"`
	Hours         float64 `json:"hours"`
	MostHours     float64 `json:"hours_at_most"` // every run meets its time limit
	// TestsUnmeasured are targets whose gold run took a time that nobody noted.
	TestsUnmeasured int   `json:"targets_without_time"`
	Images          int   `json:"images"`
	ImagesHere      int   `json:"images_here"`
	ImagesKnown     bool  `json:"images_known"` // an engine was asked
	ImageBytes      int64 `json:"image_bytes"`  // of those here, at most: layers that they share count again
	ArchiveBytes    int64 `json:"archive_bytes"`
	// Pushed says that the release names a registry that has its images.
	Pushed         bool  `json:"images_pushed"`
	SourceBytes    int64 `json:"source_bytes"` // packed
	MissingSources int   `json:"missing_sources"`
	TreeBytes      int64 `json:"tree_bytes"` // while workers are under way, roughly
}

type estimateFlags struct {
	release, predictions, mode string
	agents, attempts, workers  int
	tasks                      []string
	set                        string
	asJSON                     bool
}

func (a *app) estimateCommand() *cobra.Command {
	var f estimateFlags
	c := &cobra.Command{
		Use: "estimate --release RELEASE", Args: cobra.NoArgs,
		Short: "Say what an evaluation will take, before it starts: runs, hours, disk",
		Long: `estimate says what evaluating predictions on a release will take: from the times that its gold
runs took when it was validated, its packed trees, and the images that the engine here has.
Without --predictions it is for so many agents that answer every task.`,
		Example: `  wideswe estimate --release release --agents 3 --attempts 2 --workers 4
  wideswe estimate --release release --predictions mine.jsonl`,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.estimate(cmd.Context(), f) },
	}
	c.Flags().StringVar(&f.release, "release", "", "the release's folder")
	c.Flags().StringVar(&f.predictions, "predictions", "", "the predictions (default: those of --agents)")
	c.Flags().StringSliceVar(&f.tasks, "tasks", nil, "only these tasks")
	c.Flags().StringVar(&f.set, "set", "", setHelp)
	c.Flags().IntVar(&f.agents, "agents", 1, "agents that answer every task")
	c.Flags().IntVar(&f.attempts, "attempts", 1, "attempts of each")
	c.Flags().StringVar(&f.mode, "mode", schema.Joint, "joint or independent: how the agents work")
	c.Flags().IntVar(&f.workers, "workers", 1, "tasks under way at once")
	c.Flags().BoolVar(&f.asJSON, "json", false, "as JSON")
	return c
}

func (a *app) estimate(ctx context.Context, f estimateFlags) error {
	if f.agents < 1 || f.attempts < 1 || f.workers < 1 || f.mode != schema.Joint && f.mode != schema.Independent {
		return pipeline.Usage("--agents, --attempts and --workers are at least 1, --mode is joint or independent")
	}
	rel, err := a.openRelease(f.release)
	if err != nil {
		return err
	}
	w, err := f.work(rel)
	if err != nil {
		return err
	}
	e, err := w.estimate(rel, f.workers)
	if err != nil {
		return err
	}
	a.estimateImages(ctx, w, &e)
	if f.asJSON {
		return a.json(e)
	}
	return a.printEstimate(e)
}

// work is what is to be run: by task, how often each target's tests run.
type work struct {
	tasks       map[string]*release.Task
	runs        map[string]map[string]int
	predictions int
	repeated    int
}

func (w *work) add(rel *release.Release, id string, targets func(*release.Task) []string, times int) error {
	t := w.tasks[id]
	if t == nil {
		var err error
		if t, err = rel.Task(id); err != nil {
			return err
		}
		w.tasks[id], w.runs[id] = t, map[string]int{}
	}
	for _, x := range targets(t) {
		w.runs[id][x] += times
	}
	return nil
}

// work says what the flags ask for.
func (f estimateFlags) work(rel *release.Release) (*work, error) {
	w := &work{tasks: map[string]*release.Task{}, runs: map[string]map[string]int{}}
	tasks, err := taskSet(rel, f.tasks, f.set)
	if err != nil {
		return nil, err
	}
	if f.predictions != "" {
		list, err := predictions.Load(rel, f.predictions, "")
		if err != nil {
			return nil, err
		}
		return w, w.of(rel, slices.DeleteFunc(list, func(p schema.Prediction) bool { return !slices.Contains(tasks, p.Task) }))
	}
	for _, id := range tasks {
		if err := w.add(rel, id, everyTarget, f.agents*f.attempts); err != nil {
			return nil, err
		}
		one := 1
		if f.mode == schema.Independent {
			one = len(w.tasks[id].Hidden)
		}
		w.predictions += one * f.agents * f.attempts
	}
	return w, nil
}

// of counts predictions; those with the same patches run once.
func (w *work) of(rel *release.Release, list []schema.Prediction) error {
	seen := map[string]bool{}
	for _, p := range list {
		w.predictions++
		key := pipeline.Hash(p.Task, p.Mode, p.Target, p.Patches)
		if seen[key] {
			w.repeated++
			continue
		}
		seen[key] = true
		targets := everyTarget
		if p.Mode == schema.Independent {
			targets = func(*release.Task) []string { return []string{p.Target} }
		}
		if err := w.add(rel, p.Task, targets, 1); err != nil {
			return err
		}
	}
	return nil
}

func everyTarget(t *release.Task) (names []string) {
	for _, x := range t.Hidden {
		names = append(names, x.Repository)
	}
	return names
}

// estimate adds up what the release says.
func (w *work) estimate(rel *release.Release, workers int) (estimate, error) {
	e := estimate{Tasks: len(w.tasks), Predictions: w.predictions, Repeated: w.repeated, Workers: workers}
	var seconds, most float64
	var trees []int64
	counted := map[string]bool{}
	missing := map[string]bool{}
	for _, s := range rel.MissingSources() {
		missing[s.File()] = true
	}
	for _, id := range sortedNames(w.tasks) {
		t := w.tasks[id]
		var packed int64
		for _, x := range t.Hidden {
			n := float64(w.runs[id][x.Repository])
			e.Targets++
			e.Containers += int(n)
			if x.GoldSeconds == 0 {
				e.TestsUnmeasured++
			}
			limit := rel.TimeRule().Of(x.GoldSeconds)
			if limit == 0 {
				limit = time.Duration(x.Limits.Seconds) * time.Second
			}
			seconds += n * (x.GoldSeconds + runSeconds)
			most += 2 * n * (limit.Seconds() + runSeconds)
		}
		for _, r := range t.Workspace.Repositories {
			s, ok := rel.Source(r.Repository, r.Commit)
			if !ok {
				continue
			}
			size := fileBytes(filepath.Join(rel.Dir, filepath.FromSlash(s.File())))
			if !counted[s.File()] {
				counted[s.File()] = true
				e.SourceBytes += size
				if missing[s.File()] {
					e.MissingSources++
				}
			}
			packed += size
		}
		trees = append(trees, packed)
	}
	slices.SortFunc(trees, func(a, b int64) int { return int(min(1, max(-1, b-a))) })
	for _, packed := range trees[:min(workers, len(trees))] {
		e.TreeBytes += packed * packedToRaw * treeCopies
	}
	e.MostContainer = 2 * e.Containers
	at := float64(min(workers, max(1, len(w.tasks))))
	e.Hours, e.MostHours = seconds/3600/at, most/3600/at
	e.ArchiveBytes, e.Pushed = rel.ImagesBytes(), rel.HasReferences()
	return e, nil
}

func fileBytes(name string) int64 {
	info, err := os.Stat(name)
	if err != nil {
		return 0
	}
	return info.Size()
}

// estimateImages asks the engine, where there is one, which images it has.
func (a *app) estimateImages(ctx context.Context, w *work, e *estimate) {
	ids := map[string]bool{}
	for _, t := range w.tasks {
		for _, x := range t.Hidden {
			if release.IsImage(x.Image) {
				ids[x.Image.ID] = true
			}
		}
	}
	e.Images = len(ids)
	if len(ids) == 0 {
		e.ImagesKnown = true
		return
	}
	d, err := docker.Open(ctx)
	if err != nil {
		return
	}
	defer d.Close()
	e.ImagesKnown = true
	for id := range ids {
		if n, err := d.ImageBytes(ctx, id); err == nil {
			e.ImagesHere++
			e.ImageBytes += n
		}
	}
}

func (a *app) printEstimate(e estimate) error {
	line := func(key, format string, args ...any) {
		fmt.Fprintf(a.out, "%-12s%s\n", key, fmt.Sprintf(format, args...))
	}
	line("tasks", "%d, with %d targets", e.Tasks, e.Targets)
	repeated := ""
	if e.Repeated > 0 {
		repeated = fmt.Sprintf(", %d of them with the patches of another, which run once", e.Repeated)
	}
	line("predictions", "%d%s", e.Predictions, repeated)
	line("containers", "%d, and at most %d where patches change how tests are run", e.Containers, e.MostContainer)
	line("time", "%s with --workers %d where tests take as long as gold's did; %s where every run meets its time limit", hours(e.Hours), e.Workers, hours(e.MostHours))
	if e.TestsUnmeasured > 0 {
		line("", "the release does not say how long gold took of %d targets", e.TestsUnmeasured)
	}
	switch {
	case e.Images == 0:
		line("images", "none: the tasks were validated in the process sandbox")
	case !e.ImagesKnown:
		line("images", "%d; Docker does not answer, so which are here is not known", e.Images)
	default:
		line("images", "%d of %d are here, %s at most", e.ImagesHere, e.Images, bytesText(e.ImageBytes))
		if n := e.Images - e.ImagesHere; n > 0 && e.ArchiveBytes > 0 {
			line("", "wideswe release images load brings the %d others", n)
		} else if n > 0 && e.Pushed {
			line("", "wideswe release images pull brings the %d others", n)
		} else if n > 0 {
			line("", "the %d others are made anew, with the network on", n)
		}
	}
	if e.ArchiveBytes > 0 {
		line("", "%s saved in the release", bytesText(e.ArchiveBytes))
	}
	line("disk", "%s of packed trees, about %s more of trees under way", bytesText(e.SourceBytes), bytesText(e.TreeBytes))
	if e.MissingSources > 0 {
		line("", "%d packed trees are not here; wideswe release fetch brings them", e.MissingSources)
	}
	return nil
}

// hours writes a time as people plan with it.
func hours(h float64) string {
	switch {
	case h >= 10:
		return fmt.Sprintf("%.0f h", h)
	case h >= 1:
		return fmt.Sprintf("%.1f h", h)
	case h*60 >= 1:
		return fmt.Sprintf("%.0f min", h*60)
	}
	return fmt.Sprintf("%.0f s", h*3600)
}
