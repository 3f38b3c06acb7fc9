package testrun

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/wideswe/wideswe/pipeline/testreport"
	"github.com/wideswe/wideswe/pipeline/testreport/formats"
	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
	"github.com/wideswe/wideswe/schema"
)

// Unhealthy says why a run of what must pass can't be trusted, with the first cause: it
// crashed, a selected file has no result, or most of its tests fail. It is empty where the
// run is healthy. A crash that did not come again (see [Report.Vanished]) is chance.
func (r *Report) Unhealthy() string {
	first := r.First()
	if why := crashReason(first); why != "" && !r.Vanished() {
		return why
	}
	if file, why := deadFile(r.Selection, first.Parsed, r.Results); file != "" {
		return strings.TrimSuffix(fmt.Sprintf("%s has no result: %s", file, why), ": ")
	}
	return mostFail(r.Results)
}

// crashReason is what brought a run down. A text of TAP without a plan ends before its
// end, too; where its program ended well that is how it was written.
func crashReason(a Attempt) string {
	for _, p := range a.Parsed.Problems {
		switch {
		case p.Kind == testreport.Crashed, p.Kind == testreport.BailedOut, p.Kind == testreport.Cut && a.ExitCode != 0:
			return fmt.Sprintf("it %s in %s: %s", strings.ReplaceAll(string(p.Kind), "_", " "), p.Unit,
				lastWords([]byte(p.Message)))
		}
	}
	return ""
}

// deadFile finds a selected file that could not be loaded, or of which nothing is told.
func deadFile(s kit.Selection, r testreport.Report, results []schema.TestResult) (file, why string) {
	for _, p := range r.Problems {
		switch p.Kind {
		case testreport.BuildFailed, testreport.CollectionError, testreport.NoTests, testreport.Unreadable:
			if !skippedWhole(p) {
				return p.Unit, strings.ReplaceAll(string(p.Kind), "_", " ") + ": " + lastWords([]byte(p.Message))
			}
		}
	}
	if f, ok := formats.ByName(r.Format); !ok || f.Unit != testreport.FileUnit {
		return "", ""
	}
	for _, f := range s.AllFiles() {
		f, _, _ = strings.Cut(f, "::")
		if !hasResult(f, r, results) {
			return f, ""
		}
	}
	return "", ""
}

// skippedWhole reports whether pytest was told to skip a file: that is a result of all its tests.
func skippedWhole(p testreport.Problem) bool {
	return p.Kind == testreport.NoTests && strings.Contains(p.Message, "collection skipped")
}

// hasResult reports whether a file is the unit of a result, or named by a problem. A unit
// of pytest's may be a class of the file, by its dotted path; a selection may name a folder.
func hasResult(file string, r testreport.Report, results []schema.TestResult) bool {
	dotted := strings.ReplaceAll(strings.TrimSuffix(file, path.Ext(file)), "/", ".")
	ours := func(unit string) bool {
		return unit == file || strings.HasPrefix(unit, file+"/") || unit == dotted || strings.HasPrefix(unit, dotted+".")
	}
	return slices.ContainsFunc(results, func(t schema.TestResult) bool {
		unit, _ := schema.SplitTestID(t.ID)
		return ours(unit)
	}) || slices.ContainsFunc(r.Problems, func(p testreport.Problem) bool { return ours(p.Unit) })
}

// mostFail counts the tests that fail, with the words of the first.
func mostFail(results []schema.TestResult) string {
	bad, all, first := 0, 0, ""
	for _, t := range results {
		switch {
		case testreport.IsBad(t.Outcome):
			if bad == 0 {
				first = t.ID + ": " + lastWords([]byte(t.Message))
			}
			bad, all = bad+1, all+1
		case t.Outcome == schema.Pass:
			all++
		}
	}
	if 2*bad <= all {
		return ""
	}
	return fmt.Sprintf("%d of %d tests fail, first %s", bad, all, strings.TrimSuffix(first, ": "))
}
