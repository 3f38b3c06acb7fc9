package main

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wideswe/wideswe/pipeline/sandbox"
	"github.com/wideswe/wideswe/schema"
)

// The images of a release go with it: saved, gone from the engine, loaded, and an
// evaluation runs in them, with nothing to build from.
func TestReleaseImages(t *testing.T) {
	base := dockerImage(t)
	d, err := sandbox.OpenDocker(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	made, err := d.BuildImage(t.Context(), sandbox.ImageSpec{Base: base, Name: "wideswe/o__small:test", Key: "small-" + filepath.Base(t.TempDir()), Labels: map[string]string{"wideswe.test": t.Name()},
		Steps: []sandbox.Step{{Name: "write", Script: "echo mine > /tmp/mine"}}})
	if err != nil {
		t.Fatal(err)
	}
	remove := func() {
		if err := d.RemoveImage(context.Background(), made.ID); err != nil {
			t.Error(err)
		}
	}
	t.Cleanup(remove)
	dir := t.TempDir()
	rel := filepath.Join(dir, "release")
	smallRelease(t, rel, smallTask{id: "good", gold: "new", looks: "new", image: schema.ImageFile{Image: made.Name, ID: made.ID, BaseImage: "nowhere/at-all:1"}})
	if code, _, e := words(t, "release", "images", "load", "--release", rel); code != exitNeed || !strings.Contains(e, "release images save") {
		t.Errorf("nothing to load: exit %d: %s", code, e)
	}
	if code, o, e := words(t, "release", "images", "save", "--release", rel); code != exitDone || !strings.Contains(o, "1 images saved") {
		t.Fatalf("save: exit %d: %s %s", code, o, e)
	}
	if code, o, e := words(t, "release", "verify", "--release", rel); code != exitDone {
		t.Errorf("the release with its images: exit %d: %s %s", code, o, e)
	}
	remove()
	if code, _, e := words(t, "release", "images", "save", "--release", rel); code != exitNeed || !strings.Contains(e, made.ID+") is not here") {
		t.Errorf("saving what is gone: exit %d: %s", code, e)
	}
	if code, o, _ := words(t, "estimate", "--release", rel); code != exitDone || !strings.Contains(o, "0 of 1 are here") || !strings.Contains(o, "release images load brings") {
		t.Errorf("estimate: exit %d: %s", code, o)
	}
	if code, o, e := words(t, "release", "images", "load", "--release", rel); code != exitDone {
		t.Fatalf("load: exit %d: %s %s", code, o, e)
	}
	if id, err := d.ImageID(t.Context(), made.Name); err != nil || id != made.ID {
		t.Errorf("%s is %s, %v", made.Name, id, err)
	}
	// The recipe's base image is none that could be had: only what was loaded can serve.
	out := filepath.Join(dir, "out")
	if code, o, e := words(t, "evaluate", "--release", rel, "--predictions", "gold", "--out", out, "--image", "debian:trixie=nowhere/at-all:1"); code != exitDone {
		t.Fatalf("evaluate: exit %d: %s %s", code, o, e)
	}
	rep, err := readReport(out)
	if err != nil || rep.Tasks["good"].Status != schema.StatusResolved {
		t.Errorf("%+v, %v", rep, err)
	}
}
