package registry

import "github.com/wideswe/wideswe/pipeline/toolchain/kit"

// Packages are the languages' package managers.
func Packages() (all []kit.Packages) {
	for _, t := range All() {
		if p := t.Facts().Packages; p.Known() {
			all = append(all, p.Value)
		}
	}
	return all
}

// BuildFailures are the words of all languages' tools for what stops a build.
func BuildFailures() (all []kit.BuildFailure) {
	for _, t := range All() {
		if f := t.Facts().BuildFailures; f.Known() {
			all = append(all, f.Value...)
		}
	}
	return all
}
