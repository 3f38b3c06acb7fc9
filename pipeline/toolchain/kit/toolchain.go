package kit

import (
	"github.com/wideswe/wideswe/schema"
)

// Toolchain knows how repositories of one language are built and tested.
type Toolchain interface {
	// Name is the recipe's word for it.
	Name() string
	// Facts are what others need to know of the language.
	Facts() Facts
	// Detect makes a recipe from the tree, each part with its reason.
	Detect(Tree) (schema.Recipe, bool)
	// Select names the tests of the files that the hidden tests touch. The tree has
	// the hidden tests laid over it; hidden lists their paths.
	Select(t Tree, r schema.Recipe, hidden []string) (Selection, error)
	// Plan writes the commands.
	Plan(Job) (Plan, error)
}
