package sandbox

import (
	"context"
	"io"
	"maps"
	"net"
	"path"
	"slices"
	"strings"
)

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
	// Services run beside it; the process backend has none.
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
// begin with the last part of the path. What is not there is [io/fs.ErrNotExist].
type Left func(ctx context.Context, path string) (io.ReadCloser, error)

// Source is something copied into the sandbox before the script starts: a host
// folder's content, or small files, or nothing (then Path is made, empty).
type Source struct {
	Path  string // folder in the sandbox, from its root
	Dir   string // host folder
	Files map[string][]byte
	// Foreign are files of Dir that a run may read and replace, but neither write nor make
	// anew as they were: they belong to another user. A sandbox without users of its own
	// lays them as the others.
	Foreign []string
}

// Service is a container beside a run: a database, a queue. The run reaches it by its
// name, on a network of the two that leads nowhere else.
type Service struct {
	Name    string
	Image   string // name, digest or id
	Command []string
	Env     map[string]string
	// Ready is a shell line run in the service's container until it ends with 0; Port
	// is waited for where there is none.
	Ready string
	Port  int
	Tmpfs []string // folders that lie in memory
}

// Gate is the one address that a run may connect to. What it connects to is no
// network: connections come to this program as they are, and Serve decides on each
// of them. In a container the address is that of a second container which has no way
// out either and carries bytes over its standard streams; so nothing of this machine
// listens where the run could reach it.
type Gate struct {
	// Image runs the carrier; it must have perl, as every Debian image does.
	Image string
	// Serve takes the connections until the listener is closed.
	Serve func(net.Listener)
}

// GateAddress stands in environment values for the gate's host and port, GateHost for
// the host alone.
const (
	GateAddress = "{gate}"
	GateHost    = "{gate-host}"
)

// Environ lists an environment in a fixed order, with the sandbox's root and its
// gate's address put in.
func Environ(env map[string]string, root, gate string) []string {
	host, _, _ := strings.Cut(gate, ":")
	put := strings.NewReplacer(Root, root, GateAddress, gate, GateHost, host)
	out := make([]string, 0, len(env))
	for _, k := range slices.Sorted(maps.Keys(env)) {
		out = append(out, k+"="+put.Replace(env[k]))
	}
	return out
}

// RelativePath gives a path of the sandbox as it is below the sandbox's root.
func RelativePath(p string) string {
	return strings.TrimPrefix(path.Clean("/"+strings.TrimPrefix(p, Root)), "/")
}

// AbsolutePath gives a path of the sandbox as it is in a container.
func AbsolutePath(p string) string { return "/" + RelativePath(p) }
