package image

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestPruneTakesTheLeastRecentlyUsedFirst(t *testing.T) {
	now := time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)
	image := func(id, on string, days int, gb int64, used bool) DiskImage {
		return DiskImage{ID: id, Name: id, On: on, LastUsed: now.AddDate(0, 0, -days), Own: gb << 30, InUse: used}
	}
	list := func() []DiskImage {
		nameless := image("nameless", "deps", 1, 1, false)
		nameless.Name = ""
		l := []DiskImage{image("packages", "", 90, 4, false), image("deps", "packages", 40, 3, false), image("warm-old",
			"deps", 40, 2, false),
			image("warm-new", "deps", 1, 2, false), image("other", "packages", 30, 5, false), image("fresh", "packages", 0, 1,
				false),
			image("running", "", 200, 1, true), image("below", "", 300, 1, false), nameless}
		l = append(l, image("workspace", "below", 0, 1, false))
		l[len(l)-1].Stage = StageWorkspace
		RelateUse(l, nil)
		return l
	}
	for _, c := range []struct {
		name string
		p    Prune
		want string
	}{
		{"all that is old", Prune{Budget: -1, Older: 20 * 24 * time.Hour}, "nameless warm-old other"},
		{"until it fits", Prune{Budget: 16 << 30}, "nameless warm-old other"},
		{"little", Prune{Budget: 19 << 30}, "nameless warm-old"},
		{"all that may go", Prune{Budget: 0}, "nameless warm-old other warm-new deps"},
		{"nothing but what has no name", Prune{Budget: 100 << 30}, "nameless"},
	} {
		c.p.Now = now
		var got []string
		for _, i := range c.p.Choose(list()) {
			got = append(got, i.ID)
		}
		if d := cmp.Diff(c.want, strings.Join(got, " ")); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
	}
}
