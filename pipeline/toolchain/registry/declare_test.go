package registry

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDeclares(t *testing.T) {
	for _, c := range []struct {
		file, text string
		want       []string
	}{
		{"p/a_test.go", "package p\n\nimport \"testing\"\n\ntype T struct{}\n\nvar a, _ = 1, 2\n\nconst c = 1\n\nfunc " +
			"init() {}\n\nfunc (t *T) M() { type inner struct{} }\n\nfunc TestX(t *testing.T) {}\n",
			[]string{"p p T", "p p a", "p p c", "p p T.M", "p p TestX"}},
		{"p/a_test.go", "package p_test\n\nfunc TestX(t *testing.T) {}\n", []string{"p p_test TestX"}},
		{"p/a_test.go", "package", nil},
		{"src/test/java/a/FooTest.java", "package a.b;\n/* class Not {} */\n@Ext(\"class Nor {\")\npublic class FooTest " +
			"{\n  static class Inner {}\n  String s = \"{\";\n}\nclass Helper {}\nrecord R(int a) {}\n",
			[]string{"a.b.FooTest", "a.b.Helper", "a.b.R"}},
		{"a/FooTest.kt", "package a\n\nclass FooTest {\n  companion object X { }\n}\nobject Y\n", []string{"a.FooTest",
			"a.Y"}},
		{"a/T.cs", "namespace A.B;\npublic class T { class In {} }\npartial class P {}\n", []string{"A.B.T"}},
		{"a/T.cs", "namespace A.B {\n  public class T { class In {} }\n}\n", []string{"A.B.T"}},
		{"a.py", "class T: pass\n", nil},
	} {
		if d := cmp.Diff(c.want, Declares(c.file, []byte(c.text))); d != "" {
			t.Errorf("%s: %s", c.text, d)
		}
	}
}
