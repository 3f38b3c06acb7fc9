// Package formats lists the report formats and finds them by name. Each is made by a
// constructor in a folder beside this one; what else a format needs, this package's
// test names.
package formats

import (
	"fmt"
	"slices"
	"strings"

	"github.com/wideswe/wideswe/pipeline/testreport"
	"github.com/wideswe/wideswe/pipeline/testreport/cpp"
	"github.com/wideswe/wideswe/pipeline/testreport/gotest"
	"github.com/wideswe/wideswe/pipeline/testreport/java"
	"github.com/wideswe/wideswe/pipeline/testreport/junit"
	"github.com/wideswe/wideswe/pipeline/testreport/libtest"
	"github.com/wideswe/wideswe/pipeline/testreport/node"
	"github.com/wideswe/wideswe/pipeline/testreport/php"
	"github.com/wideswe/wideswe/pipeline/testreport/ruby"
	"github.com/wideswe/wideswe/pipeline/testreport/tap"
	"github.com/wideswe/wideswe/pipeline/testreport/trx"
)

// All lists the formats.
func All() []testreport.Format {
	return []testreport.Format{
		cpp.Format(),
		gotest.Format(),
		java.Gradle(),
		java.Surefire(),
		junit.Format(),
		libtest.Format(),
		node.Jest(),
		node.Mocha(),
		node.Node(),
		node.Vitest(),
		php.PHPUnit(),
		ruby.RSpec(),
		ruby.Ruby(),
		tap.Format(),
		trx.Format(),
	}
}

// Names lists the names of the formats, sorted.
func Names() []string {
	var names []string
	for _, f := range All() {
		names = append(names, f.Name)
	}
	slices.Sort(names)
	return names
}

// ByName finds a format by its name.
func ByName(name string) (f testreport.Format, ok bool) {
	for _, f := range All() {
		if f.Name == name {
			return f, true
		}
	}
	return testreport.Format{}, false
}

// Parse reads the files of one run, name → bytes. An unknown format is an error;
// whatever is wrong with the files is in the report's problems.
func Parse(format string, files map[string][]byte) (testreport.Report, error) {
	f, ok := ByName(format)
	if !ok {
		return testreport.Report{}, fmt.Errorf("no parser for the report format %q; there are %s",
			format, strings.Join(Names(), ", "))
	}
	return f.Parse(files), nil
}

// Consistent reports whether a runner's exit code and its report tell the same story,
// by the rule of the report's format, and if not, where they differ.
func Consistent(r testreport.Report, exitCode int) (ok bool, why string) {
	f, _ := ByName(r.Format) // the zero format has the common rule
	return f.Judge(r, exitCode)
}

// Ended reports whether a test's unit ended in a run, by the report's format: a test that
// the report then does not name does not exist.
func Ended(r testreport.Report, id string) bool {
	f, _ := ByName(r.Format)
	return f.Ended(r, id)
}
