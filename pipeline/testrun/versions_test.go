package testrun

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/wideswe/wideswe/pipeline/testreport/formats"
	"github.com/wideswe/wideswe/pipeline/toolchain/registry"
	"github.com/wideswe/wideswe/schema"
)

// older are the recipes of the languages and formats that had one number for all. A
// language or a format that changes leaves the list; nothing else may.
var older = []schema.Recipe{
	{Toolchain: "cpp", Report: "cpp"}, {Toolchain: "dotnet", Report: "trx"}, {Toolchain: "go", Report: "gotest"},
	{Toolchain: "java", Report: "gradle"}, {Toolchain: "java", Report: "surefire"}, {Toolchain: "node", Report: "node"},
	{Toolchain: "php", Report: "phpunit"}, {Toolchain: "python", Report: "junit"}, {Toolchain: "ruby", Report: "ruby"},
	{Toolchain: "rust", Report: "libtest"}, {Toolchain: "shell", Report: "tap"}, {Toolchain: "shell", Report: "jest"},
	{Toolchain: "shell", Report: "mocha"}, {Toolchain: "shell", Report: "rspec"}, {Toolchain: "shell", Report: "vitest"},
}

// firstVersions gives every language and format the version that the older ones began with.
func firstVersions() Versions {
	v := Versions{languageVersions(), formatVersions()}
	for name := range v.Languages {
		v.Languages[name] = firstLanguage
	}
	for name := range v.Formats {
		v.Formats[name] = firstFormat
	}
	return v
}

// bumped gives the first versions with others for some languages and formats.
func bumped(languages, reports map[string]string) Versions {
	v := firstVersions()
	maps.Copy(v.Languages, languages)
	maps.Copy(v.Formats, reports)
	return v
}

func TestRulesHoldWhatARecipeUses(t *testing.T) {
	golang := schema.Recipe{Toolchain: "go", Report: "gotest"}
	php := schema.Recipe{Toolchain: "php", Report: "phpunit"}
	v := bumped(map[string]string{"php": "6", "node": "7"}, map[string]string{"phpunit": "5", "node": "8"})
	for _, c := range []struct {
		name    string
		recipes []schema.Recipe
		want    string
	}{
		{"no target", nil, ""},
		{"another language", []schema.Recipe{golang}, ""},
		{"its language and its format", []schema.Recipe{php}, " report:phpunit/5 toolchain:php/6"},
		{"its format alone", []schema.Recipe{{Toolchain: "shell", Report: "phpunit"}}, " report:phpunit/5"},
		{"a language and a format of the same name", []schema.Recipe{{Toolchain: "node", Report: "node"}},
			" report:node/8 toolchain:node/7"},
		{"several targets, in any order", []schema.Recipe{php, golang, php}, " report:phpunit/5 toolchain:php/6"},
		{"nobody knows yet", []schema.Recipe{golang, {}},
			" report:node/8 report:phpunit/5 toolchain:node/7 toolchain:php/6"},
		{"a recipe without a format", []schema.Recipe{{Toolchain: "go"}}, " report:node/8 report:phpunit/5"},
	} {
		if got := v.Rules(c.recipes...); got != RuleVersion+c.want {
			t.Errorf("%s: %q, want %q behind %q", c.name, got, c.want, RuleVersion)
		}
	}
}

// TestRulesOfOlderKeys: what was validated or judged when one number stood for all
// languages and formats has these rules in its key.
func TestRulesOfOlderKeys(t *testing.T) {
	const before = "2.2.5.5"
	for _, r := range older {
		if got := (Versions{}).Rules(r); got != before {
			t.Errorf("%s, %s: %q, want %q", r.Toolchain, r.Report, got, before)
		}
	}
}

// TestANewLanguageIsInTheKeyOfWhatNobodyRecognised: a target that no language recognised
// has no recipe, and is validated again where a new language may recognise it.
func TestANewLanguageIsInTheKeyOfWhatNobodyRecognised(t *testing.T) {
	for name, version := range languageVersions() {
		old := slices.ContainsFunc(older, func(r schema.Recipe) bool { return r.Toolchain == name })
		if !old && version == firstLanguage {
			t.Errorf("the new language %s has the version %q of the older ones, so that targets which nothing recognised "+
				"are not validated again: begin with 1 in its facts.go", name, version)
		}
	}
}

// TestVersionsOfAll: every language and format has a version, so that it can change alone.
func TestVersionsOfAll(t *testing.T) {
	for name, version := range languageVersions() {
		got := bumped(map[string]string{name: version + "x"}, nil).Rules(schema.Recipe{Toolchain: name, Report: "tap"})
		if version == "" || !strings.HasSuffix(got, " toolchain:"+name+"/"+version+"x") {
			t.Errorf("%s: %q", name, got)
		}
	}
	if n := len(languageVersions()); n != len(registry.All()) {
		t.Errorf("%d languages have versions", n)
	}
	if n := len(formatVersions()); n != len(formats.All()) {
		t.Errorf("%d formats have versions", n)
	}
}
