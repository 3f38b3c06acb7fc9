package testrun

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
)

func TestUnreadFiles(t *testing.T) {
	q := Request{Repository: "o/r", Watched: []string{"src/tests.rs", "src/a b.rs", "tests/data.txt", "x_test.go",
		"src/lib.rs"}}
	lists := []kit.SourceList{{File: "1.sources", Dir: "."}, {File: "2.sources", Dir: "sub"}, {File: "none", Dir: "."}}
	files := map[string][]byte{
		"1.sources": []byte("/cache/deps/r.d: src/lib.rs src/a\\ b.rs\n\nsrc/lib.rs:\n# " +
			"env-dep:tests/data.txt\n/elsewhere/o/r/tests/data.txt\n"),
		"2.sources": []byte("src/tests.rs\n/tmp/root/workspace/o/r/x_test.go\n"),
	}
	if d := cmp.Diff([]string{"src/tests.rs", "tests/data.txt"}, q.unreadFiles(lists, files)); d != "" {
		t.Error(d)
	}
	if q.unreadFiles(nil, files) != nil {
		t.Error("a toolchain without lists tells of no file")
	}
	if got := q.unreadFiles(lists, nil); len(got) != 5 {
		t.Errorf("lists that are gone: %q", got)
	}
}
