package testrun

import (
	"maps"
	"slices"
	"strings"

	"github.com/wideswe/wideswe/pipeline/testreport"
	"github.com/wideswe/wideswe/pipeline/testreport/formats"
	"github.com/wideswe/wideswe/pipeline/toolchain/registry"
	"github.com/wideswe/wideswe/schema"
)

// RuleVersion is the version of the rules that all runs share: this package's, those
// of the choice between languages, those of reading any report. What one language or
// one report format changes is in [Versions.Rules].
const RuleVersion = "2." + imageRules + "." + registry.Version + "." + testreport.Version

// What every language and every report format had when it got a version of its own.
// Until then one number stood for all. At these versions a name adds nothing to a
// key, so that the keys of older databases and caches are still those of today.
const (
	firstLanguage = "5"
	firstFormat   = "4"
)

// Versions are those of languages and report formats by their names in recipes. A nil
// map stands for the program's own.
type Versions struct {
	Languages map[string]string
	Formats   map[string]string
}

// Rules gives the version of the rules by which the runs of recipes are made and read:
// [RuleVersion] and, behind it, the languages and formats of the recipes that changed
// since each has a version of its own, such as "2.2.5.5 report:gotest/5 toolchain:go/6".
// A recipe that names no language or no format may use any: it depends on all of them.
func (v Versions) Rules(recipes ...schema.Recipe) string {
	if v.Languages == nil {
		v.Languages = languageVersions()
	}
	if v.Formats == nil {
		v.Formats = formatVersions()
	}
	var changed []string
	for _, r := range recipes {
		changed = append(changed, changedSince(firstLanguage, "toolchain:", r.Toolchain, v.Languages)...)
		changed = append(changed, changedSince(firstFormat, "report:", r.Report, v.Formats)...)
	}
	slices.Sort(changed)
	return strings.Join(append([]string{RuleVersion}, slices.Compact(changed)...), " ")
}

// changedSince lists the names, one or all where it is empty, with another version than the first.
func changedSince(first, kind, name string, versions map[string]string) (changed []string) {
	names := []string{name}
	if name == "" {
		names = slices.Sorted(maps.Keys(versions))
	}
	for _, n := range names {
		if versions[n] != first {
			changed = append(changed, kind+n+"/"+versions[n])
		}
	}
	return changed
}

func languageVersions() map[string]string {
	versions := map[string]string{}
	for _, t := range registry.All() {
		versions[t.Name()] = t.Facts().Version
	}
	return versions
}

func formatVersions() map[string]string {
	versions := map[string]string{}
	for _, f := range formats.All() {
		versions[f.Name] = f.Version
	}
	return versions
}
