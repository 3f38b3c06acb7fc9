package evaluate

import (
	"fmt"
	"strings"

	"github.com/wideswe/wideswe/schema"
)

// words say in flags what a deviation's kind means.
var words = map[string]string{
	schema.DeviationNormalised:   "normalised",
	schema.DeviationConfig:       "runner configuration",
	schema.DeviationTestData:     "data of tests",
	schema.DeviationGuarded:      "with the runner configuration of base",
	schema.DeviationAlone:        "run again alone",
	schema.DeviationAside:        "moved aside",
	schema.DeviationRelocated:    "relocated",
	schema.DeviationRetried:      "trouble of this machine",
	schema.DeviationImage:        "image made here",
	schema.DeviationEmulated:     "emulated",
	schema.DeviationUnknownTests: "tests that validation does not know",
}

// flagText is a deviation in words.
func flagText(kind, repository, detail string, files []string) string {
	parts := []string{words[kind]}
	if repository != "" {
		parts = append(parts, repository)
	}
	if n := len(files); n > 5 {
		files = append(append([]string{}, files[:5]...), fmt.Sprintf("and %d more", n-5))
	}
	if len(files) > 0 {
		parts = append(parts, strings.Join(files, ", "))
	}
	if detail != "" {
		parts = append(parts, detail)
	}
	return strings.Join(parts, ": ")
}

// note puts a deviation on a whole verdict.
func (v *verdict) note(kind, repository, detail string, files ...string) {
	v.Report.Flags = append(v.Report.Flags, flagText(kind, repository, detail, files))
	v.Report.Deviations = append(v.Report.Deviations, schema.Deviation{Kind: kind, Repository: repository, Files: files, Detail: detail})
}

// note puts a deviation of the whole trial on its report.
func (t *trial) note(kind, repository, detail string, files ...string) {
	t.flags = append(t.flags, flagText(kind, repository, detail, files))
	t.deviations = append(t.deviations, schema.Deviation{Kind: kind, Repository: repository, Files: files, Detail: detail})
}
