package sandbox

import (
	"context"
	"io"
	"maps"
	"path"
	"slices"
	"strings"
)

func AbsolutePath(p string) string { return "/" + RelativePath(p) }

// environ lists an environment in a fixed order, with the sandbox's root and its
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

// Source is something laid into the sandbox before the script starts: a host
// folder's content, or small files, or nothing (then Path is made, empty).
type Source struct {
	Path  string // folder in the sandbox, from its root
	Dir   string // host folder
	Files map[string][]byte
}

// clean turns a sandbox path into a tar name.
func RelativePath(p string) string {
	return strings.TrimPrefix(path.Clean("/"+strings.TrimPrefix(p, Root)), "/")
}
