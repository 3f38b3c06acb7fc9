package synthetic_test

import (
	"testing"

	"github.com/wideswe/wideswe/cmd/wideswe/internal/bench/synthetic"
	"github.com/wideswe/wideswe/pipeline/testreport/formats"
	"github.com/wideswe/wideswe/schema"
)

// Every format has a generator whose reports are read whole and without a problem.
func TestReportsAreRead(t *testing.T) {
	const tests = 250
	for _, format := range formats.Names() {
		t.Run(format, func(t *testing.T) {
			files, ok := synthetic.Report(format, tests)
			if !ok {
				t.Fatalf("no generator for the report format %q: write one in report.go and list it in Report", format)
			}
			r, err := formats.Parse(format, files)
			if err != nil {
				t.Fatal(err)
			}
			got := map[schema.TestOutcome]int{}
			for _, x := range r.Results {
				got[x.Outcome]++
			}
			if got[schema.Pass] != 238 || got[schema.Fail] != 10 || got[schema.Skip] != 2 {
				t.Errorf("%d tests: %v", len(r.Results), got)
			}
			for _, p := range r.Problems {
				t.Errorf("%+v", p)
			}
		})
	}
	if _, ok := synthetic.Report("no such format", 1); ok {
		t.Error("an unknown format has a generator")
	}
}
