package sandbox

import (
	"time"
)

// Result is what a run left.
type Result struct {
	ExitCode   int
	TimedOut   bool
	OOM        bool
	DiskFull   bool   // it was ended since it had written more than Limits.Disk, or folders deeper than can be named
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
