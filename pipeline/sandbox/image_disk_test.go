package sandbox

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/docker/docker/api/types/container"
	"github.com/google/go-cmp/cmp"
)

func TestPruneTakesTheLeastRecentlyUsedFirst(t *testing.T) {
	now := time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)
	image := func(id, on string, days int, gb int64, used bool) DiskImage {
		return DiskImage{ID: id, Name: id, on: on, LastUsed: now.AddDate(0, 0, -days), Own: gb << 30, InUse: used}
	}
	list := func() []DiskImage {
		nameless := image("nameless", "deps", 1, 1, false)
		nameless.Name = ""
		l := []DiskImage{image("packages", "", 90, 4, false), image("deps", "packages", 40, 3, false), image("warm-old", "deps", 40, 2, false),
			image("warm-new", "deps", 1, 2, false), image("other", "packages", 30, 5, false), image("fresh", "packages", 0, 1, false),
			image("running", "", 200, 1, true), image("below", "", 300, 1, false), nameless}
		l = append(l, image("workspace", "below", 0, 1, false))
		l[len(l)-1].Stage = stageWorkspace
		relate(l, nil)
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

func TestImagesOfOursAreListedAndOnlyThoseUnusedRemoved(t *testing.T) {
	d, base := dockerAndImage(t)
	key := "test-" + random()
	made, err := d.BuildImage(t.Context(), ImageSpec{Base: base, Name: "wideswe/test:" + key, Key: key,
		Labels: map[string]string{labelStage: "dependencies", labelRepository: "o/r", labelTask: "t1"},
		Steps:  []Step{{Name: "setup", User: "0:0", Script: "head -c 3000000 /dev/urandom > /big"}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.RemoveImage(context.WithoutCancel(t.Context()), made.ID) })
	find := func() (DiskImage, bool) {
		list, err := d.Images(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range list {
			if i.ID == base {
				t.Error("an image of another's is listed")
			}
			if i.Key == key {
				return i, true
			}
		}
		return DiskImage{}, false
	}
	first, ok := find()
	if !ok || first.Own < 3e6 || first.Own > 4e6 || first.Shared < 1e6 || first.Task != "t1" || first.Stage != "dependencies" || first.InUse {
		t.Fatalf("%+v", first)
	}
	time.Sleep(1100 * time.Millisecond)
	if found, err := d.FindImage(t.Context(), key); err != nil || found.ID != made.ID {
		t.Fatal(found, err)
	}
	later, _ := find()
	if !later.LastUsed.After(first.LastUsed) {
		t.Errorf("used at %s, then at %s", first.LastUsed, later.LastUsed)
	}
	if done, err := d.RemoveUnused(t.Context(), first); done || err != nil {
		t.Errorf("what was used meanwhile was removed: %v", err)
	}
	c, err := d.api.ContainerCreate(t.Context(), &container.Config{Image: made.ID, Cmd: []string{"true"}, Labels: d.owner.labels(nil, time.Minute)}, nil, nil, nil, "")
	if err != nil {
		t.Fatal(err)
	}
	if used, _ := find(); !used.InUse {
		t.Error("a container's image is not in use")
	}
	d.remove(t.Context(), c.ID)
	if done, err := d.RemoveUnused(t.Context(), later); !done || err != nil {
		t.Errorf("not removed: %v", err)
	}
	if _, ok := find(); ok {
		t.Error("still there")
	}
}
