package toolchain

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const dotnetTestProject = `<Project Sdk="Microsoft.NET.Sdk"><PropertyGroup><TargetFrameworks>net48;net6.0;net8.0</TargetFrameworks></PropertyGroup><ItemGroup><PackageReference Include="xunit" Version="2" /><PackageReference Include="Acme.Lib" Version="1" /><ProjectReference Include="..\..\src\App\App.csproj" /></ItemGroup></Project>`

func TestDotnetDetect(t *testing.T) {
	for _, c := range []struct {
		name, runtime string
		tree          Map
		why           string
	}{
		{"xunit", "8.0", Map{"tests/A/A.csproj": dotnetTestProject}, "tests/A/A.csproj refers to xunit"},
		{"global.json", "9.0", Map{"global.json": `{"sdk":{"version":"9.0.100"}}`, "a.fsproj": `<Project><PropertyGroup><IsTestProject>true</IsTestProject></PropertyGroup></Project>`}, "runtime 9.0: global.json"},
		{"from above", "7.0", Map{"Directory.Build.props": `<Project><PropertyGroup><TargetFramework>net7.0</TargetFramework></PropertyGroup></Project>`, "t/t.csproj": "\ufeff" + `<Project Sdk="MSTest.Sdk/3.6"/>`}, "is of MSTest.Sdk/3.6"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, ok := Dotnet{}.Detect(c.tree)
			why := strings.Join(r.Why, "\n")
			if !ok || r.Runtime != c.runtime || r.Report != "trx" || !strings.Contains(why, c.why) || !strings.Contains(why, "must bring dotnet") {
				t.Errorf("%v %+v", ok, r)
			}
		})
	}
	for name, tree := range map[string]Map{"no test project": {"a.csproj": "<Project/>"}, "no XML": {"a.csproj": "<<<"}, "built": {"obj/a.csproj": dotnetTestProject}} {
		if r, ok := (Dotnet{}).Detect(tree); ok {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

func TestDotnetSelect(t *testing.T) {
	tree := Map{
		"tests/A/A.csproj": dotnetTestProject, "tests/A/FooTests.cs": "namespace Own.A;\npublic sealed class FooTests\n{\n    [Fact]\n    public void X() {}\n}\n", "tests/A/Helper.cs": "class Helper {}",
		"tests/B/B.csproj": dotnetTestProject, "tests/B/data.json": "", "src/App/App.csproj": "<Project/>", "src/App/x.cs": "",
	}
	r, _ := Dotnet{}.Detect(tree)
	got, err := Dotnet{}.Select(tree, r, []string{"tests/A/FooTests.cs", "tests/A/Helper.cs", "tests/B/data.json", "src/App/x.cs", "gone.cs"})
	if err != nil {
		t.Fatal(err)
	}
	want := Selection{
		Units: []Unit{{Dir: "tests/A", Runner: "dotnet", Target: "tests/A/A.csproj", Files: []string{"tests/A/FooTests.cs"}, Tests: []string{"Own.A.FooTests"}}, {Dir: "tests/B", Runner: "dotnet", Target: "tests/B/B.csproj"}},
		Left:  []Left{{"gone.cs", "the tree does not have it"}, {"src/App/x.cs", "no test project stands above it"}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestDotnetPlan(t *testing.T) {
	tree := Map{"tests/A/A.csproj": dotnetTestProject, "tests/A/FooTests.cs": "namespace Own.A;\npublic class FooTests { [Fact] void X() {} }\n", "nuget.config": ""}
	lib := Map{"src/Lib.csproj": `<Project><PropertyGroup><PackageId>Acme.Lib</PackageId></PropertyGroup></Project>`, "evil/x.csproj": `<Project><PropertyGroup><PackageId>Acme."/&gt;</PackageId></PropertyGroup></Project>`}
	r, _ := Dotnet{}.Detect(tree)
	sel, err := Dotnet{}.Select(tree, r, []string{"tests/A/FooTests.cs"})
	if err != nil {
		t.Fatal(err)
	}
	j := Job{Recipe: r, Repository: "acme/app", Tree: tree, Selection: sel, Siblings: []Sibling{{"acme/lib", lib}}}
	p := plan(t, Dotnet{}, j)
	wire := strings.Join(p.Wire, "\n")
	for _, part := range []string{`<ProjectReference Include="$(WIDESWE_WORKSPACE)/acme/lib/src/Lib.csproj" Condition=`, `<PackageReference Remove="Acme.Lib" />`} {
		if !strings.Contains(wire, part) {
			t.Errorf("no %s in %s", part, wire)
		}
	}
	if strings.Contains(wire, "evil") || len(p.Notes) != 1 {
		t.Errorf("%s %q", wire, p.Notes)
	}
	if !strings.Contains(p.Test, "run 001.trx ./tests/A/A.csproj '-f net8.0' 'FullyQualifiedName~Own.A.FooTests.|FullyQualifiedName~Own.A.FooTests+'") {
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
	u := Unit{Tests: []string{"Own.A"}}
	for _, c := range []struct {
		name string
		j    Job
		want string
		any  bool
	}{
		{"all", Job{}, "FullyQualifiedName~Own.A.|FullyQualifiedName~Own.A+", true},
		{"one left out", Job{Skip: []string{"Own.A::X(a: 1)", "Own.B::Y"}}, "(FullyQualifiedName~Own.A.|FullyQualifiedName~Own.A+)&FullyQualifiedName!=Own.A.X", true},
		{"one", Job{Only: []string{"Own.A::X #2", "Own.A+In::Y"}}, "FullyQualifiedName=Own.A+In.Y|FullyQualifiedName=Own.A.X", true},
		{"none", Job{Only: []string{"Own.B::X"}}, "", false},
	} {
		if got, any := dotnetFilter(c.j, u); got != c.want || any != c.any {
			t.Errorf("%s: %q %v, want %q", c.name, got, any, c.want)
		}
	}
}
