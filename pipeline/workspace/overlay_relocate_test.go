package workspace

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wideswe/wideswe/schema"
)

const fooTest = "package a;\n// FooTest\npublic class FooTest {\n  FooTest() {}\n  void t() { " +
	"is(FooTest.class.getName(), \"a.FooTest\"); c('F'); }\n}\n"

func TestOverlayRelocates(t *testing.T) {
	base := lay(t, map[string]string{"t/FooTest.java": fooTest, "t/BarTest.java": "package a;\nclass BarTest {}\n",
		"src/A.java": "class A {}\n"})
	change := Layer{"upstream", []byte("diff --git a/t/FooTest.java b/t/FooTest.java\n--- a/t/FooTest.java\n+++ " +
		"b/t/FooTest.java\n@@ -6 +6,2 @@\n }\n+// more\n")}
	foo := schema.Relocation{From: "t/FooTest.java", To: "t/FooHiddenTest.java",
		Rename: map[string]string{"FooTest": "FooHiddenTest"}}
	for _, c := range []struct {
		name        string
		relocations []schema.Relocation
		want        map[string]string // of the agent's tree afterwards; "" gone
		files       []string
		replaced    []string
		broken      bool
	}{
		{"elsewhere", []schema.Relocation{foo}, map[string]string{
			"t/FooTest.java": "the agent's\n",
			// The name in the string is what the test asserts: it stays.
			"t/FooHiddenTest.java": "package a;\n// FooTest\npublic class FooHiddenTest {\n  FooHiddenTest() {}\n  void t() { " +
				"is(FooHiddenTest.class.getName(), \"a.FooTest\"); c('F'); }\n}\n// more\n",
		}, []string{"t/FooHiddenTest.java"}, nil, false},
		{"one of base that no layer names", []schema.Relocation{{From: "t/BarTest.java", To: "h/BarTest.java"}},
			map[string]string{
				"t/BarTest.java": "package a;\nclass BarTest {}\n", "h/BarTest.java": "package a;\nclass BarTest {}\n",
				"t/FooTest.java": fooTest + "// more\n"},
			[]string{"h/BarTest.java", "t/FooTest.java"}, []string{"t/FooTest.java"}, false},
		{"where the agent has a file", []schema.Relocation{{From: "t/FooTest.java", To: "own/X.java"}},
			map[string]string{"own/X.java": fooTest + "// more\n"}, []string{"own/X.java"}, []string{"own/X.java"}, false},
		{"of nothing", []schema.Relocation{{From: "t/None.java", To: "t/X.java"}},
			map[string]string{"t/FooTest.java": "the agent's\n", "t/X.java": ""}, nil, nil, true},
		{"out of the tree", []schema.Relocation{{From: "t/FooTest.java", To: "../X.java"}},
			map[string]string{"t/FooTest.java": "the agent's\n"}, nil, nil, true},
		{"into .git", []schema.Relocation{{From: "t/FooTest.java", To: ".git/hooks/x"}},
			map[string]string{"t/FooTest.java": "the agent's\n"}, nil, nil, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			dst := lay(t, map[string]string{"t/FooTest.java": "the agent's\n",
				"t/BarTest.java": "package a;\nclass BarTest {}\n", "own/X.java": "own\n"})
			o, err := Overlay(t.Context(), base, dst, []Layer{change}, c.relocations...)
			var injection *InjectionError
			if errors.As(err, &injection) != c.broken || !c.broken && err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(Overlaid{c.files, c.replaced}, o); d != "" {
				t.Error(d)
			}
			for name, want := range c.want {
				b, err := os.ReadFile(filepath.Join(dst, name))
				if string(b) != want || (want == "") != (err != nil) {
					t.Errorf("%s: %v\n%s", name, err, b)
				}
			}
		})
	}
}

func TestRenamedKeepsWhatTestsAssert(t *testing.T) {
	names := map[string]string{"T": "U"}
	for _, c := range []struct{ file, text, want string }{
		{"a.py", "class T:\n    x = 'T' + \"T\" + '''T'''\nT()\n", "class U:\n    x = 'T' + \"T\" + '''T'''\nU()\n"},
		{"a.rs", "impl<'a> T<'a> { fn f(c: char) { c == 'T' } }", "impl<'a> U<'a> { fn f(c: char) { c == 'T' } }"},
		{"a.go", "type T struct{}\nvar s = `T`\n", "type U struct{}\nvar s = `T`\n"},
		{"a.kt", "class T { val s = \"\"\"T\"\"\" }\nval x: Type = T()",
			"class U { val s = \"\"\"T\"\"\" }\nval x: Type = U()"},
	} {
		if got := renamed(c.file, c.text, names); got != c.want {
			t.Errorf("%s:\n%s", c.file, got)
		}
	}
}
