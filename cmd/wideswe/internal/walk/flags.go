package walk

import (
	"github.com/wideswe/wideswe/stages"
)

// runFlags are the flags of run and of the stages' own commands.
type Flags struct {
	Redo    bool
	Sandbox string
	repeats int // of validate; 0 is the config's

	updateImages bool
	stress       bool // of validate
	export       stages.ExportFlags
}
