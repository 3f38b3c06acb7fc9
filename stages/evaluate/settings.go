package evaluate

import (
	"cmp"
	"time"

	"github.com/wideswe/wideswe/pipeline/release"
	"github.com/wideswe/wideswe/pipeline/sandbox"
)

// settings are what the person and the release decide for every run.
type settings struct {
	release *release.Release
	runner  Runner
	images  Images
	machine *machine
	limits  sandbox.Limits // the person's
	guard   string         // one of guard's modes
	out     string         // the evaluation's folder
}

// limitsOf gives a target's limits: those it was validated with, and the time that
// the release's rule makes of its gold run, unless the person set others.
func (s settings) limitsOf(t release.Target) sandbox.Limits {
	l := s.limits
	l.Memory = cmp.Or(l.Memory, t.Limits.Memory)
	l.CPUs = cmp.Or(l.CPUs, t.Limits.CPUs)
	l.Pids = cmp.Or(l.Pids, t.Limits.Pids)
	l.Timeout = cmp.Or(l.Timeout, s.release.TimeRule().Of(t.GoldSeconds), time.Duration(t.Limits.Seconds)*time.Second)
	return l.Defaults()
}
