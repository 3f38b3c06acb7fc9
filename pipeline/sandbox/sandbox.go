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
	"errors"
	"fmt"
	"io"
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

// uid and gid are User's numbers; files put into a sandbox belong to them.
const uid, gid = 1000, 1000

// Root stands in paths and environment values for the top of the sandbox: the
// empty string in a container, the temporary folder of the process backend.
const Root = "{root}"

// Spec is one run.
type Spec struct {
	Image   string
	Script  string            // for /bin/sh -e
	Dir     string            // working folder, from the sandbox's root
	Env     map[string]string // values may hold [Root]
	Network bool
	User    string // default [User]
	Limits  Limits
	In      []Source
	Out     string // folder that is read back afterwards
	Labels  map[string]string
	// Services run beside it; only [Docker] has them.
	Services []Service
	// Gate is all that the run may connect to, beside its services.
	Gate *Gate
	// Split keeps what goes to standard error apart, in [Result.Errors].
	Split bool
	// After is called when the run has ended, however it ended, while its files are
	// still there.
	After func(ctx context.Context, r Result, left Left) error
}

// Left is what a run left: it gives a folder or file as a tar stream whose names
// begin with the last part of the path. What is not there is [fs.ErrNotExist].
type Left func(ctx context.Context, path string) (io.ReadCloser, error)

// Limits bound a run; zero values take the defaults of [Limits.Defaults].
type Limits struct {
	Memory   int64         `json:"memory"`    // bytes
	CPUs     float64       `json:"cpus"`      //
	Pids     int64         `json:"pids"`      //
	Timeout  time.Duration `json:"timeout"`   //
	Output   int64         `json:"output"`    // bytes of output kept
	FileSize int64         `json:"file_size"` // bytes of the largest file
	Disk     int64         `json:"disk"`      // bytes that the trees and all that is written may hold
	OutBytes int64         `json:"out_bytes"` // bytes of all files read back
	OutFiles int           `json:"out_files"` // number of files read back
}

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

// Source is something laid into the sandbox before the script starts: a host
// folder's content, or small files, or nothing (then Path is made, empty).
type Source struct {
	Path  string // folder in the sandbox, from its root
	Dir   string // host folder
	Files map[string][]byte
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

// Image is a built or found image.
type Image struct {
	ID   string
	Name string
	Key  string
}

// ImageSpec says how an image is made from another.
type ImageSpec struct {
	Base   string // name or id
	Name   string // tag
	Key    string // digest of all that decides the image; found again by it
	Steps  []Step
	Env    map[string]string // stays in the image
	Labels map[string]string
	Limits Limits
	// BuildEnv and BuildFiles (path → content) are there during the steps only.
	BuildEnv   map[string]string
	BuildFiles map[string][]byte
	// Clear lists folders that are removed before a step lays new sources and
	// before the commit.
	Clear []string
	Log   io.Writer
	// Explain says in one line why a step failed, by what it printed last and its exit
	// code; nil knows the words of no language.
	Explain func(output string, exitCode int) string
}

// Step is one script of an image's making.
type Step struct {
	Name    string
	Script  string
	User    string // default [User]
	Dir     string
	Env     map[string]string
	Network bool
	In      []Source
}

// InfraError is trouble of the engine or the machine, never the fault of what ran.
type InfraError struct {
	Op  string
	Err error
	// Need is the sentence for the person where waiting does not help: the
	// engine is down, the disk is full.
	Need string
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

// IsInfra says whether err is trouble of the engine or the machine.
func IsInfra(err error) bool {
	var e *InfraError
	return errors.As(err, &e)
}

// BuildError is a step of an image's making that ended badly.
type BuildError struct {
	Step     string
	ExitCode int
	TimedOut bool
	Tail     string // the last lines it printed
	Why      string // what [ImageSpec.Explain] says of them; "" leaves the lines to speak
}

func (e *BuildError) Error() string {
	how := fmt.Sprintf("exit %d", e.ExitCode)
	if e.TimedOut {
		how = "timed out"
	}
	return fmt.Sprintf("%s: %s: %s", e.Step, how, cmp.Or(e.Why, lastLines(e.Tail, 3)))
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

// lastLines gives the last n lines that say something, on one line.
func lastLines(s string, n int) string {
	var lines []string
	for _, l := range strings.Split(s, "\n") {
		if l = strings.TrimSpace(l); l != "" {
			lines = append(lines, l)
		}
	}
	if len(lines) > n {
		lines = lines[len(lines)-n:]
	}
	text := strings.ToValidUTF8(strings.Join(lines, " | "), "\uFFFD")
	if r := []rune(text); len(r) > 600 {
		text = "…" + string(r[len(r)-600:])
	}
	return text
}
