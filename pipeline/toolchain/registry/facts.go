package registry

import (
	"context"
	"os/exec"
	"slices"
	"strings"

	"github.com/wideswe/wideswe/pipeline/buildfailure"
	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
)

// Packages are the languages' package managers.
func Packages() (all []kit.Packages) {
	for _, t := range All() {
		if p := t.Facts().Packages; p.Known() {
			all = append(all, p.Value)
		}
	}
	return all
}

// BuildFailures are the words of all languages' tools for what stops a build. A
// repository of one language may be built with the tools of another, so that whoever
// makes images is given all of them, those of compilers last.
func BuildFailures() (all []buildfailure.Words) {
	for _, t := range All() {
		if f := t.Facts().BuildFailures; f.Known() {
			all = append(all, f.Value)
		}
	}
	slices.SortStableFunc(all, func(a, b buildfailure.Words) int {
		switch {
		case a.Native == b.Native:
			return 0
		case a.Native:
			return 1
		}
		return -1
	})
	return all
}

// HostCaches gives the variables that let builds outside of containers use this
// machine's caches, of the languages that the machine has.
func HostCaches(ctx context.Context) map[string]string {
	env := map[string]string{}
	for _, t := range All() {
		c := t.Facts().HostCaches
		if !c.Known() {
			continue
		}
		out, err := exec.CommandContext(ctx, c.Value.Command[0], c.Value.Command[1:]...).Output()
		places := strings.Split(strings.TrimSpace(string(out)), "\n")
		if err != nil || len(places) != len(c.Value.Variables) {
			continue
		}
		for i, name := range c.Value.Variables {
			env[name] = places[i]
		}
	}
	return env
}
