package assemble

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wideswe/wideswe/pipeline"
)

// The file lies among people's files: whatever is in it ends in a sentence.
func TestSourcesThatAreNoYAML(t *testing.T) {
	for name, text := range map[string]string{
		"a tag of nothing": "draft_sha256: !0000… ",
		"an alias":         "draft_sha256: &a [x]\nparagraphs: *a\n",
		"brackets":         "draft_sha256: " + strings.Repeat("[", 1<<16),
	} {
		s := Stage{Prompts: t.TempDir()}
		path := s.promptPath("t1", "prompt_sources.yaml")
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		_, err := s.sources("t1")
		var usage *pipeline.UsageError
		if !errors.As(err, &usage) || !strings.Contains(err.Error(), "get a new draft") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
