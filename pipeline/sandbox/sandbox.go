// Package sandbox runs strangers' code in bounds: a [Spec] goes in, a [Result]
// comes out. Files go in and out as streams, nothing of the host is mounted, the
// network is off unless asked for. It also makes images: a container is prepared
// step by step and committed.
//
// Two backends do it: [Docker], and [Process] for the demo, which bounds time,
// output and files only and must not be given code that nobody trusts.
//
// What is run, and what its output means, is left to others.
package sandbox

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/wideswe/wideswe/pipeline"
)

// Backend runs specs and makes images.
type Backend interface {
	Name() string
	// Run runs one script in a fresh place. An error is our trouble: an
	// [InfraError], a [MissingImageError], a [pipeline.NeedError], or the context's.
	Run(ctx context.Context, s Spec) (Result, error)
	// FindImage gives the image built under a key; the zero Image if there is none.
	FindImage(ctx context.Context, key string) (Image, error)
	// ImageID gives the content id of a named image, fetching it where it can be
	// had, or a [MissingImageError].
	ImageID(ctx context.Context, name string) (string, error)
	// Pin gives what names a named image's content wherever it is: a registry's
	// digest, else its id. renew asks the registry anew.
	Pin(ctx context.Context, name string, renew bool) (string, error)
	// BuildImage makes an image. A step that ends badly is a [BuildError].
	BuildImage(ctx context.Context, s ImageSpec) (Image, error)
	// Platform is os/architecture of what runs.
	Platform(ctx context.Context) (string, error)
	// Machine is what runs share: CPUs and bytes of memory.
	Machine(ctx context.Context) (cpus float64, memory int64, err error)
}

// User is the account that everything of a stranger runs as.
const User = "1000:1000"

// Root stands in paths and environment values for the top of the sandbox: the
// empty string in a container, the temporary folder of the process backend.
const Root = "{root}"

// Defaults fills what is not set.
func (l Limits) Defaults() Limits {
	def := func(v *int64, d int64) {
		if *v <= 0 {
			*v = d
		}
	}
	def(&l.Memory, 4<<30)
	def(&l.Pids, 4096)
	def(&l.Output, 4<<20)
	def(&l.FileSize, 4<<30)
	def(&l.Disk, 20<<30)
	def(&l.OutBytes, 256<<20)
	if l.CPUs <= 0 {
		l.CPUs = 2
	}
	if l.Timeout <= 0 {
		l.Timeout = 30 * time.Minute
	}
	if l.OutFiles <= 0 {
		l.OutFiles = 10000
	}
	return l
}

// LimitsMet names the limits that a run met: time, memory, disk, processes, output.
func (r Result) LimitsMet() (met []string) {
	for _, l := range []struct {
		name string
		met  bool
	}{{"time", r.TimedOut}, {"memory", r.OOM}, {"disk", r.DiskFull}, {"processes", r.PidsMet}, {"output", r.Truncated > 0}} {
		if l.met {
			met = append(met, l.name)
		}
	}
	return met
}

func (e *InfraError) Error() string {
	if e.Need != "" {
		return e.Need
	}
	return e.Op + ": " + e.Err.Error()
}

// Unwrap gives the cause; where a person must act it is a [pipeline.NeedError],
// so that the engine stops a stage.
func (e *InfraError) Unwrap() []error {
	if e.Need != "" {
		return []error{e.Err, pipeline.Need("%s", e.Need)}
	}
	return []error{e.Err}
}

func (e *BuildError) Error() string {
	how := fmt.Sprintf("exit %d", e.ExitCode)
	if e.TimedOut {
		how = "timed out"
	}
	return fmt.Sprintf("%s: %s: %s", e.Step, how, cmp.Or(e.Why, LastLines(e.Tail, 3)))
}

// Transient says whether the step's words speak of a network that did not answer;
// such a build is tried again instead of being held against the repository.
func (e *BuildError) Transient() bool {
	for _, s := range []string{"Temporary failure", "Could not resolve", "Could not connect", "connection timed out",
		"Connection timed out", "TLS handshake timeout", "i/o timeout", "connection refused", "Connection refused",
		"502 Bad Gateway", "503 Service Unavailable", "504 Gateway", "no such host", "Network is unreachable",
		"network is unreachable", "Read timed out", "connection reset by peer"} {
		if strings.Contains(e.Tail, s) {
			return true
		}
	}
	return false
}
