package java

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
	"github.com/wideswe/wideswe/pipeline/toolchain/kittest"
	"github.com/wideswe/wideswe/schema"
)

func TestJavaTypes(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want []string // tests marked by *, abstract ones by ~
	}{
		"nested and commented": {`package a.b; // class Nope {
/* class Nope2 { @Test } */
public class OuterTest {
  String s = "class In { @Test \" }"; char c = '{';
  String block = """
     class Text { @Test
     """;
  @Nested class Inner { @Test void x() { new Object() { void y() {} }; Class<?> k = A.class; } class Deep {} }
  static class Helper extends Base<String> {}
}`, []string{"a.b.OuterTest*", "a.b.OuterTest$Inner*", "a.b.OuterTest$Inner$Deep", "a.b.OuterTest$Helper"}},
		"abstract": {"package p;\nabstract class BaseTest { @Test public void t() {} }\ninterface I {}\n@interface " +
			"Mark {}", []string{"p.BaseTest*~", "p.I~"}},
		"annotated": {"@RunWith(Suite.class)\n@Suite.SuiteClasses({A.class})\npublic class AllTests {}",
			[]string{"AllTests*"}},
		"old": {"package p; public class FooTest extends junit.framework.TestCase { public void testA() {} }",
			[]string{"p.FooTest*"}},
		"kotlin": {"package p.q\n\nclass CalcTest : StringSpec({ \"a\" { } })\ninternal class OtherTest {\n  @Test " +
			"fun `does this`() {}\n}\n", []string{"p.q.CalcTest*", "p.q.OtherTest*"}},
		"spock": {"package p\nclass MaxSpec extends Specification { def \"max of { two\"() { expect: 1 } }",
			[]string{"p.MaxSpec*"}},
		"unbalanced":    {"class A {{{ @Test", []string{"A*"}},
		"full name":     {"class A { @org.junit.Test void x() {} }", []string{"A*"}},
		"not a test":    {"class A { @TestOnly void x() {} int classy; }", []string{"A"}},
		"one to a line": {"class A {}\nclass B { @Test void x() {} }", []string{"A", "B*"}},
	} {
		var got []string
		for _, x := range javaTypes(c.text) {
			s := x.name
			if x.tests {
				s += "*"
			}
			if x.abstract {
				s += "~"
			}
			got = append(got, s)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: -want +got\n%s", name, diff)
		}
	}
}

const javaTest = "import org.junit.Test;\nclass X { @Test public void t() {} }\n"

func javaTestOf(pkg, class string) string {
	return "package " + pkg + ";\n" + strings.Replace(javaTest, "X", class, 1)
}

func TestJavaDetect(t *testing.T) {
	pom := func(more string) string { return "<project><artifactId>a</artifactId>" + more + "</project>" }
	for name, c := range map[string]struct {
		tree    kit.Map
		runtime string
		image   string
		want    string // among the packages
	}{
		"property": {kit.Map{"pom.xml": pom("<properties><maven.compiler.release>17</maven.compiler.release></properties>")},
			"17", kit.DistroImage, "openjdk-21-jdk-headless"},
		"old": {kit.Map{"pom.xml": pom("<properties><maven.compiler.source>1.6</maven.compiler.source></properties>")},
			"6", kit.DistroImage, "openjdk-21-jdk-headless"},
		"new": {kit.Map{"pom.xml": pom("<properties><v>24</v><maven.compiler.release>${v}</maven.compiler.release></properties>")}, "24", kit.DistroImage, "openjdk-25-jdk-headless"},
		"newest": {kit.Map{"pom.xml": pom("<properties><java.version>30</java.version></properties>")}, "30",
			kit.DistroImage, "openjdk-25-jdk-headless"},
		"plugin":  {kit.Map{"pom.xml": pom("<build><plugins><plugin><artifactId>maven-compiler-plugin</artifactId><configuration><source>11</source></configuration></plugin></plugins></build>")}, "11", kit.DistroImage, "maven"},
		"bounded": {kit.Map{"pom.xml": pom("<build><plugins><plugin><artifactId>maven-enforcer-plugin</artifactId><configuration><rules><requireJavaVersion><version>[11,18)</version></requireJavaVersion></rules></configuration></plugin></plugins></build>")}, "8", "debian:bookworm", "openjdk-17-jdk-headless"},
		"CI": {kit.Map{"pom.xml": pom(""), ".github/workflows/ci.yml": "java: [ 8, 11, '17' ]\n"}, "17",
			kit.DistroImage, "maven"},
		"submodule": {kit.Map{"java/pom.xml": pom("")}, "8", kit.DistroImage, "maven"},
		"nothing":   {kit.Map{"pom.xml": pom("")}, "8", kit.DistroImage, "maven"},
	} {
		r, ok := Toolchain{}.Detect(c.tree)
		if !ok || r.Runtime != c.runtime || r.Image != c.image || !slices.Contains(r.Packages, c.want) ||
			r.Report != "surefire" {
			t.Errorf("%s: %v %+v", name, ok, r)
		}
	}
	if _, ok := (Toolchain{}).Detect(kit.Map{"src/test/resources/pom.xml": pom(""), "a.java": ""}); ok {
		t.Error("a fixture made a project")
	}
}

