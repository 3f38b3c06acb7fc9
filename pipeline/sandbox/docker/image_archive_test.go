package docker

import (
	"bytes"
	"context"
	"strings"
	"testing"

	engine "github.com/docker/docker/api/types/image"

	"github.com/wideswe/wideswe/pipeline/sandbox"
)

func TestDockerSavesAndLoadsImages(t *testing.T) {
	d, img := dockerAndImage(t)
	ctx := t.Context()
	build := func(word string) sandbox.Image {
		made, err := d.BuildImage(ctx, sandbox.ImageSpec{Base: img, Name: "wideswe/archive:" + word, Key: "archive-" + word +
			random(), Steps: []sandbox.Step{{Name: "write", Script: "echo " + word + " > /tmp/" + word}}})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = d.RemoveImage(context.Background(), made.ID) })
		return made
	}
	one, two := build("one"), build("two")
	names := map[string]string{one.ID: one.Name, two.ID: two.Name}
	var saved bytes.Buffer
	if err := d.SaveImages(ctx, []string{one.ID, two.ID}, &saved); err != nil {
		t.Fatal(err)
	}
	for id := range names {
		if _, err := d.api.ImageRemove(ctx, id, engine.RemoveOptions{Force: true}); err != nil {
			t.Fatal(err)
		}
	}
	// Nothing of an archive with an image that nobody asked for stays.
	if err := d.LoadImages(ctx, bytes.NewReader(saved.Bytes()), map[string]string{one.ID: one.Name}); err == nil ||
		!strings.Contains(err.Error(), two.ID) {
		t.Errorf("another image: %v", err)
	}
	if _, err := d.api.ImageInspect(ctx, one.ID); err == nil {
		t.Error("a refused archive was loaded")
	}
	if err := d.LoadImages(ctx, bytes.NewReader(saved.Bytes()), names); err != nil {
		t.Fatal(err)
	}
	for id, name := range names {
		if got, err := d.ImageID(ctx, name); err != nil || got != id {
			t.Errorf("%s is %s, %v", name, got, err)
		}
	}
	if err := d.LoadImages(ctx, bytes.NewReader(saved.Bytes()[:saved.Len()/2]), names); err == nil {
		t.Error("half an archive was loaded")
	}
}
