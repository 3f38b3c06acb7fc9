package verdict

import "github.com/wideswe/wideswe/schema"

// Summarize counts a run; the denominators are all tasks and targets.
func Summarize(tasks map[string]schema.TaskReport) schema.ReportSummary {
	s := schema.ReportSummary{Tasks: len(tasks), ByStatus: map[string]int{}}
	for _, t := range tasks {
		s.ByStatus[t.Status]++
		any := false
		for _, x := range t.Targets {
			addTarget(&s, x)
			any = any || x.Resolved
		}
		if t.Resolved {
			s.TasksResolved++
		}
		if t.AsSubmitted {
			s.TasksAsSubmitted++
		}
		if any {
			s.TasksAnyResolved++
		}
	}
	return s
}

func addTarget(s *schema.ReportSummary, x schema.TargetReport) {
	s.Targets++
	if x.Resolved {
		s.TargetsResolved++
	}
	if x.AsSubmitted {
		s.TargetsAsSubmitted++
	}
	s.Incomplete = s.Incomplete || x.Status == schema.StatusInfra || x.Status == schema.StatusMissing
	s.F2P, s.P2P = s.F2P.Add(x.F2P), s.P2P.Add(x.P2P)
	s.F2PComplete, s.P2PPreserved = s.F2PComplete.Add(asOne(x.F2P)), s.P2PPreserved.Add(asOne(x.P2P))
}

// asOne counts a list of tests as one: passed where all of them did, nothing where it
// is empty.
func asOne(t schema.Tally) schema.Tally {
	switch {
	case t.Total == 0:
		return schema.Tally{}
	case t.Passed == t.Total:
		return schema.Tally{Passed: 1, Total: 1}
	}
	return schema.Tally{Total: 1}
}