func TestJavaSelect(t *testing.T) {
	tree := kit.Map{
		"pom.xml":                         "<project><artifactId>all</artifactId><modules><module>core</module><module>web</module></modules></project>",
		"core/pom.xml":                    "<project><artifactId>core</artifactId></project>",
		"web/pom.xml":                     "<project><artifactId>web</artifactId></project>",
		"core/src/main/java/p/A.java":     "package p; class A {}",
		"core/src/test/java/p/ATest.java": javaTestOf("p", "ATest"),
		"core/src/test/java/p/BTest.java": "package p; class BTest extends BaseCases { String f = " +
			"\"data/rows.csv\"; }",
		"core/src/test/java/p/BaseCases.java":   "package p; abstract class BaseCases { @Test void t() {} }",
		"core/src/test/java/p/StoreIT.java":     javaTestOf("p", "StoreIT"),
		"core/src/test/java/p/Util.java":        "package p; class Util {}",
		"core/src/test/java/q/QTest.java":       javaTestOf("q", "QTest"),
		"core/src/test/resources/data/rows.csv": "1",
		"core/src/test/resources/p/unnamed.txt": "1",
		"web/src/test/kotlin/p/ATest.kt": "package p\nclass ATest { @Test fun a() {} }\nclass SecondTest { @Test " +
			"fun b() {} }",
		"web/src/test/java/p/package-info.java":   "package p;",
		"docs/readme.md":                          "",
		"core/src/test/java/p/sub/DeepTest.java":  javaTestOf("p.sub", "DeepTest"),
		"core/src/test/java/p/sub/Helper.java":    "package p.sub; class Helper {}",
		"core/src/test/java/p/sub/TestUtils.java": "package p.sub; class TestUtils {}",
	}
	for name, c := range map[string]struct {
		hidden []string
		want   string
		left   int
	}{
		"named": {[]string{"core/src/test/java/p/ATest.java", "web/src/test/kotlin/p/ATest.kt"},
			"core: p.ATest; web: p.ATest p.SecondTest", 0},
		"integration":     {[]string{"core/src/test/java/p/StoreIT.java"}, "", 1},
		"abstract base":   {[]string{"core/src/test/java/p/BaseCases.java"}, "core: p.BTest", 0},
		"fixture by name": {[]string{"core/src/test/resources/data/rows.csv"}, "core: p.BTest", 0},
		"helper":          {[]string{"core/src/test/java/p/sub/TestUtils.java"}, "core: p.sub.DeepTest", 0},
		"fixture beside":  {[]string{"core/src/test/resources/p/unnamed.txt"}, "core: p.ATest p.BTest p.sub.DeepTest", 0},
		"helper covered": {[]string{"core/src/test/java/p/ATest.java", "core/src/test/java/p/Util.java"}, "core: p.ATest",
			0},
		"no test": {[]string{"docs/readme.md", "core/src/main/java/p/A.java", "gone.java"}, "", 3},
	} {
		sel, err := Toolchain{}.Select(tree, mustDetect(t, tree), c.hidden)
		if err != nil {
			t.Fatal(err)
		}
		var units []string
		for _, u := range sel.Units {
			units = append(units, u.Dir+": "+strings.Join(u.Tests, " "))
		}
		if got := strings.Join(units, "; "); got != c.want || len(sel.Left) != c.left {
			t.Errorf("%s: %q, left %v; want %q, %d", name, got, sel.Left, c.want, c.left)
		}
	}
}

