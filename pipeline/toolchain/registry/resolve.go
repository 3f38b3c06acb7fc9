package registry

import (
	"fmt"

	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
	"github.com/wideswe/wideswe/schema"
)

// UnknownError says that nothing recognises a tree, or that a person's recipe names
// a toolchain that there is not.
type UnknownError struct{ Name string }

// Error says what is not known.
func (e *UnknownError) Error() string {
	if e.Name == "" {
		return "no toolchain recognised"
	}
	return fmt.Sprintf("the recipe names the toolchain %q, which there is not", e.Name)
}

// Resolve makes the recipe of a tree: what is detected for the hidden files, with
// the parts that a person set laid over, in order. A toolchain that the person names
// detects, whatever the others say. The error is an [UnknownError].
func Resolve(t kit.Tree, parts []schema.RecipePart, hidden ...string) (schema.Recipe, kit.Toolchain, error) {
	recipe, tc, ok := Detect(t, hidden...)
	named := schema.Recipe{}.Lay(parts...).Toolchain
	if named != "" && (!ok || tc.Name() != named) {
		if tc, ok = ByName(named); !ok {
			return recipe, nil, &UnknownError{named}
		}
		recipe, _ = tc.Detect(t)
		recipe.Toolchain = tc.Name()
	}
	if !ok {
		return recipe, nil, &UnknownError{}
	}
	laid := recipe.Lay(parts...)
	if laid.Test == "" && recipe.Report != "" {
		laid.Report = recipe.Report // without a test command of its own, it writes what the toolchain's runner writes
	}
	return laid, tc, nil
}
