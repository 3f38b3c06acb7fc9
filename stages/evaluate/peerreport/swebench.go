package peerreport

import "github.com/wideswe/wideswe/schema"

// sweBenchReport is SWE-bench's run report, of schema version 2. The strict count and
// what the others are is an addition of ours; its readers pass over unknown names.
type sweBenchReport struct {
	Total         int               `json:"total_instances"`
	Submitted     int               `json:"submitted_instances"`
	Completed     int               `json:"completed_instances"`
	Resolved      int               `json:"resolved_instances"`
	Unresolved    int               `json:"unresolved_instances"`
	Infra         int               `json:"infra_failure_instances"`
	Ambiguous     int               `json:"ambiguous_failure_instances"`
	Empty         int               `json:"empty_patch_instances"`
	Error         int               `json:"error_instances"`
	CompletedIDs  []string          `json:"completed_ids"`
	IncompleteIDs []string          `json:"incomplete_ids"`
	EmptyIDs      []string          `json:"empty_patch_ids"`
	SubmittedIDs  []string          `json:"submitted_ids"`
	ResolvedIDs   []string          `json:"resolved_ids"`
	UnresolvedIDs []string          `json:"unresolved_ids"`
	InfraIDs      []string          `json:"infra_failure_ids"`
	AmbiguousIDs  []string          `json:"ambiguous_failure_ids"`
	Reasons       map[string]string `json:"failure_reasons"`
	ErrorIDs      []string          `json:"error_ids"`
	Schema        int               `json:"schema_version"`

	Rule      string   `json:"wideswe_rule"`
	Strict    int      `json:"wideswe_strict_resolved_instances"`
	StrictIDs []string `json:"wideswe_strict_resolved_ids"`
}

// sweBenchFormat is a file a run, named as SWE-bench names it.
func sweBenchFormat() Format {
	return Format{Name: "swe-bench", Form: "MODEL.RUN.json, SWE-bench's run report of schema version 2; the instances " +
		"are " +
		"tasks, in mode independent targets",
		write: func(w writer, r run) error {
			return w.json(fileName(r.Model)+"."+r.id+".json", newSWEBenchReport(r.instances()))
		}}
}

func newSWEBenchReport(all []instance) sweBenchReport {
	t := newTally(all)
	rep := sweBenchReport{Total: len(all), Submitted: len(t.submitted), Completed: len(t.completed),
		Resolved: len(t.resolved), Unresolved: len(t.unresolved), Empty: len(t.empty), Error: len(t.failed),
		CompletedIDs: t.completed, IncompleteIDs: t.incomplete, EmptyIDs: t.empty, SubmittedIDs: t.submitted,
		ResolvedIDs: t.resolved, UnresolvedIDs: t.unresolved, ErrorIDs: t.failed, InfraIDs: []string{},
		AmbiguousIDs: []string{}, Reasons: map[string]string{}, Schema: 2, Rule: "as submitted",
		Strict: len(t.strict), StrictIDs: t.strict}
	for _, x := range all {
		if x.Status == schema.StatusInfra {
			rep.InfraIDs, rep.Reasons[x.ID] = append(rep.InfraIDs, x.ID), x.Reason
		}
	}
	rep.Infra = len(rep.InfraIDs)
	return rep
}
