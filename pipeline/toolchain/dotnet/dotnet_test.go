package dotnet

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
	"github.com/wideswe/wideswe/pipeline/toolchain/kittest"
)

const dotnetTestProject = `<Project Sdk="Microsoft.NET.Sdk"><PropertyGroup><TargetFrameworks>net48;net6.0;net8.0</TargetFrameworks></PropertyGroup><ItemGroup><PackageReference Include="xunit" Version="2" /><PackageReference Include="Acme.Lib" Version="1" /><ProjectReference Include="..\..\src\App\App.csproj" /></ItemGroup></Project>`

func TestDotnetDetect(t *testing.T) {
	for _, c := range []struct {
		name, runtime string
		tree          kit.Map
		why           string
	}{
		{"xunit", "8.0", kit.Map{"tests/A/A.csproj": dotnetTestProject}, "tests/A/A.csproj refers to xunit"},
		{"global.json", "9.0", kit.Map{"global.json": `{"sdk":{"version":"9.0.100"}}`,
			"a.fsproj": `<Project><PropertyGroup><IsTestProject>true</IsTestProject></PropertyGroup></Project>`},
			"runtime 9.0: global.json"},
		{"from above", "7.0", kit.Map{"Directory.Build.props": `<Project><PropertyGroup><TargetFramework>net7.0</TargetFramework></PropertyGroup></Project>`, "t/t.csproj": "\ufeff" + `<Project Sdk="MSTest.Sdk/3.6"/>`}, "is of MSTest.Sdk/3.6"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, ok := Toolchain{}.Detect(c.tree)
			why := strings.Join(r.Why, "\n")
			if !ok || r.Runtime != c.runtime || r.Report != "trx" || !strings.Contains(why, c.why) || !strings.Contains(why,
				"must bring dotnet") {
				t.Errorf("%v %+v", ok, r)
			}
		})
	}
	for name, tree := range map[string]kit.Map{"no test project": {"a.csproj": "<Project/>"},
		"no XML": {"a.csproj": "<<<"}, "built": {"obj/a.csproj": dotnetTestProject}} {
		if r, ok := (Toolchain{}).Detect(tree); ok {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

func TestDotnetSelect(t *testing.T) {
	tree := kit.Map{
		"tests/A/A.csproj": dotnetTestProject, "tests/A/FooTests.cs": "namespace Own.A;\npublic sealed class FooTests\n{\n " +
			"   [Fact]\n    public void X() {}\n}\n", "tests/A/Helper.cs": "class Helper {}",
		"tests/B/B.csproj": dotnetTestProject, "tests/B/data.json": "", "src/App/App.csproj": "<Project/>",
		"src/App/x.cs": "",
	}
	r, _ := Toolchain{}.Detect(tree)
	got, err := Toolchain{}.Select(tree, r, []string{"tests/A/FooTests.cs", "tests/A/Helper.cs", "tests/B/data.json",
		"src/App/x.cs", "gone.cs"})
	if err != nil {
		t.Fatal(err)
	}
	want := kit.Selection{
		Units: []kit.Unit{{Dir: "tests/A", Runner: "dotnet", Target: "tests/A/A.csproj",
			Files: []string{"tests/A/FooTests.cs"}, Tests: []string{"Own.A.FooTests"}}, {Dir: "tests/B", Runner: "dotnet",
			Target: "tests/B/B.csproj"}},
		Left: []kit.Left{{Path: "gone.cs", Reason: "the tree does not have it"}, {Path: "src/App/x.cs",
			Reason: "no test project stands above it"}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestDotnetPlan(t *testing.T) {
	tree := kit.Map{"tests/A/A.csproj": dotnetTestProject,
		"tests/A/FooTests.cs": "namespace Own.A;\npublic class FooTests { [Fact] void X() {} }\n", "nuget.config": ""}
	lib := kit.Map{"src/Lib.csproj": `<Project><PropertyGroup><PackageId>Acme.Lib</PackageId></PropertyGroup></Project>`,
		"evil/x.csproj": `<Project><PropertyGroup><PackageId>Acme."/&gt;</PackageId></PropertyGroup></Project>`}
	r, _ := Toolchain{}.Detect(tree)
	sel, err := Toolchain{}.Select(tree, r, []string{"tests/A/FooTests.cs"})
	if err != nil {
		t.Fatal(err)
	}
	j := kit.Job{Recipe: r, Repository: "acme/app", Tree: tree, Selection: sel,
		Siblings: []kit.Sibling{{Repository: "acme/lib", Tree: lib}}}
	p := kittest.Plan(t, Toolchain{}, j)
	wire := strings.Join(p.Wire, "\n")
	for _, part := range []string{`<ProjectReference Include="$(WIDESWE_WORKSPACE)/acme/lib/src/Lib.csproj" Condition=`,
		`<PackageReference Remove="Acme.Lib" />`} {
		if !strings.Contains(wire, part) {
			t.Errorf("no %s in %s", part, wire)
		}
	}
	if strings.Contains(wire, "evil") || len(p.Notes) != 1 {
		t.Errorf("%s %q", wire, p.Notes)
	}
	if !strings.Contains(p.Test, "run 001.trx ./tests/A/A.csproj '-f net8.0' "+
		"'FullyQualifiedName~Own.A.FooTests.|FullyQualifiedName~Own.A.FooTests+'") {
		t.Errorf("test: %s", p.Test)
	}
	if diff := cmp.Diff([]string{"001.trx", "001.trx.log", "001.trx.end"}, p.Files); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if diff := cmp.Diff([]string{"nuget.config", "tests/A/A.csproj"}, p.Manifests); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestDotnetFilter(t *testing.T) {
	u := kit.Unit{Tests: []string{"Own.A"}}
	for _, c := range []struct {
		name string
		j    kit.Job
		want string
		any  bool
	}{
		{"all", kit.Job{}, "FullyQualifiedName~Own.A.|FullyQualifiedName~Own.A+", true},
		{"one left out", kit.Job{Skip: []string{"Own.A::X(a: 1)", "Own.B::Y"}},
			"(FullyQualifiedName~Own.A.|FullyQualifiedName~Own.A+)&FullyQualifiedName!=Own.A.X", true},
		{"one", kit.Job{Only: []string{"Own.A::X #2", "Own.A+In::Y"}},
			"FullyQualifiedName=Own.A+In.Y|FullyQualifiedName=Own.A.X", true},
		{"none", kit.Job{Only: []string{"Own.B::X"}}, "", false},
	} {
		if got, any := dotnetFilter(c.j, u); got != c.want || any != c.any {
			t.Errorf("%s: %q %v, want %q", c.name, got, any, c.want)
		}
	}
}
