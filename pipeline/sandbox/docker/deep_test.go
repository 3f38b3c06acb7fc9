package docker

import (
	"testing"
	"time"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/filters"
	"github.com/wideswe/wideswe/pipeline/sandbox"
)

// Folders inside folders cost no bytes, and an engine needs a while, and an open file,
// a level to remove them: a run that makes ever more of them is ended while it can be
// removed.
func TestDockerEndsARunOfFoldersWithoutEnd(t *testing.T) {
	d, img := dockerAndImage(t)
	const dig = `perl -e '$n = "d" x 200; while (1) { mkdir $n; chdir $n or die }'`
	mark, begun := random(), time.Now() // others may run this test on the same engine
	r, err := d.Run(t.Context(), sandbox.Spec{Image: img, Script: "cd /tmp && " + dig,
		Labels: map[string]string{"wideswe.test": mark}, Limits: sandbox.Limits{Timeout: 40 * time.Second}})
	if err != nil {
		t.Fatal(err)
	}
	if !r.DiskFull || r.TimedOut {
		t.Errorf("disk limit met %v, timed out %v", r.DiskFull, r.TimedOut)
	}
	// It is gone: an engine that can't remove it would hold the container for hours.
	left, err := d.api.ContainerList(t.Context(), container.ListOptions{All: true,
		Filters: filters.NewArgs(filters.Arg("label", "wideswe.test="+mark))})
	if err != nil || len(left) > 0 {
		t.Errorf("%d containers are left after %s: %v", len(left), time.Since(begun), err)
	}
	// A tree that is deep and stays below what a path may be is no such run.
	r, err = d.Run(t.Context(), sandbox.Spec{Image: img,
		Script: `cd /tmp && mkdir -p $(perl -e 'print "d/" x 1500') && sleep 4 && echo done`,
		Limits: sandbox.Limits{Timeout: 40 * time.Second}})
	if err != nil || r.DiskFull || string(r.Output) != "done\n" {
		t.Errorf("a deep tree: %+v %v", r, err)
	}
}

// What a run has dug goes from within, wherever it may write and whatever it closed:
// the engine can walk what is left.
func TestFlattenTakesFoldersThatTheEngineCannotName(t *testing.T) {
	d, img := dockerAndImage(t)
	for name, c := range map[string]struct{ user, top string }{
		"open":           {"", "/tmp/top"},
		"elsewhere":      {"", "/opt/mine/top"},
		"closed":         {"", "/tmp/top/closed"},
		"of root":        {"0:0", "/tmp/top"},
		"of root, apart": {"0:0", "/opt/mine/top"},
	} {
		t.Run(name, func(t *testing.T) {
			s := sandbox.Spec{Image: img, User: c.user, Limits: sandbox.Limits{Timeout: time.Minute}.Defaults(),
				In: []sandbox.Source{{Path: "/opt/mine"}}}
			id, err := d.create(t.Context(), s, "")
			if err != nil {
				t.Fatal(err)
			}
			defer d.remove(t.Context(), id)
			script := "mkdir -p " + c.top + " && cd " + c.top +
				` && perl -e '$n = "d" x 200; for (1 .. 3000) { mkdir $n; chdir $n or die }'` + " && chmod 0 " + c.top
			if err := d.copyIn(t.Context(), id, append(s.In, sandbox.Source{Path: "/tmp/wideswe",
				Files: map[string][]byte{".script": []byte(script)}})); err != nil {
				t.Fatal(err)
			}
			// On a busy machine the watcher may end the digging first: what was dug is there all the same.
			if r, err := d.start(t.Context(), id, s.Limits, false); err != nil || r.ExitCode != 0 && !r.DiskFull {
				t.Fatalf("%+v %v", r, err)
			}
			if size, ok := d.written(t.Context(), id); !ok || size >= 0 {
				t.Fatalf("the engine walks what was dug: %d %v", size, ok)
			}
			d.flatten(t.Context(), id)
			if size, ok := d.written(t.Context(), id); !ok || size < 0 {
				t.Errorf("the engine can't walk what is left: %d %v", size, ok)
			}
		})
	}
}
