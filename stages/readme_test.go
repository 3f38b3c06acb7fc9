package stages_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wideswe/wideswe/schema"
	"github.com/wideswe/wideswe/stages"
)

// TestREADMEDescribesEveryStage also checks that the files and tables that README.md names exist.
func TestREADMEDescribesEveryStage(t *testing.T) {
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	description, _, _ := strings.Cut(string(text), "\n# ")
	var described []string
	for _, m := range regexp.MustCompile(`(?m)^## (\w+)$`).FindAllStringSubmatch(description, -1) {
		described = append(described, m[1])
	}
	if d := cmp.Diff(stages.Names(), described); d != "" {
		t.Error(d)
	}
	file := regexp.MustCompile("`((?:stages|pipeline|schema)/[\\w./]+)`")
	for _, m := range file.FindAllStringSubmatch(string(text), -1) {
		if _, err := os.Stat(filepath.Join("..", m[1])); err != nil {
			t.Errorf("README.md names %s, which does not exist", m[1])
		}
	}
	known := tablesAndViews(t)
	for _, m := range regexp.MustCompile("`([a-z]+(?:_[a-z]+)+)`").FindAllStringSubmatch(description, -1) {
		if !slices.Contains(known, m[1]) {
			t.Errorf("README.md names %s, which is no table or view", m[1])
		}
	}
}

func tablesAndViews(t *testing.T) (names []string) {
	t.Helper()
	create := regexp.MustCompile(`(?m)^CREATE (?:TABLE|OR REPLACE VIEW) (\w+)`)
	for _, pattern := range []string{"migrations/*.sql", "views/*.sql"} {
		files, err := fs.Glob(schema.Files, pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			text, err := fs.ReadFile(schema.Files, f)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range create.FindAllStringSubmatch(string(text), -1) {
				names = append(names, m[1])
			}
		}
	}
	return names
}
