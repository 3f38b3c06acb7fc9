package docker

import (
	"context"
	"testing"
	"time"

	"github.com/docker/docker/api/types/container"

	"github.com/wideswe/wideswe/pipeline/sandbox"
	"github.com/wideswe/wideswe/pipeline/sandbox/image"
)

func TestImagesOfOursAreListedAndOnlyThoseUnusedRemoved(t *testing.T) {
	d, base := dockerAndImage(t)
	key := "test-" + random()
	made, err := d.BuildImage(t.Context(), sandbox.ImageSpec{Base: base, Name: "wideswe/test:" + key, Key: key,
		Labels: map[string]string{image.LabelStage: "dependencies", image.LabelRepository: "o/r", image.LabelTask: "t1"},
		Steps:  []sandbox.Step{{Name: "setup", User: "0:0", Script: "head -c 3000000 /dev/urandom > /big"}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.RemoveImage(context.WithoutCancel(t.Context()), made.ID) })
	find := func() (image.DiskImage, bool) {
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
		return image.DiskImage{}, false
	}
	first, ok := find()
	if !ok || first.Own < 3e6 || first.Own > 4e6 || first.Shared < 1e6 || first.Task != "t1" ||
		first.Stage != "dependencies" || first.InUse {
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
	c, err := d.api.ContainerCreate(t.Context(), &container.Config{Image: made.ID, Cmd: []string{"true"},
		Labels: d.owner.labels(nil, time.Minute)}, nil, nil, nil, "")
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
