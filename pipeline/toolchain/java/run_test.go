package java

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/wideswe/wideswe/pipeline/testreport"
	"github.com/wideswe/wideswe/pipeline/testscope"
	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
	"github.com/wideswe/wideswe/pipeline/toolchain/kittest"
	"github.com/wideswe/wideswe/schema"
)

// mavenCache is a folder with a local repository that holds what the projects here
// need, which only a run with the network can have made: set WIDESWE_TEST_MAVEN to
// a folder and run the tests twice, the first time with WIDESWE_TEST_FETCH=1.
func mavenCache(t *testing.T) string {
	t.Helper()
	cache := os.Getenv("WIDESWE_TEST_MAVEN")
	if cache == "" {
		t.Skip("WIDESWE_TEST_MAVEN names no local repository")
	}
	testscope.Programs(t, "mvn")
	return cache
}

func pomText(artifact, version, more string) string {
	return `<project><modelVersion>4.0.0</modelVersion><groupId>own</groupId><artifactId>` + artifact +
		`</artifactId><version>` + version + `</version>
<properties><maven.compiler.release>17</maven.compiler.release><project.build.sourceEncoding>UTF-8</project.build.sourceEncoding></properties>
<build><pluginManagement><plugins><plugin><artifactId>maven-surefire-plugin</artifactId><version>3.5.2</version></plugin>
<plugin><artifactId>maven-compiler-plugin</artifactId><version>3.13.0</version></plugin></plugins></pluginManagement></build>` + more + "</project>\n"
}

const junit4 = `<dependency><groupId>junit</groupId><artifactId>junit</artifactId><version>4.13.2</version><scope>test</scope></dependency>`

// fetchMaven runs a plan's setup where the network is allowed.
func fetchMaven(t *testing.T, w kittest.Workspace, j kit.Job, p kit.Plan, env ...string) {
	t.Helper()
	if os.Getenv("WIDESWE_TEST_FETCH") == "" {
		return
	}
	cmd := exec.CommandContext(t.Context(), "/bin/sh", "-c", "set -e\n"+strings.Join(append(p.Wire, p.Setup...), "\n"))
	cmd.Dir = filepath.Join(w.Root, j.Repository)
	cmd.Env = append(append(os.Environ(), "WIDESWE_WORKSPACE="+w.Root, "WIDESWE_REPO="+cmd.Dir, "WIDESWE_TMP="+w.Tmp),
		env...)
	if said, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("setup: %v\n%s", err, said)
	}
}

// TestMavenRun: a service asks for a release of its sibling that was never
// published; one of its classes ends the JVM, one module does not compile.
func TestMavenRun(t *testing.T) {
	cache := "WIDESWE_CACHE=" + mavenCache(t)
	lib := kit.Map{"pom.xml": pomText("lib", "2.0-SNAPSHOT", ""),
		"src/main/java/own/Lib.java": "package own; public class Lib { public static String name() { return \"tree\"; } }"}
	service := kit.Map{
		"pom.xml": pomText("service", "1.0-SNAPSHOT",
			`<packaging>pom</packaging><modules><module>app</module><module>bad</module></modules>`),
		"app/pom.xml": pomText("app", "1.0-SNAPSHOT", `<dependencies>`+junit4+
			`<dependency><groupId>own</groupId><artifactId>lib</artifactId><version>1.7</version></dependency></dependencies>`),
		"bad/pom.xml": pomText("bad", "1.0-SNAPSHOT", `<dependencies>`+junit4+`</dependencies>`),
		"app/src/test/java/own/AppTest.java": `package own;
import org.junit.*;
public class AppTest {
  @Test public void wired() { Assert.assertEquals("tree", Lib.name()); }
  @Test public void fails() { Assert.fail("no"); }
}`,
		"app/src/test/java/own/ExitTest.java": "package own;\nimport org.junit.*;\npublic class ExitTest {\n  @Test public " +
			"void a() {}\n  @Test public void leaves() { System.exit(0); }\n}",
		"bad/src/test/java/own/AppTest.java": "package own;\nimport org.junit.*;\npublic class AppTest { @Test public void " +
			"b() { Missing.call(); } }",
	}
	w := kittest.Layout(t, map[string]kit.Map{"acme/service": service, "acme/lib": lib})
	r, ok := (Toolchain{}).Detect(service)
	if !ok {
		t.Fatal("not detected")
	}
	sel, err := Toolchain{}.Select(service, r, []string{"app/src/test/java/own/AppTest.java",
		"app/src/test/java/own/ExitTest.java", "bad/src/test/java/own/AppTest.java"})
	if err != nil {
		t.Fatal(err)
	}
	j := kit.Job{Recipe: r, Repository: "acme/service", Tree: service, Selection: sel,
		Siblings: []kit.Sibling{{Repository: "acme/lib", Tree: lib}}}
	fetchMaven(t, w, j, kittest.Plan(t, Toolchain{}, j), cache)
	got, exit := w.Run(t, j, kittest.Plan(t, Toolchain{}, j), cache)
	want := map[string]schema.TestOutcome{"app/own.AppTest::wired": schema.Pass, "app/own.AppTest::fails": schema.Fail}
	if diff := cmp.Diff(want, kittest.Outcomes(got)); diff != "" || exit == 0 {
		t.Errorf("exit %d: -want +got\n%s", exit, diff)
	}
	kinds := map[string]testreport.Kind{}
	for _, p := range got.Problems {
		kinds[p.Unit] = p.Kind
	}
	if diff := cmp.Diff(map[string]testreport.Kind{"app/own.ExitTest": testreport.Crashed,
		"bad/pom.xml": testreport.BuildFailed}, kinds); diff != "" {
		t.Errorf("problems: -want +got\n%s\n%+v", diff, got.Problems)
	}
	j.Only, j.Skip = []string{"app/own.ExitTest::a", "app/own.AppTest::wired"}, []string{"app/own.ExitTest::leaves"}
	got, _ = w.Run(t, j, kittest.Plan(t, Toolchain{}, j), cache)
	if diff := cmp.Diff(map[string]schema.TestOutcome{"app/own.AppTest::wired": schema.Pass,
		"app/own.ExitTest::a": schema.Pass}, kittest.Outcomes(got)); diff != "" || len(got.Problems) > 0 {
		t.Errorf("again: -want +got\n%s\n%+v", diff, got.Problems)
	}
}

