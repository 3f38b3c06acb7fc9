package inspect

import (
	"slices"

	"github.com/wideswe/wideswe/pipeline/reference"
)

// flagsOf says what kind of pull it is where that speaks against a coordinated
// change: written by a program, a revert, a backport, a release, a copy of a change
// made elsewhere. They drop nothing; people and later rules read them.
func flagsOf(m member, body string) []string {
	flags := []string{}
	for _, f := range []struct {
		name string
		is   bool
	}{
		{"backport", reference.BackportTitle(m.Title, m.HeadRef)},
		{"bot", reference.BotAuthor(m.Author, m.AuthorType) || reference.BotBranch(m.HeadRef)},
		{"mirror_import", reference.MirrorImport(m.Title, body)},
		{"release", reference.ReleaseTitle(m.Title)},
		{"revert", reference.RevertTitle(m.Title)},
	} {
		if f.is {
			flags = append(flags, f.name)
		}
	}
	return flags
}

// families are the language families of a candidate's change: of the production
// files of the pulls that pass.
func families(looked []look) []string {
	all := []string{}
	for _, l := range looked {
		if l.reason == "" {
			all = append(all, l.families...)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// values is a column's value: never NULL.
func values(s []string) []string {
	if s == nil {
		return []string{}
	}
	return s
}
