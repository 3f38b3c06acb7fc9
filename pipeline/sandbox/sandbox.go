// Package sandbox is the contract between those who run strangers' code and those who
// keep it in bounds: a [Spec] goes in, a [Result] comes out, and a [Backend] does it.
// Files go in and out as streams, nothing of the host is mounted, the network is off
// unless asked for. A backend also makes images, see [ImageSpec].
//
// What lives here is what every backend shares: the types of the contract, its errors,
// the bounds and the bounded output. The backends are packages of their own: docker, and
// process for the demo, which bounds time, output and files only and must not be given
// code that nobody trusts. Packing files is transfer's, and what images hold and why one
// can't be built is image's. No engine's API and no language belongs here.
package sandbox

import "context"

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
	// Host describes the machine that runs take place on.
	Host(ctx context.Context) (Host, error)
	// Machine is what runs share: CPUs and bytes of memory.
	Machine(ctx context.Context) (cpus float64, memory int64, err error)
	// Abilities says what it can do beyond that.
	Abilities() Abilities
}

// Host is the machine that runs take place on, for records.
type Host struct {
	Platform string // os/architecture of what runs
	Engine   string // and its version; empty where there is none
	Kernel   string
}

// Check is one thing that a person can be told about the machine.
type Check struct {
	Name   string
	OK     bool
	Detail string // what was found, or the next step
}

// User is the account that everything of a stranger runs as.
const User = "1000:1000"

// Root stands in paths and environment values for the top of the sandbox: the
// empty string in a container, the temporary folder of the process backend.
const Root = "{root}"
