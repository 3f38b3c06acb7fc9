package workspace

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
)

// Applied says how a patch went on.
type Applied struct {
	// Normalised names the change without which the patch did not apply, "" for none.
	Normalised string
	// Files are the paths it touched, sorted.
	Files []string
}

// The normalisations, in the order they are tried after the exact patch. Each
// undoes what transport does to patches; none changes what a line says.
const (
	NormNewline = "newline added at the end"
	NormContext = "empty context line restored at the end"
	NormEOL     = "line ends converted to the file's"
	NormPrefix  = "prefixes a/ and b/ added"
)

// Apply puts a patch on the tree at dir, wholly or not at all, by git apply's
// exact rules (no fuzz, no reject files, no three-way guess). An empty patch
// changes nothing. It returns an [UnsafeError] where the patch names a path it may
// not, a [FailedError] where it does not go on.
func Apply(ctx context.Context, dir string, diff []byte) (Applied, error) {
	if len(bytes.TrimSpace(diff)) == 0 {
		return Applied{}, nil
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return Applied{}, err
	}
	defer root.Close()
	var first *FailedError
	for _, v := range variants(root, diff) {
		files, err := try(ctx, root, dir, v.patch)
		var failed *FailedError
		var half *halfAppliedError
		switch {
		case errors.As(err, &half):
			return Applied{}, half.FailedError
		case err == nil:
			return Applied{Normalised: v.name, Files: files}, nil
		case !errors.As(err, &failed):
			return Applied{}, err
		case first == nil:
			first = failed // the exact patch's complaint is the one to show
		}
	}
	return Applied{}, first
}

// try checks a patch by its own words and against the tree's links, then applies it.
func try(ctx context.Context, root *os.Root, dir string, diff []byte) ([]string, error) {
	files, err := Touched(diff)
	if err != nil {
		return nil, err
	}
	if err := checkUnfolded(root, diff); err != nil {
		return nil, err
	}
	for _, n := range files {
		if l := linkAbove(root, n); l != "" {
			return nil, &UnsafeError{n, "through the symbolic link " + l}
		}
	}
	return files, gitApply(ctx, dir, diff)
}

type variant struct {
	name  string
	patch []byte
}

func variants(root *os.Root, diff []byte) []variant {
	out := []variant{{"", diff}}
	ended := diff
	if !bytes.HasSuffix(diff, []byte("\n")) {
		ended = join(diff, "\n")
		out = append(out, variant{NormNewline, ended})
	}
	out = append(out, variant{NormContext, join(ended, " \n")})
	if converted := convertEnds(root, scan(diff)); !bytes.Equal(converted, diff) {
		out = append(out, variant{NormEOL, converted})
	}
	if with, ok := addPrefixes(scan(ended)); ok {
		out = append(out, variant{NormPrefix, with})
	}
	return out
}

func join(b []byte, s string) []byte {
	return append(bytes.Clone(b), s...)
}

var (
	invalidPath = regexp.MustCompile(`(?m)^error: invalid path '(.*)'$`)
	beyondLink  = regexp.MustCompile(`(?m)^error: .*'(.*)' is beyond a symbolic link$`)
)

// halfAppliedError is a patch that git could not write to its end, though it fits: the tree
// is no longer what it was.
type halfAppliedError struct{ *FailedError }

// gitApply lets git check the whole patch, then apply it. What fails in the check is the
// patch's fault; what fails only in writing is the machine's, where that can't write
// either. git's words decide neither: they hold the names of a stranger's files.
func gitApply(ctx context.Context, dir string, patch []byte) error {
	stderr, err := runApply(ctx, dir, patch, "--check")
	var exit *exec.ExitError
	if err != nil {
		if !errors.As(err, &exit) || !exit.Exited() {
			return err
		}
		return refusal(stderr, err)
	}
	stderr, err = runApply(ctx, dir, patch)
	if err == nil || !errors.As(err, &exit) || !exit.Exited() {
		return err
	}
	if trouble := probeWrite(dir, len(patch)); trouble != nil {
		return fmt.Errorf("git apply: %s: %w", firstLine(stderr, err), trouble)
	}
	return &halfAppliedError{&FailedError{firstLine(stderr, err)}}
}

func runApply(ctx context.Context, dir string, patch []byte, more ...string) (stderr string, err error) {
	args := append([]string{"apply", "--whitespace=nowarn", "-p1"}, more...)
	_, stderr, err = git(ctx, dir, "", bytes.NewReader(patch), append(args, "-")...)
	return stderr, err
}

// refusal is what git says against a patch.
func refusal(stderr string, err error) error {
	if m := invalidPath.FindStringSubmatch(stderr); m != nil {
		return &UnsafeError{m[1], "git refuses it"}
	}
	if m := beyondLink.FindStringSubmatch(stderr); m != nil {
		return &UnsafeError{m[1], "through a symbolic link"}
	}
	return &FailedError{firstLine(stderr, err)}
}

// probeWrite tells by the system's own code whether files can be written in a folder.
func probeWrite(dir string, size int) (err error) {
	f, err := os.CreateTemp(dir, ".wideswe-probe-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close(), os.Remove(f.Name())) }()
	if _, err := f.Write(make([]byte, max(size, 1<<16))); err != nil {
		return err
	}
	return f.Sync()
}
