package verdict

import (
	"fmt"
	"strings"

	"github.com/wideswe/wideswe/schema"
)

// Notes are what made a verdict more than one plain run: a list, and the same in words.
type Notes struct {
	Flags      []string
	Deviations []schema.Deviation
}

// Add notes a deviation, as a flag and in the list.
func (n *Notes) Add(kind, repository, detail string, files ...string) {
	n.Flags = append(n.Flags, flagText(kind, repository, detail, files))
	n.List(kind, repository, detail, files...)
}

// List notes a deviation that the report already says in a field of its own: in the
// list alone.
func (n *Notes) List(kind, repository, detail string, files ...string) {
	n.Deviations = append(n.Deviations,
		schema.Deviation{Kind: kind, Repository: repository, Files: files, Detail: detail})
}

// deviationWords say in flags what a deviation's kind means.
var deviationWords = map[string]string{
	schema.DeviationNormalised:   "normalised",
	schema.DeviationConfig:       "runner configuration",
	schema.DeviationTestData:     "data of tests",
	schema.DeviationGuarded:      "second run",
	schema.DeviationPutBack:      "put back",
	schema.DeviationAlone:        "run again alone",
	schema.DeviationAside:        "moved aside",
	schema.DeviationLeftOut:      "left out of the second run, since they do not build",
	schema.DeviationRelocated:    "relocated",
	schema.DeviationRetried:      "trouble of this machine",
	schema.DeviationImage:        "image made here",
	schema.DeviationEmulated:     "emulated",
	schema.DeviationUnknownTests: "tests that validation does not know",
}

// flagText is a deviation in words.
func flagText(kind, repository, detail string, files []string) string {
	parts := []string{deviationWords[kind]}
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
