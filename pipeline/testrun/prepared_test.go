package testrun

import (
	"context"
	"testing"

	"github.com/wideswe/wideswe/pipeline/sandbox"
)

// laying is a backend that counts what it lays.
type laying struct {
	sandbox.Backend
	laid, removed int
}

func (l *laying) Abilities() sandbox.Abilities { return sandbox.NewAbilities(nil, l, nil) }

func (l *laying) Prepare(_ context.Context, on string, _ []sandbox.Source, _ map[string]string) (sandbox.Prepared,
	func(), error) {
	l.laid++
	return sandbox.Prepared{Image: on + "+trees"}, func() { l.removed++ }, nil
}

// TestALazyWorkspaceIsLaidForItsSecondRun: one that is used once is not laid at all.
func TestALazyWorkspaceIsLaidForItsSecondRun(t *testing.T) {
	for _, c := range []struct {
		lazy bool
		want []string
	}{{false, []string{"i+trees", "i+trees", "i+trees"}}, {true, []string{"i", "i+trees", "i+trees"}}} {
		b := &laying{}
		w := (&Runner{Backend: b}).Workspace(Request{Repository: "o/r", Image: "i", Workspace: t.TempDir()})
		w.Lazy = c.lazy
		for n, want := range c.want {
			p, err := w.lay(t.Context())
			if err != nil || p.Image != want || (len(p.In) > 0) != (want == "i") {
				t.Errorf("lazy %t, run %d: %+v %v, want %s", c.lazy, n+1, p, err, want)
			}
		}
		w.Close()
		if b.laid != 1 || b.removed != 1 {
			t.Errorf("lazy %t: laid %d, removed %d", c.lazy, b.laid, b.removed)
		}
	}
}
