package results

import (
	"context"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/release"
	"github.com/wideswe/wideswe/schema"
)

// ReportName is the report's file in an evaluation's folder.
const ReportName = "report.json"

// WriteReport replaces the report of an evaluation's folder, and in the store what views
// count of it. tasks are the release's.
func WriteReport(ctx context.Context, db pipeline.DB, out string, tasks []schema.ReleaseTask, rep schema.Report) error {
	if err := writeStates(ctx, db, tasks, rep); err != nil {
		return err
	}
	b, err := release.EncodeJSON(rep)
	if err != nil {
		return err
	}
	return pipeline.WriteFile(filepath.Join(out, ReportName), b)
}

// ReadReport reads the report of an evaluation's folder.
func ReadReport(out string) (schema.Report, error) {
	var rep schema.Report
	name := filepath.Join(out, ReportName)
	b, err := os.ReadFile(name)
	if err != nil {
		return rep, pipeline.Usage("%s is no evaluation (%v); give the folder that wideswe evaluate wrote with --out",
			out, err)
	}
	if err := json.Unmarshal(b, &rep); err != nil {
		return rep, pipeline.Usage("%s is not a report (%v); wideswe evaluate writes it anew", name, err)
	}
	return rep, nil
}

// Runs gives the runs of a report, also where it holds one alone.
func Runs(rep schema.Report) []schema.ReportRun {
	if len(rep.Runs) > 0 {
		return rep.Runs
	}
	for _, id := range slices.Sorted(maps.Keys(rep.Tasks)) {
		t := rep.Tasks[id]
		return []schema.ReportRun{{Model: t.Model, Mode: t.Mode, Attempt: t.Attempt, Summary: rep.Summary,
			Tasks: rep.Tasks}}
	}
	return nil
}

// FindRun finds the run that a person names, by its whole name or by a beginning of it
// that no other has; with one run no name is needed.
func FindRun(folder string, rep schema.Report, name string) (schema.ReportRun, error) {
	var names []string
	var found []schema.ReportRun
	for _, r := range Runs(rep) {
		run := r.Key().String()
		names = append(names, run)
		if run == name {
			return r, nil
		}
		if strings.HasPrefix(run, name) {
			found = append(found, r)
		}
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case name == "":
		return schema.ReportRun{}, pipeline.Usage("%s has %d runs: name one of them (--run-a, --run-b): %s",
			folder, len(found), strings.Join(names, "; "))
	}
	return schema.ReportRun{}, pipeline.Usage("%q names %d runs of %s; give one of: %s",
		name, len(found), folder, strings.Join(names, "; "))
}
