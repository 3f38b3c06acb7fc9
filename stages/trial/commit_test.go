package trial

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/wideswe/wideswe/schema"
)

func TestTestFilesNarrowed(t *testing.T) {
	files := []string{"a_test.go", "main.go", "pkg/a/b_test.go", "pkg/b_test.go", "pkg/testdata/x.json",
		"web/src/app.test.ts"}
	for _, c := range []struct {
		name     string
		patterns []string
		want     []string
	}{
		{"all", nil, []string{"a_test.go", "pkg/a/b_test.go", "pkg/b_test.go", "web/src/app.test.ts"}},
		{"a folder", []string{"pkg"}, []string{"pkg/a/b_test.go", "pkg/b_test.go"}},
		{"a folder as shells complete it", []string{"./pkg/"}, []string{"pkg/a/b_test.go", "pkg/b_test.go"}},
		{"a file", []string{"pkg/b_test.go"}, []string{"pkg/b_test.go"}},
		{"within one folder", []string{"pkg/*_test.go"}, []string{"pkg/b_test.go"}},
		{"at any depth", []string{"**/b_test.go"}, []string{"pkg/a/b_test.go", "pkg/b_test.go"}},
		{"below", []string{"pkg/**"}, []string{"pkg/a/b_test.go", "pkg/b_test.go"}},
		{"two", []string{"a_test.go", "web/**/*.ts"}, []string{"a_test.go", "web/src/app.test.ts"}},
		{"everything", []string{"."}, []string{"a_test.go", "pkg/a/b_test.go", "pkg/b_test.go", "web/src/app.test.ts"}},
		{"no prefix of a name", []string{"pk"}, nil},
		{"a broken pattern", []string{"[", "["}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			if d := cmp.Diff(c.want, testFiles(files, c.patterns)); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestOutcomesOfRepeats(t *testing.T) {
	got := byOutcome(map[string][]schema.TestOutcome{
		"b": {schema.Pass, schema.Pass}, "a": {schema.Pass, schema.Pass}, "f": {schema.Fail, schema.Fail},
		"differs": {schema.Pass, schema.Fail}, "once only": {schema.Pass},
	}, 2)
	want := map[string][]string{"pass": {"a", "b"}, "fail": {"f"}, "unstable": {"differs", "once only"}}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}
