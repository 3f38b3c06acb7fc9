package workspace

import "github.com/wideswe/wideswe/pipeline"

// Scratch is [pipeline.Scratch] where the system has its temporary files.
func Scratch(kind string) (dir string, remove func(), err error) { return pipeline.Scratch("", kind) }
