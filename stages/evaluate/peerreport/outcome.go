package peerreport

import "github.com/wideswe/wideswe/schema"

// outcome is where SWE-bench's and Multi-SWE-bench's harnesses put an instance.
type outcome int

const (
	resolved   outcome = iota // the tests pass
	unresolved                // the tests ran, and some do not pass
	empty                     // no patch
	failed                    // no report of tests: the patch does not apply, a time limit, the machine
	incomplete                // no prediction
)

// outcomes sorts our states. disputed and unbuilt are resolved as submitted, and are
// told from resolved by that.
var outcomes = map[string]outcome{
	schema.StatusUnresolved:      unresolved,
	schema.StatusInconsistent:    unresolved,
	schema.StatusEmpty:           empty,
	schema.StatusMissing:         incomplete,
	schema.StatusPatchFailed:     failed,
	schema.StatusPatchUnsafe:     failed,
	schema.StatusInjectionFailed: failed,
	schema.StatusTimeout:         failed,
	schema.StatusRejected:        failed,
	schema.StatusInfra:           failed,
}

// outcome gives where a harness puts the instance.
func (x instance) outcome() outcome {
	if x.AsSubmitted {
		return resolved
	}
	if o, ok := outcomes[x.Status]; ok {
		return o
	}
	return unresolved
}

// tally sorts the ids of instances.
type tally struct {
	submitted, completed, resolved, unresolved, empty, failed, incomplete, strict []string
}

func newTally(all []instance) tally {
	none := []string{}
	t := tally{none, none, none, none, none, none, none, none}
	for _, x := range all {
		if x.Strict {
			t.strict = append(t.strict, x.ID)
		}
		o := x.outcome()
		into := map[outcome]*[]string{resolved: &t.resolved, unresolved: &t.unresolved, empty: &t.empty,
			failed: &t.failed, incomplete: &t.incomplete}[o]
		*into = append(*into, x.ID)
		if o != incomplete {
			t.submitted = append(t.submitted, x.ID)
		}
		if o == resolved || o == unresolved {
			t.completed = append(t.completed, x.ID)
		}
	}
	return t
}
