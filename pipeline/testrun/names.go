package testrun

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path"
	"regexp"
	"strings"

	"github.com/wideswe/wideswe/pipeline/sandbox"
	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
)

// Names are where the names of the tests and of their runner lead, as the language's own
// resolver said before the tests began.
type Names struct {
	// Inside are those that lead into the workspace, each with the path from there.
	Inside map[string]string `json:",omitempty"`
	// Outside are the others that lead anywhere.
	Outside map[string]bool `json:",omitempty"`
	// Lost is true where the file that the resolver wrote is gone or was changed.
	Lost bool `json:",omitempty"`
}

// namesFile holds what the resolver says. The line with its digest is printed before the
// tests begin, so that none of them can change what it says.
const namesFile = ".names"

var namesLine = regexp.MustCompile(`(?m)^wideswe: names ([0-9a-f]{64})\b`)

// nameLines ask the resolver, right before the tests.
func nameLines(tc kit.Toolchain, j kit.Job) []string {
	ask := tc.Facts().Resolve
	if !j.Sources || !ask.Known() || j.Recipe.Test != "" {
		return nil
	}
	line := ask.Value(j)
	if line == "" {
		return nil
	}
	return []string{
		"(" + line + `) >"$WIDESWE_OUT/` + namesFile + `" 2>/dev/null </dev/null || :`,
		`echo "wideswe: names $(sha256sum <"$WIDESWE_OUT/` + namesFile + `")"`,
	}
}

// readNames reads what the resolver said.
func (q Request) readNames(res sandbox.Result) *Names {
	n := &Names{Inside: map[string]string{}, Outside: map[string]bool{}}
	text, found := res.Files[namesFile]
	said := namesLine.FindSubmatch(res.Output)
	sum := sha256.Sum256(text)
	if !found || said == nil || string(said[1]) != hex.EncodeToString(sum[:]) {
		n.Lost = true
		return n
	}
	for line := range strings.Lines(string(text)) {
		name, place, ok := strings.Cut(strings.TrimRight(line, "\n"), "\t")
		if !ok || name == "" || place == "" {
			continue
		}
		if _, rest, inside := strings.Cut(place, workspaceDir+"/"); inside {
			n.Inside[name] = path.Clean(rest)
		} else {
			n.Outside[name] = true
		}
	}
	return n
}

// Names are those of the first run.
func (r *Report) Names() Names {
	if n := r.First().Names; n != nil {
		return *n
	}
	return Names{}
}

// Taken lists the names that lead out of the workspace in one run and into it in this.
func (n Names) Taken(gold Names) (list []string) {
	for _, name := range kit.SortedKeys(n.Inside) {
		if gold.Outside[name] {
			list = append(list, fmt.Sprintf("%s (%s)", name, n.Inside[name]))
		}
	}
	return list
}
