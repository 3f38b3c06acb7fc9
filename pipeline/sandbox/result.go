package sandbox

import "time"

// Result is what a run left.
type Result struct {
	ExitCode int
	TimedOut bool
	OOM      bool
	// DiskFull says that it was ended since it had written more than Limits.Disk, or
	// folders deeper than can be named.
	DiskFull   bool
	PidsMet    bool   // it had as many processes as Limits.Pids allows
	Output     []byte // head and tail where it was too long
	Errors     []byte // where [Spec.Split] keeps them apart
	Truncated  int64  // bytes of output left out
	Files      map[string][]byte
	Dropped    []string // files of Out that were over a bound, or no regular files
	NetworkOff bool
	Services   map[string][]byte // what services printed, by name
	Duration   time.Duration
}

// LimitsMet names the limits that a run met: time, memory, disk, processes, output.
func (r Result) LimitsMet() (met []string) {
	for _, l := range []struct {
		name string
		met  bool
	}{{"time", r.TimedOut}, {"memory", r.OOM}, {"disk", r.DiskFull}, {"processes", r.PidsMet},
		{"output", r.Truncated > 0}} {
		if l.met {
			met = append(met, l.name)
		}
	}
	return met
}
