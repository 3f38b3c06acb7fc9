package inspect_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/wideswe/wideswe/pipeline/git"
	"github.com/wideswe/wideswe/stages/inspect"
)

// A pull that no text and no candidate names is proposed where a manifest of another one
// begins to use its commit.
func TestManifestsOfEveryPullPropose(t *testing.T) {
	w := newWorld(t)
	root := t.TempDir()
	lib, _ := repository(t, filepath.Join(root, "o/lib"), map[string]string{"go.mod": "module github.com/o/lib\n"},
		map[string]string{"a.go": "package a\n"}, false)
	app, _ := repository(t, filepath.Join(root, "o/app"), map[string]string{"go.mod": "module github.com/o/app\n"},
		map[string]string{"go.mod": "module github.com/o/app\n\nrequire github.com/o/lib v0.0.0-20250101000000-" + lib[:12] +
			"\n"}, false)
	w.put("pull_versions", row{"repository_id": int64(1), "number": 7, "source": "list", "merge_commit_sha": lib,
		"author": "ann"})
	w.put("pull_versions", row{"repository_id": int64(2), "number": 8, "source": "list", "merge_commit_sha": app,
		"author": "ann"})
	// gone
	w.put("pull_versions", row{"repository_id": int64(2), "number": 9, "source": "list", "merge_commit_sha": sha,
		"author": "ann"})
	// no history at all
	w.put("pull_versions", row{"repository_id": int64(3), "number": 1, "source": "list", "merge_commit_sha": sha,
		"author": "ann"})
	mirrors := &git.Mirrors{Dir: filepath.Join(t.TempDir(), "m"), Backoff: time.Millisecond,
		Options: git.Options{URLTemplate: "file://" + root + "/{owner}/{name}"}}
	s := inspect.Stage{Mirrors: mirrors, Options: inspect.Options{Manifests: true}}
	if c := w.run(s); c.Done != 2 || c.Skipped != 1 {
		t.Errorf("%+v: %q", c, w.strings("SELECT reason FROM outcomes"))
	}
	shown := "SELECT concat_ws(' ', a, b, kind, evidence) FROM proposals ORDER BY ALL"
	want := []string{"o/lib#7 o/app#8 manifest go.mod: github.com/o/lib " + lib[:12]}
	if d := cmp.Diff(want, w.strings(shown)); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string(nil), w.strings("SELECT stage FROM funnel WHERE stage = 'inspect'")); d != "" {
		t.Error(d)
	}
	if c := w.run(s); c.Unchanged != 3 {
		t.Errorf("a second run did %+v", c)
	}
	s.Manifests = false
	w.run(s)
	if d := cmp.Diff([]string(nil), w.strings(shown)); d != "" {
		t.Error(d)
	}
}
