package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
	"github.com/wideswe/wideswe/schema"
)

// print tells the finding to a person.
func (t *try) print() {
	for _, f := range t.found.Targets {
		printTarget(t.a.out, f)
	}
	if t.found.Works {
		fmt.Fprintf(t.a.out, "works, after %.1f s\n", t.found.Seconds)
	} else {
		fmt.Fprintf(t.a.out, "fails, after %.1f s: %s\n", t.found.Seconds, t.found.Reason)
		if t.found.LastLog != "" {
			fmt.Fprintf(t.a.out, "last log: %s\n", t.found.LastLog)
		}
	}
	fmt.Fprintf(t.a.out, "logs: %s\n", t.found.Logs)
}

func printTarget(w io.Writer, f targetFinding) {
	fmt.Fprintf(w, "%s\n", f.name())
	line := func(key, format string, args ...any) {
		fmt.Fprintf(w, "  %-11s%s\n", key, fmt.Sprintf(format, args...))
	}
	printList(line, "overrides", f.Overrides, 20)
	if f.Recipe != nil {
		printRecipe(line, *f.Recipe)
	}
	if f.Selection != nil {
		printList(line, "runs", selected(*f.Selection), 8)
		printList(line, "runs not", left(*f.Selection), 8)
	}
	if f.Image != nil {
		line("image", "%s", f.Image)
	}
	printList(line, "run", f.runs(), 12)
	if len(f.Tests) > 0 || len(f.Runs) > 0 {
		line("tests", "%s", f.counts())
	}
	for _, class := range classOrder {
		if !quiet[class] {
			printList(line, class, f.Tests[class], 20)
		}
	}
	printList(line, "stress", f.stressed(), 40)
	fmt.Fprintln(w)
}

// printRecipe prints the recipe as a recipe file would have it, and its reasons.
func printRecipe(line func(string, string, ...any), r schema.Recipe) {
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
func printList(line func(string, string, ...any), key string, list []string, most int) {
	for i, s := range list {
		if i == most {
			line("", "… and %d more; --json has all", len(list)-most)
			return
		}
		line(key, "%s", s)
		key = ""
	}
}

func (f targetFinding) name() string {
	if len(f.Pulls) == 0 {
		return f.Repository + "@" + short(f.Commit)
	}
	names := make([]string, len(f.Pulls))
	for i, n := range f.Pulls {
		names[i] = schema.PullName(f.Repository, n)
	}
	return fmt.Sprintf("%s  base %s, gold %s", strings.Join(names, " "), short(f.Commit), short(f.Gold))
}

func (i *imageFinding) String() string {
	if i.MB == 0 {
		return fmt.Sprintf("%s, on %s, %.1f s", i.Name, i.Base, i.Seconds)
	}
	return fmt.Sprintf("%s, %.0f MB, on %s, %.1f s", i.Name, i.MB, i.Base, i.Seconds)
}

func short(commit string) string { return commit[:min(12, len(commit))] }

// selected names what runs, a line each.
func selected(s kit.Selection) (list []string) {
	list = append(list, s.Files...)
	for _, u := range s.Units {
		if u.Module != "" { // a package of a module
			list = append(list, fmt.Sprintf("%s ./%s: %s", u.Runner, u.Dir, strings.Join(u.Tests, " ")))
			continue
		}
		list = append(list, strings.Join(slices.DeleteFunc([]string{u.Dir, u.Runner, u.Target,
			strings.Join(u.Files, " "), strings.Join(u.Tests, " ")}, func(s string) bool { return s == "" }), ": "))
	}
	return list
}

func left(s kit.Selection) (list []string) {
	for _, l := range s.Left {
		list = append(list, l.Path+": "+l.Reason)
	}
	return list
}

func (f targetFinding) runs() (list []string) {
	for _, r := range f.Runs {
		text := fmt.Sprintf("%s: %s, %d tests, %.1f s", r.name(), r.Status, r.Tests, r.Seconds)
		if r.Detail != "" {
			text += ": " + r.Detail
		}
		list = append(list, text)
	}
	return list
}

// classOrder is the order in which tests are told of: classes of base and gold,
// then what a test ended with on one commit.
var classOrder = []string{string(schema.F2P), string(schema.P2P), string(schema.Unstable), string(schema.P2F), string(schema.F2F),
	string(schema.S2P), string(schema.SkippedTest), string(schema.GoldMissing),
	string(schema.Pass), string(schema.Fail), string(schema.Error), string(schema.Skip), string(schema.NotRun)}

// quiet are classes whose tests are counted and not named: nobody looks for them.
var quiet = map[string]bool{string(schema.P2P): true, string(schema.SkippedTest): true, string(schema.Pass): true, string(schema.Skip): true}

func (f targetFinding) counts() string {
	var parts []string
	for _, class := range classOrder {
		always := len(f.Pulls) > 0 && (class == string(schema.F2P) || class == string(schema.P2P) || class == string(schema.Unstable))
		if n := len(f.Tests[class]); n > 0 || always {
			parts = append(parts, fmt.Sprintf("%s %d", class, n))
		}
		if class == string(schema.F2P) && f.MissingOnBase > 0 {
			parts[len(parts)-1] += fmt.Sprintf(" (%d missing on base)", f.MissingOnBase)
		}
	}
	return fmt.Sprintf("%s (%.1f s)", cmp.Or(strings.Join(parts, ", "), "none"), f.Seconds)
}
