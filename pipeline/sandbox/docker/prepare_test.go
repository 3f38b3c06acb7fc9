package docker

import (
	"testing"

	"github.com/wideswe/wideswe/pipeline/sandbox"
)

func TestPrepareLaysSourcesOnceForManyRuns(t *testing.T) {
	d, img := dockerAndImage(t)
	p, remove, err := d.Prepare(t.Context(), img, []sandbox.Source{{Path: "/workspace/o/r",
		Files: map[string][]byte{"f": []byte("base\n")}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // what a run writes is gone in the next
		r, err := d.Run(t.Context(), sandbox.Spec{Image: p.Image, In: p.In, Dir: "/workspace/o/r",
			Script: "cat f; echo more >> f; id -u; stat -c %U:%u f"})
		if err != nil || r.ExitCode != 0 || string(r.Output[:5]) != "base\n" {
			t.Errorf("%+v %s %v", r, r.Output, err)
		}
	}
	remove()
	if _, err := d.api.ImageInspect(t.Context(), p.Image); err == nil {
		t.Error("the workspace is still there")
	}
}

func TestSweepRemovesADeadProcessesWorkspaceOnly(t *testing.T) {
	d, img := dockerAndImage(t)
	dead, living := *d, *d
	dead.owner.run, dead.owner.pid = "dead", "999999999"
	living.owner.run = "living"
	make := func(d *Sandbox) string {
		p, remove, err := d.Prepare(t.Context(), img, []sandbox.Source{{Path: "/workspace/x"}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(remove)
		return p.Image
	}
	gone, stays := make(&dead), make(&living)
	if err := d.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := d.api.ImageInspect(t.Context(), gone); err == nil {
		t.Error("the dead process's workspace is still there")
	}
	if _, err := d.api.ImageInspect(t.Context(), stays); err != nil {
		t.Error("a living process's workspace was removed")
	}
}
