package dotnet

import (
	"regexp"
	"slices"
	"strings"

	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
)

// dotnetguard knows the settings of dotnet test and its frameworks, and what of a project
// file decides which tests there are or runs programs.
func guard(c kit.Change) kit.Guard {
	switch base := c.Name(); {
	case strings.HasSuffix(base, ".runsettings"), slices.Contains([]string{"xunit.runner.json", "testconfig.json",
		"global.json", "nuget.config", "directory.build.rsp", "msbuild.rsp"}, base),
		strings.HasSuffix(base, ".xunit.runner.json"), strings.HasSuffix(base, ".testconfig.json"):
		return kit.Whole
	case projectFile(base):
		return kit.Guard{Touched: !slices.Equal(kit.MatchingLines(c.Before, msbuildTests), kit.MatchingLines(c.After,
			msbuildTests))}
	case strings.HasSuffix(base, ".cs") && dotnetTakesOver.Match(c.After) && !dotnetTakesOver.Match(c.Before):
		return kit.Whole
	}
	return kit.Guard{}
}

func projectFile(base string) bool {
	for _, ext := range []string{".csproj", ".fsproj", ".vbproj", ".props", ".targets"} {
		if strings.HasSuffix(base, ext) {
			return true
		}
	}
	return false
}

var (
	msbuildTests = regexp.MustCompile(`(?i)IsTestProject|VSTest|RunSettings|TestingPlatform|EnableMSTestRunner|Remove=|` +
		`<Target\b|<Exec\b|UsingTask|<Import\b|DefineConstants|<Reference\b|xunit|nunit|mstest|coverlet|Test\.Sdk|` +
		`TestAdapter`)
	// dotnetTakesOver are attributes of an assembly by which frameworks are taken over.
	dotnetTakesOver = regexp.MustCompile(`(?i)\[\s*assembly\s*:\s*[\w.]*(TestFramework|CollectionBehavior|` +
		`TestCaseOrderer|AssemblyFixture|SetUpFixture|Parallelize|Startup)|ModuleInitializer`)
)