func TestMavenPlan(t *testing.T) {
	tree := kit.Map{
		"pom.xml": `<project><groupId>g</groupId><artifactId>all</artifactId><version>1</version><packaging>pom</packaging><modules><module>app</module></modules>
<properties><lib.version>2.5</lib.version></properties></project>`,
		"app/pom.xml": `<project><parent><groupId>g</groupId><artifactId>all</artifactId><version>1</version></parent><artifactId>app</artifactId>
<dependencies><dependency><groupId>o</groupId><artifactId>lib-a</artifactId><version>${lib.version}</version></dependency></dependencies></project>`,
		"app/src/test/java/p/ATest.java": "package p; class ATest { @Nested class In { @Test void t() {} } }",
		".mvn/jvm.config":                "",
	}
	lib := kit.Map{
		"pom.xml": "<project>\n<groupId>o</groupId>\n<artifactId>lib</artifactId>\n<version>3-SNAPSHOT</version>\n<modules><module>a</module><module>b</module></modules>\n</project>",
		"a/pom.xml": "<project>\n<parent>\n<groupId>o</groupId>\n<artifactId>lib</artifactId>\n<version>3-SNAPSHOT</version>\n</parent>\n<artifactId>lib-a</artifactId>\n" +
			"<dependencies><dependency>\n<groupId>x</groupId><artifactId>other</artifactId>\n<version>3-SNAPSHOT</version></dependency></dependencies></project>",
		"b/pom.xml": "<project><parent><groupId>o</groupId><artifactId>lib</artifactId><version>3-SNAPSHOT</version></parent><artifactId>lib-b</artifactId></project>",
	}
	j := kit.Job{Recipe: mustDetect(t, tree), Repository: "o/app", Tree: tree,
		Siblings: []kit.Sibling{{Repository: "o/lib", Tree: lib}, {Repository: "o/none", Tree: kit.Map{}}},
		Selection: kit.Selection{Units: []kit.Unit{{Dir: "app", Runner: "maven",
			Files: []string{"app/src/test/java/p/ATest.java"}, Tests: []string{"p.ATest"}}}}}
	p := kittest.Plan(t, Toolchain{}, j)
	if diff := cmp.Diff([]string{"app/maven.log", "app/TEST-TestSuite.xml", "app/TEST-p.ATest.xml",
		"app/TEST-p.ATest$In.xml"}, p.Files); diff != "" {
		t.Errorf("files: -want +got\n%s", diff)
	}
	if diff := cmp.Diff([]string{".mvn/jvm.config", "app/pom.xml", "pom.xml"}, p.Manifests); diff != "" {
		t.Errorf("manifests: -want +got\n%s", diff)
	}
	build, setup := strings.Join(p.Build, "\n"), strings.Join(p.Setup, "\n")
	for _, want := range []string{
		"-pl a -am -Dmaven.test.skip=true", "sed -i '4s|3-SNAPSHOT|2\\.5|' ", "sed -i '5s|3-SNAPSHOT|2\\.5|' ", "/a/pom.xml",
		"-Drevision=2.5",
	} {
		if !strings.Contains(build, want) {
			t.Errorf("build lacks %q:\n%s", want, build)
		}
	}
	if strings.Contains(build, "9s|") {
		t.Errorf("a stranger's version is renamed:\n%s", build)
	}
	for _, want := range []string{`rm -rf "$m2"/o/lib-a/2.5`, `rm -rf "$m2"/o/lib/3-SNAPSHOT`, "p.ATest#wideswe_none",
		"-pl app -am test"} {
		if !strings.Contains(setup, want) {
			t.Errorf("setup lacks %q:\n%s", want, setup)
		}
	}
	j.Only, j.Skip = []string{"app/p.ATest$In::t", "app/p.ATest::a sentence, with words", "q.ATest::t"},
		[]string{"app/p.ATest::u(int)[1]"}
	if test := kittest.Plan(t, Toolchain{}, j).Test; !strings.Contains(test, `-Dtest='p.ATest,p.ATest$In#t,!p.ATest#u'`) {
		t.Error(test)
	}
	evil := kit.Map{"pom.xml": "<project><groupId>../..</groupId><artifactId>lib-a</artifactId><version>$(x)'|e</version></project>"}
	if w := wireMaven(kit.Job{Repository: "o/app", Siblings: []kit.Sibling{{Repository: "o/evil", Tree: evil}}},
		poms(kit.Map{"pom.xml": "<project><artifactId>app</artifactId><dependencies><dependency><groupId>../..</groupId><artifactId>lib-a</artifactId><version>`id`'</version></dependency></dependencies></project>"})); len(w.siblings) != 1 || len(w.forget()) > 0 ||
		strings.Contains(strings.ReplaceAll(strings.Join(w.install("mvn"), "\n"), kit.Quote("`id`'"), ""), "=`id`") {
		t.Errorf("%+v %v %v", w.siblings, w.forget(), w.install("mvn"))
	}
}

