package patch_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/wideswe/wideswe/pipeline/patch"
)

const everything = `diff --git a/plain.go b/plain.go
index 1111111..2222222 100644
--- a/plain.go
+++ b/plain.go
@@ -1,3 +1,3 @@ func x() {
 a
-b
+c
 
@@ -10 +10,2 @@
-x
\ No newline at end of file
+x
+--- a/not/a/header
diff --git a/run.sh b/run.sh
old mode 100644
new mode 100755
diff --git a/with space.txt b/with space.txt
new file mode 100644
index 0000000..e69de29
diff --git "a/na\303\257ve \"q\"\t.txt" "b/na\303\257ve \"q\"\t.txt"
index 1111111..2222222 100644
--- "a/na\303\257ve \"q\"\t.txt"
+++ "b/na\303\257ve \"q\"\t.txt"
@@ -1 +1 @@
-a
+b
diff --git a/old name.go b/new name.go
similarity index 100%
rename from old name.go
rename to new name.go
diff --git a/gone.txt b/gone.txt
deleted file mode 100644
index 1111111..0000000
--- a/gone.txt
+++ /dev/null
@@ -1,2 +0,0 @@
-1
-2
diff --git a/bin.dat b/bin.dat
index 1111111..2222222 100644
GIT binary patch
literal 3
Kc${NkU|;|M00aO5

literal 4
Lc${NkU|<9Q00961

diff --git a/ln b/ln
new file mode 120000
index 0000000..2222222
--- /dev/null
+++ b/ln
@@ -0,0 +1 @@
+plain.go
\ No newline at end of file
`

var ignore = cmpopts.IgnoreFields(patch.File{}, "Raw")

