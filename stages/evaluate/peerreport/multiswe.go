package peerreport

import (
	"fmt"
	"path"

	"github.com/wideswe/wideswe/pipeline"
)

// multiSWEReport is Multi-SWE-bench's final_report.json. Its program refuses any other
// name, so that the strict count is a second file.
type multiSWEReport struct {
	Total         int      `json:"total_instances"`
	Submitted     int      `json:"submitted_instances"`
	Completed     int      `json:"completed_instances"`
	Incomplete    int      `json:"incomplete_instances"`
	Resolved      int      `json:"resolved_instances"`
	Unresolved    int      `json:"unresolved_instances"`
	Empty         int      `json:"empty_patch_instances"`
	Error         int      `json:"error_instances"`
	SubmittedIDs  []string `json:"submitted_ids"`
	CompletedIDs  []string `json:"completed_ids"`
	IncompleteIDs []string `json:"incomplete_ids"`
	ResolvedIDs   []string `json:"resolved_ids"`
	UnresolvedIDs []string `json:"unresolved_ids"`
	EmptyIDs      []string `json:"empty_patch_ids"`
	ErrorIDs      []string `json:"error_ids"`
}

// multiSWEFormat is a folder a run. Its instances are pulls, and so targets, in each mode.
func multiSWEFormat() Format {
	return Format{Name: "multi-swe-bench", Form: "MODEL.RUN/final_report.json, and final_report.strict.json by the " +
		"strict " +
		"count; the instances are targets, by their first pull", write: writeMultiSWE}
}

func writeMultiSWE(w writer, r run) error {
	all := r.targets()
	for i, x := range all {
		n, err := w.pulls.Number(x.Task, x.Target)
		if err != nil {
			return pipeline.Usage("multi-swe-bench has no id for %s of %s: %v; swe-bench and harbor have", x.Target, x.Task, err)
		}
		all[i].ID = fmt.Sprintf("%s:pr-%d", x.Target, n)
	}
	dir := fileName(r.Model) + "." + r.id
	if err := w.json(path.Join(dir, "final_report.json"), newMultiSWEReport(all)); err != nil {
		return err
	}
	for i, x := range all {
		if all[i].AsSubmitted = x.Strict; x.AsSubmitted && !x.Strict {
			all[i].Status = "" // disputed or unbuilt: the tests ran
		}
	}
	return w.json(path.Join(dir, "final_report.strict.json"), newMultiSWEReport(all))
}

func newMultiSWEReport(all []instance) multiSWEReport {
	t := newTally(all)
	return multiSWEReport{Total: len(all), Submitted: len(t.submitted), Completed: len(t.completed),
		Incomplete: len(t.incomplete), Resolved: len(t.resolved), Unresolved: len(t.unresolved), Empty: len(t.empty),
		Error: len(t.failed), SubmittedIDs: t.submitted, CompletedIDs: t.completed, IncompleteIDs: t.incomplete,
		ResolvedIDs: t.resolved, UnresolvedIDs: t.unresolved, EmptyIDs: t.empty, ErrorIDs: t.failed}
}
