package validate_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/testrun"
)

// TestValidateRunsAgainForItsOwnLanguages: a fix for PHP leaves a task of Go alone, and
// one for Go redoes it.
func TestValidateRunsAgainForItsOwnLanguages(t *testing.T) {
	tr, changes := fixture()
	db := open(t, changes)
	s := stage(t, db, tr)
	s.Repeats = 1
	ran := &counting{Backend: s.Runner.Backend}
	s.Runner.Backend = ran
	versions := func(golang, php, gotest string) testrun.Versions {
		return testrun.Versions{Languages: map[string]string{"go": golang, "php": php},
			Formats: map[string]string{"gotest": gotest, "phpunit": php}}
	}
	for _, c := range []struct {
		name     string
		versions testrun.Versions
		again    bool
		rules    string
	}{
		{"first", testrun.Versions{}, true, "3.2.2.5.5"},
		{"what older databases hold", versions("5", "5", "4"), false, "3.2.2.5.5"},
		{"a fix for PHP", versions("5", "6", "4"), false, "3.2.2.5.5"},
		{"a fix for Go", versions("6", "6", "4"), true, "3.2.2.5.5 toolchain:go/6"},
		{"another for PHP", versions("6", "7", "4"), false, "3.2.2.5.5 toolchain:go/6"},
		{"a fix for Go's report", versions("6", "7", "5"), true, "3.2.2.5.5 report:gotest/5 toolchain:go/6"},
	} {
		before := ran.runs.Load()
		s.Versions = c.versions
		run := &pipeline.Run{Ledger: db}
		if err := pipeline.Execute(t.Context(), s, run); err != nil {
			t.Fatal(err)
		}
		if again := ran.runs.Load() > before; again != c.again || run.Counts.Unchanged == 1 == c.again {
			t.Errorf("%s: run again %v, want %v: %+v", c.name, again, c.again, run.Counts)
		}
		if d := cmp.Diff([]string{c.rules}, query(t, db, "SELECT DISTINCT rule_version FROM test_runs")); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
		if d := cmp.Diff([]string{"3.2.2.5.5"}, query(t, db, "SELECT DISTINCT version FROM outcomes WHERE stage = "+
			"'validate'")); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
	}
}

// TestValidateLooksAgainWhereNoLanguageIsKnown: what nothing recognised may be of a
// language that changed.
func TestValidateLooksAgainWhereNoLanguageIsKnown(t *testing.T) {
	db := open(t, []change{{"o/lib", "x", added("x", "x\n"), added("y_test", "y\n"), "y_test"}})
	s := stage(t, db, trees{"o/lib": {"README": "x\n"}})
	skipped := func(v testrun.Versions, want pipeline.Counts) {
		t.Helper()
		s.Versions = v
		run := &pipeline.Run{Ledger: db}
		if err := pipeline.Execute(t.Context(), s, run); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, run.Counts); d != "" {
			t.Error(d)
		}
	}
	php := testrun.Versions{Languages: map[string]string{"go": "5", "php": "6"}}
	skipped(testrun.Versions{}, pipeline.Counts{Skipped: 1})
	skipped(testrun.Versions{}, pipeline.Counts{Unchanged: 1})
	skipped(php, pipeline.Counts{Skipped: 1})
	skipped(php, pipeline.Counts{Unchanged: 1})
}
