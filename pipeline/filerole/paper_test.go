package filerole_test

import (
	"fmt"
	"testing"

	"github.com/wideswe/wideswe/pipeline/filerole"
)

func TestPaper(t *testing.T) {
	for _, c := range []struct {
		repository, title string
		files             []string // a dash in front: removed
		want              filerole.PaperChange
	}{
		{"o/app", "Fix", []string{"main.go"}, filerole.PaperChange{}},
		{"o/app", "Fix", []string{"tests/a.txt"}, filerole.PaperChange{Test: true}},
		{"o/app", "Fix", []string{"docs/Testing/guide.md"}, filerole.PaperChange{Test: true}},
		{"o/app", "Fix", []string{"ci/latest.yml"}, filerole.PaperChange{Test: true}},
		{"o/app", "Fix", []string{"spec/openapi.yaml"}, filerole.PaperChange{Test: true}},
		{"o/app", "Fix", []string{"pkg/test_foo.py", "lib/foo_spec.rb", "e2e/a.ts", "FooSpec.scala"}, filerole.PaperChange{}},
		{"o/app", "Fix", []string{"-a_test.go", "a.go"}, filerole.PaperChange{}},
		{"o/app-ios", "Fix", []string{"a_test.go"}, filerole.PaperChange{Test: true, Phone: true}},
		{"o/app", "Fix on iOS", []string{"a_test.go"}, filerole.PaperChange{Test: true, Phone: true}},
		{"o/app", "Fix on ios", []string{"a_test.go"}, filerole.PaperChange{Test: true}},
		{"o/app", "Fix", []string{"ios/a.ts", "a.test.ts"}, filerole.PaperChange{Test: true, Phone: true}},
		{"o/app", "Fix", []string{"x/Podfile.lock", "a.spec.ts"}, filerole.PaperChange{Test: true, Phone: true}},
		{"o/kiosk", "Fix", []string{"studios/a.test.js"}, filerole.PaperChange{Test: true}},
	} {
		var files []filerole.PaperFile
		for _, f := range c.files {
			removed := f[0] == '-'
			if removed {
				f = f[1:]
			}
			files = append(files, filerole.PaperFile{Path: f, Removed: removed})
		}
		if got := filerole.Paper(c.repository, c.title, files); got != c.want {
			t.Errorf("%s %q %q: %+v, want %+v", c.repository, c.title, c.files, got, c.want)
		}
	}
}

// The script looks at 300 files, and at the first paths alone for phones.
func TestPaperLooksAtTheFirstFiles(t *testing.T) {
	var files []filerole.PaperFile
	for i := range 400 {
		files = append(files, filerole.PaperFile{Path: fmt.Sprintf("a/%03d.go", i)})
	}
	files[310].Path, files[31].Path = "a_test.go", "ios/a.go"
	if got := filerole.Paper("o/app", "Fix", files); got != (filerole.PaperChange{}) {
		t.Errorf("%+v", got)
	}
	files[299].Path, files[29].Path = "a_test.go", "ios/a.go"
	if got := filerole.Paper("o/app", "Fix", files); got != (filerole.PaperChange{Test: true, Phone: true}) {
		t.Errorf("%+v", got)
	}
}