func parse(t *testing.T, diff string) []patch.File {
	t.Helper()
	files, err := patch.Parse([]byte(diff))
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestParse(t *testing.T) {
	got := parse(t, everything)
	want := []patch.File{
		{Op: patch.Modify, OldPath: "plain.go", NewPath: "plain.go", OldMode: "100644", NewMode: "100644", Added: 3,
			Deleted: 2},
		{Op: patch.Modify, OldPath: "run.sh", NewPath: "run.sh", OldMode: "100644", NewMode: "100755"},
		{Op: patch.Add, NewPath: "with space.txt", NewMode: "100644"},
		{Op: patch.Modify, OldPath: "naïve \"q\"\t.txt", NewPath: "naïve \"q\"\t.txt", OldMode: "100644", NewMode: "100644",
			Added: 1, Deleted: 1},
		{Op: patch.Rename, OldPath: "old name.go", NewPath: "new name.go"},
		{Op: patch.Delete, OldPath: "gone.txt", OldMode: "100644", Deleted: 2},
		{Op: patch.Modify, OldPath: "bin.dat", NewPath: "bin.dat", OldMode: "100644", NewMode: "100644", Binary: true,
			BinaryData: true},
		{Op: patch.Add, NewPath: "ln", NewMode: "120000", Symlink: "plain.go", HasSymlink: true, Added: 1},
	}
	if d := cmp.Diff(want, got, ignore, cmpopts.IgnoreUnexported(patch.File{})); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(patch.Stats{Files: 8, Added: 5, Deleted: 5}, patch.Stat(got)); d != "" {
		t.Error(d)
	}
}

func TestParseRefuses(t *testing.T) {
	for name, diff := range map[string]string{
		"no diff":                "hello\n",
		"ends inside a hunk":     "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n a\n",
		"hunk too long":          "--- a/x\n+++ b/x\n@@ -1,2 +1 @@\n-a\n+b\n+c\n-d\n",
		"strange hunk line":      "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n a\n*b\n",
		"hunk of no file":        "@@ -1 +1 @@\n-a\n+b\n",
		"no name":                "diff --git a/x b/y\nold mode 100644\nnew mode 100755\n",
		"two names":              "diff --git a/x b/x\n--- a/x\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n",
		"half a rename":          "diff --git a/x b/y\nrename from x\n",
		"added and deleted":      "diff --git a/x b/x\nnew file mode 100644\ndeleted file mode 100644\n",
		"bad quote":              "diff --git \"a/\\999\" \"b/\\999\"\nrename from \"\\999\"\nrename to y\n",
		"binary without content": "diff --git a/x b/x\nindex 1..2 100644\nGIT binary patch\nnothing\n",
	} {
		var syntax *patch.SyntaxError
		if _, err := patch.Parse([]byte(diff)); !errors.As(err, &syntax) {
			t.Errorf("%s: got %v, want a SyntaxError", name, err)
		}
	}
	if files, err := patch.Parse([]byte(" \n\n")); err != nil || len(files) != 0 {
		t.Errorf("a blank patch gives %v, %v", files, err)
	}
}

func TestSplitKeepsEveryByte(t *testing.T) {
	diff := "From: someone\n\n" + strings.ReplaceAll(everything, " a\n", " a\r\n") +
		"diff --git a/x_test.go b/x_test.go\nindex 1..2 100644\n--- a/x_test.go\n+++ b/x_test.go\n@@ -1,2 +1,2 " +
		"@@\n-a\n+b\n \n"
	gold, tests, err := patch.Split([]byte(diff), func(p string) bool { return strings.HasSuffix(p, "_test.go") })
	if err != nil {
		t.Fatal(err)
	}
	if string(gold)+string(tests) != diff {
		t.Error("the parts are not the whole")
	}
	if !bytes.HasPrefix(tests, []byte("diff --git a/x_test.go")) || !bytes.HasSuffix(tests, []byte("+b\n \n")) {
		t.Errorf("tests are %q", tests)
	}
}

func TestSplitRefusesARenameOverTheBorder(t *testing.T) {
	diff := "diff --git a/x.go b/x_test.go\nsimilarity index 100%\nrename from x.go\nrename to x_test.go\n"
	_, _, err := patch.Split([]byte(diff), func(p string) bool { return strings.HasSuffix(p, "_test.go") })
	var crossing *patch.CrossingError
	if !errors.As(err, &crossing) || crossing.Old != "x.go" || crossing.New != "x_test.go" {
		t.Errorf("got %v", err)
	}
}

func add(path string) string {
	return "diff --git a/" + path + " b/" + path + "\nnew file mode 100644\n--- /dev/null\n+++ b/" + path +
		"\n@@ -0,0 +1 @@\n+x\n"
}

func link(path, target string) string {
	return "diff --git a/" + path + " b/" + path + "\nnew file mode 120000\n--- /dev/null\n+++ b/" + path +
		"\n@@ -0,0 +1 @@\n+" + target +
		"\n\\ No newline at end of file\n"
}

func TestCheck(t *testing.T) {
	for _, c := range []struct{ diff, unsafe string }{
		{everything[:strings.Index(everything, "diff --git \"")], ""},
		{add("a/b/c.txt"), ""},
		{add(".github/workflows/x.yml"), ""},
		{add(".gitignore"), ""},
		{add("gitlab/x"), ""},
		{add("...and/so on"), ""},
		{link("a/ln", "../b"), ""},
		{add("../x"), "../x"},
		{add("a/../../x"), "a/../../x"},
		{add("/etc/passwd"), "/etc/passwd"},
		{add(`..\x`), `..\x`},
		{add(`C:/x`), `C:/x`},
		{add(".git/hooks/x"), ".git/hooks/x"},
		{add("sub/.GIT/config"), "sub/.GIT/config"},
		{add(".git./config"), ".git./config"},
		{add(".git /config"), ".git /config"},
		{add("GIT~1/config"), "GIT~1/config"},
		{add(".git::$INDEX_ALLOCATION/config"), ".git::$INDEX_ALLOCATION/config"},
		{add(".g\u200cit/config"), ".g\u200cit/config"},
		{add("a//b"), "a//b"},
		{"diff --git \"a/x\\001\" \"b/x\\001\"\nold mode 100644\nnew mode 100755\n", "x\x01"},
		{"diff --git \"a/\\056git/x\" \"b/\\056git/x\"\nold mode 100644\nnew mode 100755\n", ".git/x"},
		{"diff --git a/x b/../y\nrename from x\nrename to ../y\n", "../y"},
		{"diff --git a/.git/config b/y\ncopy from .git/config\ncopy to y\n", ".git/config"},
		{link("ln", "/etc"), "ln"},
		{link("a/ln", "../../x"), "a/ln"},
		{link("ln", ".git/config"), "ln"},
		{link("d", "sub") + add("d/x"), "d/x"},
		{add("D/x") + link("d", "sub"), "D/x"},
		// diff -u, whose names git apply may strip by nothing once it has seen one without a slash.
		{"--- x\n+++ x\n@@ -1 +1 @@\n-a\n+b\n--- .git/config\n+++ .git/config\n@@ -1 +1 @@\n-a\n+b\n", ".git/config"},
		{"garbage\n--- a/../x\t2020-01-01\n+++ b/../x\n@@ -1 +1 @@\n-a\n+b\n", "../x"},
	} {
		err := patch.Check(parse(t, c.diff))
		var unsafe *patch.UnsafeError
		switch {
		case c.unsafe == "" && err != nil:
			t.Errorf("%q: %v", c.diff, err)
		case c.unsafe != "" && !errors.As(err, &unsafe):
			t.Errorf("%q: got %v, want it refused", c.diff, err)
		case c.unsafe != "" && unsafe.Path != c.unsafe:
			t.Errorf("%q: %q is named, want %q", c.diff, unsafe.Path, c.unsafe)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(everything))
	f.Add([]byte(add("a") + link("b", "c")))
	f.Add([]byte("--- a/x\t2020\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n"))
	f.Add([]byte("diff --git a/x b/y\nrename from x\nrename to y\n"))
	f.Fuzz(func(t *testing.T, diff []byte) {
		files, err := patch.Parse(diff)
		if err != nil || len(files) == 0 {
			return
		}
		var all []byte
		for _, file := range files {
			if file.OldPath == "" && file.NewPath == "" {
				t.Fatal("a file without a name")
			}
			all = append(all, file.Raw...)
		}
		if !bytes.Equal(all, diff) {
			t.Fatal("the sections are not the whole")
		}
		_ = patch.Check(files)
		gold, tests, err := patch.Split(diff, func(p string) bool { return len(p)%2 == 0 })
		if err == nil && len(gold)+len(tests) != len(diff) {
			t.Fatal("bytes lost in the split")
		}
		// Each section stands alone.
		for _, file := range files {
			again, err := patch.Parse(file.Raw)
			if err != nil || len(again) != 1 {
				t.Fatalf("section %q: %d files, %v", file.Raw, len(again), err)
			}
		}
	})
}

// git quotes a name with a space and a byte beyond ASCII, and ends it with a tab as well.
func TestAQuotedNameThatEndsWithATab(t *testing.T) {
	const diff = "diff --git \"a/odd \\377\" \"b/odd \\377\"\n--- \"a/odd \\377\"\t\n+++ \"b/odd \\377\"\t\n@@ -1 +1 " +
		"@@\n-o\n+O\n"
	files, err := patch.Parse([]byte(diff))
	if err != nil || len(files) != 1 || files[0].Path() != "odd \xff" || files[0].Added != 1 {
		t.Errorf("%+v %v", files, err)
	}
	if _, err := patch.Parse([]byte(strings.ReplaceAll(diff, "\t\n", " x\n"))); err == nil {
		t.Error("more after the quote is taken for the name")
	}
}
