package workspace

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
)

// Applied says how a patch went on.
type Applied struct {
	// Normalised names the change without which the patch did not apply, '' none.
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
		switch {
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
	return out
}

func join(b []byte, s string) []byte {
	return append(bytes.Clone(b), s...)
}

// convertEnds rewrites each section's changed lines with the line ends of the
// file it changes; a file that is new keeps the patch's.
func convertEnds(root *os.Root, sections []section) []byte {
	var b bytes.Buffer
	for _, s := range sections {
		crlf, known := endsCRLF(root, s.name)
		for i, line := range s.lines {
			body, ended := bytes.CutSuffix(line, []byte("\n"))
			header := !s.hunk[i] || line[0] == '\\'
			if known || header {
				body = bytes.TrimSuffix(body, []byte("\r"))
			}
			b.Write(body)
			if known && crlf && !header {
				b.WriteByte('\r')
			}
			if ended || i+1 < len(s.lines) {
				b.WriteByte('\n')
			}
		}
	}
	if b.Len() > 0 && !bytes.HasSuffix(b.Bytes(), []byte("\n")) {
		b.WriteByte('\n')
	}
	return b.Bytes()
}

// endsCRLF says whether a file's first line ends in CRLF, where there is such a file.
func endsCRLF(root *os.Root, name string) (crlf, known bool) {
	if info, err := root.Lstat(name); err != nil || !info.Mode().IsRegular() {
		return false, false
	}
	f, err := root.Open(name)
	if err != nil {
		return false, false
	}
	defer f.Close()
	head, _ := io.ReadAll(io.LimitReader(f, 1<<16))
	i := bytes.IndexByte(head, '\n')
	return i > 0 && head[i-1] == '\r', i >= 0
}

var (
	invalidPath = regexp.MustCompile(`invalid path '(.*)'`)
	beyondLink  = regexp.MustCompile(`'(.*)' is beyond a symbolic link`)
)

// gitApply runs git apply, which checks every hunk before it writes anything.
func gitApply(ctx context.Context, dir string, patch []byte) error {
	_, stderr, err := git(ctx, dir, "", bytes.NewReader(patch), "apply", "--whitespace=nowarn", "-p1", "-")
	var exit *exec.ExitError
	if err == nil || !errors.As(err, &exit) {
		return err
	}
	if m := invalidPath.FindStringSubmatch(stderr); m != nil {
		return &UnsafeError{m[1], "git refuses it"}
	}
	if m := beyondLink.FindStringSubmatch(stderr); m != nil {
		return &UnsafeError{m[1], "through a symbolic link"}
	}
	if trouble.MatchString(stderr) {
		return fmt.Errorf("git apply: %s", firstLine(stderr, err))
	}
	return &FailedError{firstLine(stderr, err)}
}

// trouble knows git's words for what is our machine's fault, not the patch's.
var trouble = regexp.MustCompile(`No space left|out of memory|Input/output error|Read-only file system|Permission denied|Disk quota`)
