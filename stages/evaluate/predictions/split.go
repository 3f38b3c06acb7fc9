package predictions

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/wideswe/wideswe/pipeline/patch"
	"github.com/wideswe/wideswe/pipeline/release"
)

// splitWorkspace divides a diff over a whole workspace, with paths that begin with
// owner/name/, into a patch a repository. What the lines say stays as it is, byte for
// byte; only names in headers lose the prefix.
//
// Text that can't be read as a diff is the agent's failure and not the file's: it is
// left whole to the first target, where it does not apply.
func splitWorkspace(t *release.Task, diff string) (map[string]string, error) {
	out, names := map[string]string{}, map[string][]string{}
	if strings.TrimSpace(diff) == "" {
		return out, nil
	}
	unread := map[string]string{t.Targets[0].Repository: diff}
	files, err := patch.Parse([]byte(diff))
	if err != nil {
		return unread, nil
	}
	for _, f := range files {
		repository, err := repositoryOf(t, f)
		if err != nil {
			return nil, err
		}
		out[repository] += string(withoutPrefix(f.Raw, repository+"/"))
		names[repository] = append(names[repository], strings.TrimPrefix(f.OldPath, repository+"/"),
			strings.TrimPrefix(f.NewPath, repository+"/"))
	}
	for repository, part := range out { // a name that begins with a quote, say
		if !slices.Equal(names[repository], pathsOf(part)) {
			return unread, nil
		}
	}
	return out, nil
}

// pathsOf gives the names of a patch's sections, nil where it can't be read.
func pathsOf(diff string) (names []string) {
	files, err := patch.Parse([]byte(diff))
	if err != nil {
		return nil
	}
	for _, f := range files {
		names = append(names, f.OldPath, f.NewPath)
	}
	return names
}

// repositoryOf finds the one repository that all the names of a section lie in.
func repositoryOf(t *release.Task, f patch.File) (string, error) {
	var all []string
	for _, w := range t.Workspace.Repositories {
		all = append(all, w.Repository)
	}
	found := ""
	for _, p := range f.Paths() {
		i := slices.IndexFunc(all, func(r string) bool { return strings.HasPrefix(p, r+"/") && len(p) > len(r)+1 })
		if i < 0 {
			return "", fmt.Errorf("unknown repository: the path %q of the diff begins with none of %s", p,
				strings.Join(all, "/, ")+"/")
		}
		if found != "" && found != all[i] {
			return "", fmt.Errorf("the diff moves %q into another repository; say it as two changes", f.OldPath)
		}
		found = all[i]
	}
	if found == "" {
		return "", fmt.Errorf("unknown repository: a part of the diff names no path")
	}
	return found, nil
}

// withoutPrefix takes a prefix off the names in a section's header lines. Hunks and
// binary data begin where the header ends, and are not looked at.
func withoutPrefix(section []byte, prefix string) []byte {
	var out bytes.Buffer
	rest := section
	for begun := false; len(rest) > 0; {
		line := rest
		if i := bytes.IndexByte(rest, '\n'); i >= 0 {
			line = rest[:i+1]
		}
		if bytes.HasPrefix(line, []byte("@@ -")) || bytes.HasPrefix(line, []byte("GIT binary patch")) ||
			bytes.HasPrefix(line, []byte("Binary files ")) {
			break
		}
		begun = begun || bytes.HasPrefix(line, []byte("diff --git ")) || bytes.HasPrefix(line, []byte("--- "))
		if begun { // text before a first section is prose
			out.Write(headerLine(line, prefix))
		}
		rest = rest[len(line):]
	}
	out.Write(rest)
	return out.Bytes()
}

// headerLine strips the names of one header line, quoted or plain. The names of
// "diff --git" lines and of --- and +++ have one folder, a or b, before them; those of
// renames have none.
func headerLine(line []byte, prefix string) []byte {
	s := string(line)
	for _, k := range []string{"rename from ", "rename to ", "rename old ", "rename new ", "copy from ", "copy to "} {
		if name, ok := strings.CutPrefix(s, k); ok {
			quote := ""
			if strings.HasPrefix(name, `"`) {
				quote, name = `"`, name[1:]
			}
			return []byte(k + quote + strings.TrimPrefix(name, prefix))
		}
	}
	for _, k := range []string{"--- ", "+++ "} {
		if name, ok := strings.CutPrefix(s, k); ok {
			return []byte(k + sideWithout(name, prefix))
		}
	}
	names, ok := strings.CutPrefix(s, "diff --git ")
	if !ok {
		return line
	}
	if left, right, ok := halves(names, prefix); ok {
		return []byte("diff --git " + sideWithout(left, prefix) + " " + sideWithout(right, prefix))
	}
	return line
}

// sideWithout takes the prefix off a name that one folder stands before.
func sideWithout(name, prefix string) string {
	quote := ""
	if strings.HasPrefix(name, `"`) {
		quote, name = `"`, name[1:]
	}
	first, rest, found := strings.Cut(name, "/")
	if !found {
		return quote + name
	}
	if below, ok := strings.CutPrefix(rest, prefix); ok {
		return quote + first + "/" + below
	}
	return quote + name
}

// halves divides the names of a "diff --git" line where the second begins: at a space,
// a folder and the prefix. With several such places names hold the prefix inside, and
// the line is divided where both halves are alike.
func halves(names, prefix string) (left, right string, ok bool) {
	body := strings.TrimRight(names, "\r\n")
	for i := 0; i < len(body); i++ {
		if body[i] != ' ' {
			continue
		}
		second := strings.TrimPrefix(body[i+1:], `"`)
		if _, rest, found := strings.Cut(second, "/"); !found || !strings.HasPrefix(rest, prefix) {
			continue
		}
		if !ok || sameFile(body[:i], body[i+1:]) {
			left, right, ok = body[:i], names[i+1:], true
		}
	}
	return left, right, ok
}

// sameFile compares two names without the folder before them.
func sameFile(a, b string) bool {
	_, a, _ = strings.Cut(a, "/")
	_, b, _ = strings.Cut(b, "/")
	return a == b
}
