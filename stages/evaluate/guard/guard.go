// Package guard decides what becomes of each file that a prediction changes before the
// second run, and puts files back. It names what is kept: production files. Build
// descriptions are compared, and only what concerns the tests goes back. Everything
// else that tests may read goes back, to gold's version where gold changed the file,
// else to base's. The package also names the prediction's own tests that keep the
// hidden ones from being built.
//
// It looks at folders of trees and at lists of files. What runs, what a run says and
// how a task ends by it are not its matter.
package guard

import (
	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
)

// The guards: what becomes of a prediction that changes runner configuration.
const (
	Off    = "off"    // it runs as submitted alone: the paper's rule
	On     = "on"     // a second run has put back what is not production; where it differs the verdict is disputed
	Reject = "reject" // it does not run
)

// Repository is one repository that a prediction changes: folders of its tree at base,
// at gold with the hidden tests, and with the prediction, and what the release says
// about its files.
type Repository struct {
	Base, Changed string
	// Gold may not exist: nothing is known of gold in a context repository.
	Gold string
	// Hidden are the files of the hidden tests, where they lie.
	Hidden []string
	// Listed are the ids of the tests that count.
	Listed []string
	// CommandFolders are the folders of the tree whose programs the runner finds first.
	CommandFolders []string
	// Compare compares a build description with its version at gold or base. Nil compares
	// the texts; who can run a build tool in the target's image may compare what it says.
	Compare func(kit.Change) kit.Guard
}

// The decisions.
const (
	Kept     = "kept"      // the file stays as the prediction has it
	PartBack = "part back" // the parts that concern tests go back, the rest stays
	PutBack  = "put back"  // the whole file goes back, or away where it was not there
)

// Decision is what becomes of one file that the prediction changes.
type Decision struct {
	Path     string
	Decision string // Kept, PartBack or PutBack
	Reason   string
	// Kind is the kind of deviation that a file is that goes back.
	Kind string
	// New says that neither base nor gold has the file.
	New bool
	// Restored is the whole file with the parts that concern tests put back.
	Restored []byte
	// from is the folder of the tree whose version the file goes back to.
	from string
}

// Inspect decides about the files that the prediction changes. The hidden tests' own
// files are laid over it anyway and are left out.
func Inspect(r Repository, files []string) []Decision {
	in := newInspection(r)
	var list []Decision
	for _, f := range files {
		if !in.hidden[f] {
			list = append(list, in.decide(f))
		}
	}
	return in.clearWay(list)
}
