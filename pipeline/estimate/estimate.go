// Package estimate adds up what evaluating predictions on a release will take, before it starts: runs, hours, disk. It
// goes by what the release says, runs nothing, and asks the engine only which images it has.
package estimate

import (
	"cmp"
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/wideswe/wideswe/pipeline/release"
)

// What an evaluation costs beside the tests, as bench evaluate shows it.
const (
	runSeconds  = 1.0 // of each run
	treeCopies  = 4   // of a task's trees while it is under way: clean, base, gold, and the prediction's
	packedToRaw = 4   // a tree against its packed form, roughly
)

// Estimate is what an evaluation will take.
type Estimate struct {
	Tasks       int `json:"tasks"`
	Targets     int `json:"targets"`
	Predictions int `json:"predictions"`
	// Repeated are predictions with the patches of another one: they cost nothing.
	Repeated int `json:"repeated"`
	// Containers are test runs; with --guard on a patch that changes runner configuration runs twice, so there may be as
	// many again.
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

// Estimate adds up what the release says of the work; what it has of images [Work.CountImages] adds.
func (w *Work) Estimate(workers int) Estimate {
	e := Estimate{Tasks: len(w.tasks), Predictions: w.predictions, Repeated: w.repeated, Workers: workers,
		ArchiveBytes: w.release.ImagesBytes(), Pushed: w.release.HasReferences()}
	var seconds, most float64
	for _, id := range slices.Sorted(maps.Keys(w.tasks)) {
		for _, x := range w.tasks[id].Hidden {
			s, m := w.addTarget(&e, x, w.runs[id][x.Repository])
			seconds, most = seconds+s, most+m
		}
	}
	abreast := float64(min(workers, max(1, len(w.tasks))))
	e.Hours, e.MostHours = seconds/3600/abreast, most/3600/abreast
	e.MostContainer = 2 * e.Containers
	w.addTrees(&e)
	return e
}

// addTarget adds the runs of a target's tests and returns how long they take, and take at most.
func (w *Work) addTarget(e *Estimate, x release.Target, runs int) (seconds, most float64) {
	e.Targets++
	e.Containers += runs
	if x.GoldSeconds == 0 {
		e.TestsUnmeasured++
	}
	limit := cmp.Or(w.release.TimeRule().Of(x.GoldSeconds), time.Duration(x.Limits.Seconds)*time.Second)
	n := float64(runs)
	return n * (x.GoldSeconds + runSeconds), 2 * n * (limit.Seconds() + runSeconds)
}

// addTrees adds the disk that packed trees take, and trees under way.
func (w *Work) addTrees(e *Estimate) {
	missing := map[string]bool{}
	for _, s := range w.release.MissingSources() {
		missing[s.File()] = true
	}
	counted := map[string]bool{}
	var packed []int64 // by task
	for _, id := range slices.Sorted(maps.Keys(w.tasks)) {
		var ofTask int64
		for _, r := range w.tasks[id].Workspace.Repositories {
			s, ok := w.release.Source(r.Repository, r.Commit)
			if !ok {
				continue
			}
			size := fileBytes(filepath.Join(w.release.Dir, filepath.FromSlash(s.File())))
			ofTask += size
			if counted[s.File()] {
				continue
			}
			counted[s.File()] = true
			e.SourceBytes += size
			if missing[s.File()] {
				e.MissingSources++
			}
		}
		packed = append(packed, ofTask)
	}
	slices.SortFunc(packed, func(a, b int64) int { return cmp.Compare(b, a) })
	for _, size := range packed[:min(e.Workers, len(packed))] {
		e.TreeBytes += size * packedToRaw * treeCopies
	}
}

func fileBytes(name string) int64 {
	info, err := os.Stat(name)
	if err != nil {
		return 0
	}
	return info.Size()
}

// Engine says which images it has.
type Engine interface {
	ImageBytes(ctx context.Context, id string) (int64, error)
}

// CountImages adds how many images the work needs and, where there is an engine, which it has. open, which connects to
// the engine, is called only where an image is needed.
func (w *Work) CountImages(ctx context.Context, e *Estimate, open func(context.Context) (Engine, error)) {
	ids := map[string]bool{}
	for _, t := range w.tasks {
		for _, x := range t.Hidden {
			if release.IsImage(x.Image) {
				ids[x.Image.ID] = true
			}
		}
	}
	e.Images, e.ImagesKnown = len(ids), len(ids) == 0
	if e.ImagesKnown {
		return
	}
	engine, err := open(ctx)
	if err != nil {
		return
	}
	e.ImagesKnown = true
	for id := range ids {
		if n, err := engine.ImageBytes(ctx, id); err == nil {
			e.ImagesHere++
			e.ImageBytes += n
		}
	}
}
