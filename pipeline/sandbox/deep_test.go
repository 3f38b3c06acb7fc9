package sandbox

import (
	"testing"
	"time"
)

// Folders inside folders cost no bytes, and an engine needs a while, and an open file,
// a level to remove them: a run that makes ever more of them is ended while it can be
// removed.
func TestDockerEndsARunOfFoldersWithoutEnd(t *testing.T) {
	d, img := docker(t)
	const dig = `perl -e '$n = "d" x 200; while (1) { mkdir $n; chdir $n or die; select(undef, undef, undef, 0.001) }'`
	r, err := d.Run(t.Context(), Spec{Image: img, Script: "cd /tmp && " + dig, Limits: Limits{Timeout: 40 * time.Second}})
	if err != nil {
		t.Fatal(err)
	}
	if !r.DiskFull || r.TimedOut {
		t.Errorf("disk limit met %v, timed out %v", r.DiskFull, r.TimedOut)
	}
	// A tree that is deep and stays below what a path may be is no such run.
	r, err = d.Run(t.Context(), Spec{Image: img, Script: `cd /tmp && mkdir -p $(perl -e 'print "d/" x 1500') && sleep 4 && echo done`, Limits: Limits{Timeout: 40 * time.Second}})
	if err != nil || r.DiskFull || string(r.Output) != "done\n" {
		t.Errorf("a deep tree: %+v %v", r, err)
	}
}
