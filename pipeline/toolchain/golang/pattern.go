package golang

import (
	"regexp"
	"slices"
	"strings"

	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
	"github.com/wideswe/wideswe/schema"
)

// goPatterns writes what -run and -skip take for one package. any is false where
// nothing of it runs.
func goPatterns(g kit.Unit, unit string, j kit.Job) (run, skip string, any bool) {
	run = "^(" + strings.Join(quoteRegexps(g.Tests), "|") + ")$"
	if len(j.Only) > 0 {
		patterns := goNames(j.Only, unit, g.Tests)
		if len(patterns) == 0 {
			return "", "", false
		}
		run = strings.Join(patterns, "|")
	}
	if patterns := goNames(j.Skip, unit, g.Tests); len(patterns) > 0 {
		skip = " -skip " + kit.Quote(strings.Join(patterns, "|"))
	}
	return run, skip, true
}

func quoteRegexps(names []string) []string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = regexp.QuoteMeta(n)
	}
	return out
}

// goNames turns the ids of a unit into patterns, one element a level of subtests.
// An id speaks of a package run only where its top-level test is selected there.
func goNames(ids []string, unit string, tests []string) []string {
	var patterns []string
	for _, id := range ids {
		of, name := schema.SplitTestID(id)
		top, _, _ := strings.Cut(name, "/")
		top = kit.RepeatSuffix.ReplaceAllString(top, "")
		if of != unit || !slices.Contains(tests, top) {
			continue
		}
		patterns = append(patterns, goPatternOf(kit.RepeatSuffix.ReplaceAllString(name, "")))
	}
	return kit.Unique(patterns)
}

// goPatternOf writes the pattern of one test. What an id masks (a port, an
// address, a temporary path) and what it cuts off matches anything.
func goPatternOf(name string) string {
	var out []string
	for _, element := range strings.Split(name, "/") {
		if element == "TMP" && len(out) > 0 && out[len(out)-1] == "^$" {
			out = out[:len(out)-1] // the path's depth is not known: whatever is below
			break
		}
		if i := strings.Index(element, "…"); i >= 0 {
			out = append(out, "^"+regexp.QuoteMeta(element[:i]))
			break
		}
		p := regexp.QuoteMeta(element)
		p = strings.NewReplacer(":PORT", `:\d+`, "0xADDR", `0x[0-9a-f]+`).Replace(p)
		if element == "PORT" {
			p = `\d+`
		}
		out = append(out, "^"+p+"$")
	}
	return strings.Join(out, "/")
}
