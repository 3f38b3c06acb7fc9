package recipe

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
	"github.com/wideswe/wideswe/schema"
	"github.com/wideswe/wideswe/stages/trial"
)

// printFinding prints what a trial found for people.
func printFinding(w io.Writer, f trial.Finding) {
	for _, t := range f.Targets {
		printTarget(w, t)
	}
	if f.Works {
		fmt.Fprintf(w, "works, after %.1f s\n", f.Seconds)
	} else {
		fmt.Fprintf(w, "fails, after %.1f s: %s\n", f.Seconds, f.Reason)
		if f.LastLog != "" {
			fmt.Fprintf(w, "last log: %s\n", f.LastLog)
		}
	}
	fmt.Fprintf(w, "logs: %s\n", f.Logs)
}

// lineWriter prints one line under a key.
type lineWriter func(key, format string, args ...any)

func printTarget(w io.Writer, t trial.Target) {
	fmt.Fprintf(w, "%s\n", targetTitle(t))
	line := func(key, format string, args ...any) {
		fmt.Fprintf(w, "  %-11s%s\n", key, fmt.Sprintf(format, args...))
	}
	printList(line, "overrides", t.Overrides, 20)
	if t.Recipe != nil {
		printRecipe(line, *t.Recipe)
	}
	if t.Selection != nil {
		printList(line, "runs", selectedTests(*t.Selection), 8)
		printList(line, "runs not", leftOut(*t.Selection), 8)
	}
	if t.Image != nil {
		line("image", "%s", imageText(*t.Image))
	}
	printList(line, "run", runTexts(t), 12)
	if len(t.Tests) > 0 || len(t.Runs) > 0 {
		line("tests", "%s", countsText(t))
	}
	for _, class := range classOrder() {
		if !countedOnly(class) {
			printList(line, class, t.Tests[class], 20)
		}
	}
	printList(line, "stress", stressTexts(t), 40)
	fmt.Fprintln(w)
}

// printRecipe prints the recipe as a recipe file would have it, and its reasons.
func printRecipe(line lineWriter, r schema.Recipe) {
	why := r.Why
	r.Why, r.Repository = nil, ""
	text, err := yaml.Marshal(r)
	if err != nil {
		text = fmt.Appendf(nil, "%v", err)
	}
	printList(line, "recipe", strings.Split(strings.TrimSpace(string(text)), "\n"), 80)
	printList(line, "why", why, 40)
}

// printList prints the first entries, one a line, under one key.
func printList(line lineWriter, key string, list []string, most int) {
	for i, s := range list {
		if i == most {
			line("", "… and %d more; --json has all", len(list)-most)
			return
		}
		line(key, "%s", s)
		key = ""
	}
}

func targetTitle(t trial.Target) string {
	if len(t.Pulls) == 0 {
		return t.Repository + "@" + short(t.Commit)
	}
	names := make([]string, len(t.Pulls))
	for i, n := range t.Pulls {
		names[i] = schema.PullName(t.Repository, n)
	}
	return fmt.Sprintf("%s  base %s, gold %s", strings.Join(names, " "), short(t.Commit), short(t.Gold))
}

func imageText(i trial.Image) string {
	if i.MB == 0 {
		return fmt.Sprintf("%s, on %s, %.1f s", i.Name, i.Base, i.Seconds)
	}
	return fmt.Sprintf("%s, %.0f MB, on %s, %.1f s", i.Name, i.MB, i.Base, i.Seconds)
}

func short(commit string) string { return commit[:min(12, len(commit))] }

// selectedTests names what runs, a line each.
func selectedTests(s kit.Selection) (list []string) {
	list = append(list, s.Files...)
	for _, u := range s.Units {
		if u.Module != "" { // a package of a module
			list = append(list, fmt.Sprintf("%s ./%s: %s", u.Runner, u.Dir, strings.Join(u.Tests, " ")))
			continue
		}
		words := []string{u.Dir, u.Runner, u.Target, strings.Join(u.Files, " "), strings.Join(u.Tests, " ")}
		list = append(list, strings.Join(slices.DeleteFunc(words, func(s string) bool { return s == "" }), ": "))
	}
	return list
}

func leftOut(s kit.Selection) (list []string) {
	for _, l := range s.Left {
		list = append(list, l.Path+": "+l.Reason)
	}
	return list
}

func runTexts(t trial.Target) (list []string) {
	for _, r := range t.Runs {
		text := fmt.Sprintf("%s: %s, %d tests, %.1f s", r.Name(), r.Status, r.Tests, r.Seconds)
		if r.Detail != "" {
			text += ": " + r.Detail
		}
		list = append(list, text)
	}
	return list
}

// classOrder is the order in which tests are printed: classes of base and gold, then outcomes on one commit.
func classOrder() []string {
	return []string{string(schema.F2P), string(schema.P2P), string(schema.Unstable), string(schema.Unsettled),
		string(schema.P2F), string(schema.F2F),
		string(schema.S2P), string(schema.SkippedTest), string(schema.GoldMissing),
		string(schema.Pass), string(schema.Fail), string(schema.Error), string(schema.Skip), string(schema.NotRun)}
}

// countedOnly reports whether the tests of a class are counted and not named: nobody looks for them.
func countedOnly(class string) bool {
	switch class {
	case string(schema.P2P), string(schema.SkippedTest), string(schema.Pass), string(schema.Skip):
		return true
	}
	return false
}

func countsText(t trial.Target) string {
	var parts []string
	for _, class := range classOrder() {
		always := len(t.Pulls) > 0 && (class == string(schema.F2P) || class == string(schema.P2P) ||
			class == string(schema.Unstable))
		if n := len(t.Tests[class]); n > 0 || always {
			parts = append(parts, fmt.Sprintf("%s %d", class, n))
		}
		if class == string(schema.F2P) && t.MissingOnBase > 0 {
			parts[len(parts)-1] += fmt.Sprintf(" (%d missing on base)", t.MissingOnBase)
		}
		if class == string(schema.F2P) && t.PassedBefore > 0 {
			parts[len(parts)-1] += fmt.Sprintf(" (%d passed before, %d new)", t.PassedBefore, len(t.Tests[class])-t.PassedBefore)
		}
	}
	return fmt.Sprintf("%s (%.1f s)", cmp.Or(strings.Join(parts, ", "), "none"), t.Seconds)
}

// stressTexts has a line for each variant of stress, and one for each test that does not hold.
func stressTexts(t trial.Target) (list []string) {
	for _, s := range t.Stress {
		text := s.Variant + ":"
		for _, word := range []string{"holds", "breaks", "wavers", "needed", "fails", "not_checked"} {
			if n := s.Outcomes[word]; n > 0 {
				text += fmt.Sprintf(" %s %d", word, n)
			}
		}
		if s.NotChecked != "" {
			text += " (not checked: " + s.NotChecked + ")"
		}
		list = append(list, text)
		for _, x := range s.Tests {
			list = append(list, "  "+x.Outcome+" "+x.ID+": "+x.Detail)
		}
	}
	return list
}