func mustDetect(t *testing.T, tree kit.Tree) schema.Recipe {
	t.Helper()
	r, ok := Toolchain{}.Detect(tree)
	if !ok {
		t.Fatal("not detected")
	}
	return r
}

func TestGradlePlan(t *testing.T) {
	tree := kit.Map{
		"settings.gradle.kts": "include(\":app\")", "gradlew": "", "gradle/wrapper/gradle-wrapper.jar": "",
		"gradle/wrapper/gradle-wrapper.properties": "distributionUrl=https\\://dist.example/distributions/gradle-8.9-bin.zip\n",
		"app/build.gradle.kts":                     "kotlin { jvmToolchain(17) }",
		"app/src/test/kotlin/p/ATest.kt":           "package p\nclass ATest { @Test fun a() {} }",
	}
	r := mustDetect(t, tree)
	if r.Runtime != "17" || r.Report != "gradle" || slices.Contains(r.Packages, "gradle") ||
		!strings.Contains(strings.Join(r.Why, "\n"), "gradle-8.9-bin.zip") {
		t.Errorf("%+v", r)
	}
	sel, err := Toolchain{}.Select(tree, r, []string{"app/src/test/kotlin/p/ATest.kt"})
	if err != nil {
		t.Fatal(err)
	}
	j := kit.Job{Recipe: r, Repository: "o/app", Tree: tree, Selection: sel, Siblings: []kit.Sibling{{Repository: "o/lib",
		Tree: kit.Map{"build.gradle": ""}}}}
	p := kittest.Plan(t, Toolchain{}, j)
	if diff := cmp.Diff([]string{"app/gradle.log", "app/TEST-p.ATest.xml"}, p.Files); diff != "" {
		t.Errorf("files: -want +got\n%s", diff)
	}
	for _, want := range []string{"--offline", ":app:test --tests p.ATest"} {
		if !strings.Contains(p.Test, want) {
			t.Errorf("the test lacks %q:\n%s", want, p.Test)
		}
	}
	if !strings.Contains(strings.Join(p.Setup, "\n"),
		"the wrapper could not fetch gradle-8.9-bin.zip: a recipe may name an image that has Gradle") ||
		!strings.Contains(strings.Join(p.Wire, "\n"), `--include-build $WIDESWE_WORKSPACE/"o/lib`) {
		t.Errorf("%q %q", p.Setup, p.Wire)
	}
	j.Only = []string{"app/p.ATest::a(int)[1]"}
	if test := kittest.Plan(t, Toolchain{}, j).Test; !strings.Contains(test, "--tests p.ATest.a") {
		t.Error(test)
	}
}
