package guard

import (
	"slices"

	"github.com/wideswe/wideswe/pipeline/filerole"
	"github.com/wideswe/wideswe/pipeline/toolchain/registry"
)

// OwnTests are the test files that the prediction changes or adds and that the hidden
// tests leave alone. They are welcome as long as the hidden tests run beside them.
func OwnTests(changed, hidden []string) (list []string) {
	for _, f := range changed {
		if filerole.Of(f) == filerole.Test && !slices.Contains(hidden, f) {
			list = append(list, f)
		}
	}
	return list
}

// Clashing are the own tests in dir that declare a name that a hidden test there
// declares too: the two can't be built together.
func Clashing(dir string, own, hidden []string) (list []string) {
	taken := map[string]bool{}
	for _, f := range hidden {
		for _, name := range registry.Declares(f, readFile(dir, f)) {
			taken[name] = true
		}
	}
	for _, f := range own {
		clashes := func(name string) bool { return taken[name] }
		if slices.ContainsFunc(registry.Declares(f, readFile(dir, f)), clashes) {
			list = append(list, f)
		}
	}
	return list
}
