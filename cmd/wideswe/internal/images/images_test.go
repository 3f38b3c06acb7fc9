package images

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/wideswe/wideswe/cmd/wideswe/internal/config"
	"github.com/wideswe/wideswe/cmd/wideswe/internal/env"
	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/sandbox/image"
)

func TestPruneRule(t *testing.T) {
	e := &env.Env{Dir: t.TempDir(), Err: &bytes.Buffer{}}
	for _, c := range []struct {
		budget, older string
		want          image.Prune
		usage         string
	}{
		{"40GB", "", image.Prune{Budget: 40 << 30}, ""},
		{"0", "", image.Prune{Budget: 0}, ""},
		{"", "30d", image.Prune{Budget: -1, Older: 30 * 24 * time.Hour}, ""},
		{"512m", "12h", image.Prune{Budget: 512 << 20, Older: 12 * time.Hour}, ""},
		{"", "", image.Prune{}, "build.image_budget"},
		{"much", "", image.Prune{}, "--budget"},
		{"", "-3d", image.Prune{}, "--older"},
		{"", "xd", image.Prune{}, "30d"},
	} {
		got, err := (&pruneOptions{env: e, budget: c.budget, older: c.older}).rule()
		got.Now = time.Time{}
		var usage *pipeline.UsageError
		if c.usage != "" {
			if !errors.As(err, &usage) || !strings.Contains(err.Error(), c.usage) {
				t.Errorf("%q %q: %v", c.budget, c.older, err)
			}
			continue
		}
		if err != nil || got != c.want {
			t.Errorf("%q %q: %+v, %v", c.budget, c.older, got, err)
		}
	}
}

// disk is an engine's disk.
type disk struct {
	list    []image.DiskImage
	removed []string
}

func (d *disk) Images(context.Context) ([]image.DiskImage, error) { return d.list, nil }

func (d *disk) RemoveUnused(_ context.Context, i image.DiskImage) (bool, error) {
	d.removed = append(d.removed, i.ID)
	return true, nil
}

func TestImagesAreHeldToTheBudget(t *testing.T) {
	long := time.Now().Add(-24 * time.Hour)
	for name, c := range map[string]struct {
		budget  int64
		prune   bool
		over    int64
		removed []string
	}{
		"they fit":           {100, true, 0, nil},
		"just":               {90, false, 0, nil},
		"too many, and said": {89, false, 90, nil},
		"the oldest goes":    {89, true, 0, []string{"old"}},
		"all that may go":    {0, true, 0, []string{"old", "new"}},
	} {
		d := &disk{list: []image.DiskImage{{ID: "old", Name: "a", Own: 20, LastUsed: long}, {ID: "new", Name: "b", Own: 30,
			LastUsed: long.Add(time.Hour)},
			{ID: "busy", Name: "c", Own: 40, LastUsed: long, InUse: true}}}
		over, err := keepBudget(t.Context(), d, c.budget, c.prune, slog.New(slog.DiscardHandler))
		if err != nil || over != c.over || !slices.Equal(d.removed, c.removed) {
			t.Errorf("%s: over %d, removed %v, %v", name, over, d.removed, err)
		}
	}
	// A folder without a budget asks nothing of the engine.
	if hook := Budget(&env.Env{}, &env.Curator{Config: &config.Config{}}); hook != nil {
		t.Error("no budget, and a hook")
	}
}

func TestImagesArePrintedWithWhatTheyAreFor(t *testing.T) {
	var out bytes.Buffer
	list := []image.DiskImage{{ID: "sha256:0123456789abcdef", Stage: "warm", Repository: "o/r", Own: 3e9, Task: "t1"},
		{ID: "sha256:b", Name: "wideswe/packages:k", Stage: "packages", Own: 2e6, Shared: 120e6, InUse: true}}
	if err := printImages(&out, listImages(list, map[string][]string{"sha256:0123456789abcdef": {"t1", "t2",
		"t3"}})); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"0123456789ab  ", "warm o/r", "3.0 GB", "t1 t2 and 1 more", "wideswe/packages:k",
		"120 MB  in use", "2 images, 3.0 GB"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in:\n%s", want, out.String())
		}
	}
}
