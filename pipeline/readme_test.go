package pipeline_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestREADMENamesWhatThereIs: every path that README.md writes as code exists.
func TestREADMENamesWhatThereIs(t *testing.T) {
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile("`((?:cmd|stages|pipeline|schema|toolchain|testreport|data)/[a-zA-Z0-9_./-]+)`")
	for _, m := range named.FindAllStringSubmatch(string(text), -1) {
		name := m[1]
		if strings.HasSuffix(name, "/NAME") {
			continue
		}
		if _, err := os.Stat(filepath.Join("..", name)); err == nil {
			continue
		}
		if _, err := os.Stat(name); err != nil { // written from this folder
			t.Errorf("README.md names %s, which does not exist", name)
		}
	}
}