// TestMavenSibling: a step of a sibling's build that wants the artifact which is
// being built finds its compiled classes; a sibling that does not compile
// says why at its end.
func TestMavenSibling(t *testing.T) {
	lib := kit.Map{"pom.xml": pomText("lib", "2.0-SNAPSHOT", "")}
	tree := kit.Map{"pom.xml": pomText("app", "1.0",
		"<dependencies><dependency><groupId>own</groupId><artifactId>lib</artifactId><version>1.9</version></dependency></dependencies>")}
	p := kittest.Plan(t, Toolchain{}, kit.Job{Recipe: mustDetect(t, tree), Repository: "o/app", Tree: tree,
		Siblings: []kit.Sibling{{Repository: "o/lib", Tree: lib}}})
	for name, c := range map[string]struct {
		mvn, calls, last string
		fails            bool
	}{
		"by its own steps": {`true`, "steps ", "", false},
		"a step wants itself": {`case $words in "steps ") [ -f "$m2/made" ];; *) touch "$m2/made";; esac`,
			"steps bare steps ", "", false},
		"a step ends badly": {`[ "$words" != "steps " ]`, "steps bare steps ", "the compiled classes stay", false},
		"it does not compile": {`echo "[ERROR] Lib.java: no such symbol"; echo "[ERROR] "; echo "[ERROR] For more ` +
			`information about the errors"; false`, "steps bare ", "[ERROR] Lib.java: no such symbol", true},
	} {
		t.Run(name, func(t *testing.T) {
			w := kittest.Layout(t, map[string]kit.Map{"o/app": tree, "o/lib": lib})
			bin := t.TempDir()
			script := "#!/bin/sh\nm2=" + w.Tmp + `; words=""
for a in "$@"; do case $a in package) words="steps ";; compiler:compile) words="bare ";; esac; done
printf '%s' "$words" >>"$m2/calls"
` + c.mvn + "\n"
			if err := os.WriteFile(filepath.Join(bin, "mvn"), []byte(script), 0o755); err != nil {
				t.Fatal(err)
			}
			cmd := exec.CommandContext(t.Context(), "/bin/sh", "-e", "-c", strings.Join(append(p.Wire, p.Build...), "\n"))
			cmd.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "WIDESWE_WORKSPACE="+w.Root, "WIDESWE_REPO="+
				w.Root+"/o/app", "WIDESWE_TMP="+w.Tmp, "WIDESWE_CACHE="+w.Tmp)
			said, err := cmd.CombinedOutput()
			calls, _ := os.ReadFile(filepath.Join(w.Tmp, "calls"))
			lines := strings.Split(strings.TrimSpace(string(said)), "\n")
			_, err2 := os.Stat(filepath.Join(w.Tmp, "m2/own/lib/1.9/lib-1.9.pom"))
			if staged := strings.Contains(c.calls, "bare steps"); (err2 == nil) != staged {
				t.Errorf("staged: %v, want %v", err2, staged)
			}
			if string(calls) != c.calls || (err != nil) != c.fails || !strings.HasSuffix(lines[len(lines)-1], c.last) {
				t.Errorf("%v, calls %q\n%s", err, calls, said)
			}
		})
	}
}

// TestMavenTestJars: a sibling's tests are compiled only where their classes are used.
func TestMavenTestJars(t *testing.T) {
	lib := kit.Map{"pom.xml": pomText("lib", "2.0-SNAPSHOT", "")}
	for more, want := range map[string]string{"": "-Dmaven.test.skip=true", "<type>test-jar</type>": "-DskipTests=true",
		"<classifier>tests</classifier>": "-DskipTests=true"} {
		tree := kit.Map{"pom.xml": pomText("app", "1.0",
			"<dependencies><dependency><groupId>own</groupId><artifactId>lib</artifactId><version>1.9</version>"+more+
				"</dependency></dependencies>")}
		p := kittest.Plan(t, Toolchain{}, kit.Job{Recipe: mustDetect(t, tree), Repository: "o/app", Tree: tree,
			Siblings: []kit.Sibling{{Repository: "o/lib", Tree: lib}}})
		if build := p.Build[len(p.Build)-1]; !strings.Contains(build, " "+want+" ") {
			t.Errorf("%s: %s", more, build)
		}
	}
}
