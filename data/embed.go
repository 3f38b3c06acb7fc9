// Package data holds what the program ships: the ecosystem of the demo, and the
// published ecosystems. README.md beside this file says who edits what. The package reads its files
// and judges nothing; building and serving the ecosystem is the work of
// pipeline/githubtest, walking it that of the demo command.
package data

import (
	"embed"
	"io/fs"
)

//go:embed all:demo ecosystems.yaml
var files embed.FS

// Demo is the folder demo: the description of the demo's ecosystem, in the form
// that pipeline/githubtest loads, and the script of the demo beside it.
func Demo() fs.FS {
	sub, err := fs.Sub(files, "demo")
	if err != nil {
		panic(err) // the folder is embedded above
	}
	return sub
}

// Ecosystems is the text of ecosystems.yaml, in the form of the file of that name
// in a curator's folder.
func Ecosystems() []byte {
	text, err := files.ReadFile("ecosystems.yaml")
	if err != nil {
		panic(err) // the file is embedded above
	}
	return text
}
