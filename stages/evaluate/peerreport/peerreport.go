// Package peerreport writes an evaluation's report as other benchmarks' harnesses write
// theirs, one format a file. The verdicts are those as submitted, since no peer has a
// second run; the strict ones stand beside them. Nothing is judged here.
package peerreport

import (
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/release"
	"github.com/wideswe/wideswe/schema"
	"github.com/wideswe/wideswe/stages/evaluate/predictions"
	"github.com/wideswe/wideswe/stages/evaluate/results"
)

// Format is a peer's format of reports.
type Format struct {
	Name  string // as report convert --to takes it
	Form  string // what is written
	write func(w writer, r run) error
}

// Formats returns every format.
func Formats() []Format {
	return []Format{sweBenchFormat(), multiSWEFormat(), harborFormat()}
}

// FormatNamed finds a format by its name.
func FormatNamed(name string) (Format, error) {
	var names []string
	for _, f := range Formats() {
		if f.Name == name {
			return f, nil
		}
		names = append(names, f.Name)
	}
	return Format{}, pipeline.Usage("there is no format %q%s; the formats are %s", name, pipeline.DidYouMean(name, names),
		strings.Join(names, ", "))
}

// run is one run of an evaluation, with what its files are called.
type run struct {
	schema.ReportRun
	id string // joint, independent-2
	at time.Time
}

// instance is what a peer scores: a task in mode joint, else a target of one.
type instance struct {
	ID          string
	Task        string
	Target      string // "" for a task
	Status      string
	Reason      string
	AsSubmitted bool
	Strict      bool
	Targets     map[string]schema.TargetReport
}

// Write writes every run of a report into a folder that must not exist. at is when the
// report was written.
func Write(dir string, f Format, rel *release.Release, rep schema.Report, at time.Time) error {
	if rep.Rules == "" {
		return pipeline.Usage("the report is older than counts as submitted; run wideswe evaluate on its folder again")
	}
	if rep.Release.SHA256 != rel.SHA256 {
		return pipeline.Usage("the evaluation is of %s %s, and the release given is another; give the release it is of",
			rep.Release.Name, rep.Release.Version)
	}
	if err := os.Mkdir(dir, 0o755); errors.Is(err, fs.ErrExist) {
		return pipeline.Usage("%s exists; give a folder that does not", dir)
	} else if err != nil {
		return pipeline.Usage("%s can't be made: %v", dir, err)
	}
	w := writer{dir: dir, release: rel, pulls: predictions.NewPulls(rel)}
	for _, r := range results.Runs(rep) {
		if err := f.write(w, run{ReportRun: r, id: runID(r), at: at}); err != nil {
			return errors.Join(err, os.RemoveAll(dir))
		}
	}
	return nil
}

// runID names a run within its model.
func runID(r schema.ReportRun) string {
	if r.Attempt > 1 {
		return r.Mode + "-" + strconv.Itoa(r.Attempt)
	}
	return r.Mode
}

// unsafe are the characters that a file of a stranger's name may not have.
var unsafe = regexp.MustCompile(`[^\w.-]+`)

// fileName is a model as SWE-bench writes it in files' names. A digest keeps names apart
// that would be the same.
func fileName(model string) string {
	name := strings.ReplaceAll(model, "/", "__")
	if plain := strings.TrimLeft(unsafe.ReplaceAllString(name, "-"), "."); plain != name || len(plain) > 100 {
		return plain[:min(len(plain), 100)] + "-" + pipeline.Hash(model)[:8]
	}
	return name
}

// instances gives the instances of a run, by their ids.
func (r run) instances() (all []instance) {
	if r.Mode == schema.Independent {
		return r.targets()
	}
	for _, id := range slices.Sorted(maps.Keys(r.Tasks)) {
		t := r.Tasks[id]
		all = append(all, instance{ID: id, Task: id, Status: t.Status, Reason: t.Reason, AsSubmitted: t.AsSubmitted,
			Strict: t.Resolved, Targets: t.Targets})
	}
	return all
}

// targets gives an instance for each target of each task.
func (r run) targets() (all []instance) {
	for _, id := range slices.Sorted(maps.Keys(r.Tasks)) {
		t := r.Tasks[id]
		for _, repository := range slices.Sorted(maps.Keys(t.Targets)) {
			x := t.Targets[repository]
			all = append(all, instance{ID: predictions.InstanceID(id, repository), Task: id, Target: repository,
				Status: x.Status, Reason: x.Reason, AsSubmitted: x.AsSubmitted, Strict: x.Resolved,
				Targets: map[string]schema.TargetReport{repository: x}})
		}
	}
	return all
}

// writer writes the files of a new folder.
type writer struct {
	dir     string
	release *release.Release
	pulls   predictions.Pulls
}

// json writes a file of JSON.
func (w writer) json(name string, v any) error {
	b, err := json.MarshalIndent(v, "", "    ")
	if err != nil {
		return err
	}
	return pipeline.WriteFile(filepath.Join(w.dir, filepath.FromSlash(name)), append(b, '\n'))
}
