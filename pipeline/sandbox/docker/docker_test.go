package docker

import (
	"archive/tar"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/filters"
	"github.com/wideswe/wideswe/pipeline/sandbox"
)

func TestDockerRunsWithoutRightsOfItsOwn(t *testing.T) {
	d, img := dockerAndImage(t)
	r, err := d.Run(t.Context(), sandbox.Spec{Image: img, Dir: "/workspace/o/r",
		In: []sandbox.Source{{Path: "/workspace/o/r"}},
		Script: `id -u; grep -E 'CapEff|CapBnd|NoNewPrivs' /proc/self/status; ls /var/run/docker.sock 2>&1 | tail -n 1
			touch /etc/x 2>&1 || echo read-only; touch here && echo writable`})
	if err != nil {
		t.Fatal(err)
	}
	out := string(r.Output)
	for _, want := range []string{"1000\n", "CapEff:\t0000000000000000", "CapBnd:\t0000000000000000", "NoNewPrivs:\t1",
		"No such file", "read-only\n", "writable\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in:\n%s", want, out)
		}
	}
}

func TestDockerBoundsMemoryAndProcesses(t *testing.T) {
	d, img := dockerAndImage(t)
	r, err := d.Run(t.Context(), sandbox.Spec{Image: img, Script: `perl -e '$x = "a" x (300 << 20); print "survived\n"'`,
		Limits: sandbox.Limits{Memory: 64 << 20}})
	if err != nil {
		t.Fatal(err)
	}
	if !r.OOM || r.ExitCode != 137 || strings.Contains(string(r.Output), "survived") {
		t.Errorf("%+v", r)
	}
	r, err = d.Run(t.Context(), sandbox.Spec{Image: img,
		Script: `for i in 1 2 3 4 5 6 7 8 9 10 11 12; do sleep 5 & done; echo all`, Limits: sandbox.Limits{Pids: 8,
			Timeout: time.Minute}})
	if err != nil {
		t.Fatal(err)
	}
	if r.ExitCode == 0 || strings.Contains(string(r.Output), "all") {
		t.Errorf("%d %s", r.ExitCode, r.Output)
	}
}

func TestDockerLeavesNoContainer(t *testing.T) {
	d, img := dockerAndImage(t)
	for _, script := range []string{"true", "exit 3", "kill -9 $$"} {
		if _, err := d.Run(t.Context(), sandbox.Spec{Image: img, Script: script}); err != nil {
			t.Fatal(err)
		}
	}
	list, err := d.api.ContainerList(t.Context(), container.ListOptions{All: true,
		Filters: filters.NewArgs(filters.Arg("label", labelRun+"="+d.owner.run))})
	if err != nil || len(list) > 0 {
		t.Errorf("%v %v", list, err)
	}
}

func TestDockerSweepRemovesADeadProcessesContainerOnly(t *testing.T) {
	d, img := dockerAndImage(t)
	make := func(o owner) string {
		c, err := d.api.ContainerCreate(t.Context(), &container.Config{Image: img, Cmd: []string{"true"},
			Labels: o.labels(nil, time.Minute)}, nil, nil, nil, "")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { d.remove(t.Context(), c.ID) })
		return c.ID
	}
	dead, living := d.owner, d.owner
	dead.run, dead.pid = "dead", "999999999"
	living.run = "living"
	deadID, livingID := make(dead), make(living)
	if err := d.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := d.api.ContainerInspect(t.Context(), deadID); err == nil {
		t.Error("the dead process's container is still there")
	}
	if _, err := d.api.ContainerInspect(t.Context(), livingID); err != nil {
		t.Error("a living process's container was removed")
	}
}

func TestDockerNamesAMissingImage(t *testing.T) {
	d, _ := dockerAndImage(t)
	_, err := d.Run(t.Context(), sandbox.Spec{Image: "wideswe/absent:none", Script: "true"})
	var missing *sandbox.MissingImageError
	if !errors.As(err, &missing) || missing.Name != "wideswe/absent:none" {
		t.Errorf("got %v", err)
	}
}

func TestBuildImageKeepsNothingOfTheBuild(t *testing.T) {
	d, img := dockerAndImage(t)
	const secret = "s3cret-of-the-build"
	key := "test-" + random()
	var log bytes.Buffer
	made, err := d.BuildImage(t.Context(), sandbox.ImageSpec{
		Base: img, Name: "wideswe/test:" + key, Key: key, Clear: []string{"/workspace"}, Log: &log,
		Env:      map[string]string{"KEPT": "yes"},
		BuildEnv: map[string]string{"TOKEN": secret}, BuildFiles: map[string][]byte{"/etc/build.conf": []byte(secret),
			"/etc/motd": []byte(secret), "/etc/own": []byte(secret)},
		Steps: []sandbox.Step{
			{Name: "as root", User: "0:0", Network: true,
				Script: `useradd -m -u 1000 wideswe; cat /etc/build.conf >/dev/null; test "$TOKEN"; echo theirs > /etc/own`},
			{Name: "as user", Network: true, In: []sandbox.Source{{Path: "/workspace/o/r",
				Files: map[string][]byte{"answer-a": []byte(secret)}}},
				Script: `test "$(id -u)" = 1000; test "$KEPT" = yes; cp /workspace/o/r/answer-a /workspace/copy; echo cache > ` +
					`$HOME/cache; ls /workspace/o/r`, Env: map[string]string{"HOME": "/home/wideswe"}},
			{Name: "offline", In: []sandbox.Source{{Path: "/workspace/o/r", Files: map[string][]byte{"answer-b": nil}}},
				Script: `test -z "$TOKEN"; test ! -e /workspace/copy; test ! -e /workspace/o/r/answer-a; test "$(wc -l < ` +
					`/proc/net/route)" = 1`},
		}})
	if err != nil {
		t.Fatalf("%v\n%s", err, log.String())
	}
	t.Cleanup(func() {

		if err := d.RemoveImage(context.WithoutCancel(t.Context()), made.ID); err != nil {
			t.Error(err)
		}

	})
	inspect, _ := d.api.ImageInspect(t.Context(), made.ID)
	history, _ := d.api.ImageHistory(t.Context(), made.ID)
	told, _ := json.Marshal([]any{inspect, history})
	if bytes.Contains(told, []byte(secret)) || bytes.Contains(told, []byte("TOKEN")) {
		t.Errorf("the configuration tells of the build: %s", told)
	}
	if c := inspect.Config; c.Labels[labelRun] != "" || c.User != sandbox.User || len(c.Entrypoint) > 0 {
		t.Errorf("the image's configuration is the build container's: %+v", c)
	}
	if err := d.RemoveImage(t.Context(), img); err == nil || !strings.Contains(err.Error(), "not made by wideswe") {
		t.Errorf("removing a foreign image: %v", err)
	}
	files := export(t, d, made.ID)
	for name, body := range files {
		if strings.Contains(body, secret) || strings.Contains(name, "wideswe-build") || strings.HasPrefix(name,
			"workspace/") {
			t.Errorf("%s is left in a layer", name)
		}
	}
	if files["home/wideswe/cache"] != "cache\n" || files["etc/own"] != "theirs\n" {
		t.Errorf("the image lacks what the steps made: %q %q", files["home/wideswe/cache"], files["etc/own"])
	}
	found, err := d.FindImage(t.Context(), key)
	if err != nil || found.ID != made.ID || found.Name != made.Name {
		t.Errorf("found %+v, %v, want %+v", found, err, made)
	}
	if !strings.Contains(log.String(), "answer-a") {
		t.Errorf("the log lacks what a step printed: %s", log.String())
	}
}

// export reads the files of the image's own layer.
func export(t *testing.T, d *Sandbox, id string) map[string]string {
	t.Helper()
	r, err := d.api.ImageSave(t.Context(), []string{id})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var layers [][]byte
	for tr := tar.NewReader(r); ; {
		h, err := tr.Next()
		if err != nil {
			break
		}
		if strings.HasSuffix(h.Name, "layer.tar") || strings.Contains(h.Name, "blobs/sha256/") {
			b, _ := io.ReadAll(tr)
			layers = append(layers, b)
		}
	}
	files := map[string]string{}
	for _, l := range layers {
		for tr := tar.NewReader(bytes.NewReader(l)); ; {
			h, err := tr.Next()
			if err != nil {
				break
			}
			b, _ := io.ReadAll(io.LimitReader(tr, 1<<16))
			files[h.Name] = string(b)
		}
	}
	if len(files) == 0 {
		t.Fatal("no layer was read")
	}
	return files
}

func TestBuildImageSaysWhatFailedInOneLine(t *testing.T) {
	d, img := dockerAndImage(t)
	_, err := d.BuildImage(t.Context(), sandbox.ImageSpec{Base: img, Name: "wideswe/test:never", Key: "never",
		Steps: []sandbox.Step{{Name: "setup at base", User: "0:0",
			Script: "echo fetching\necho no such package >&2\nexit 4"}}})
	var b *sandbox.BuildError
	if !errors.As(err, &b) || b.ExitCode != 4 || !strings.HasPrefix(err.Error(), "setup at base: exit 4: ") ||
		!strings.Contains(err.Error(), "no such package") {
		t.Errorf("got %v", err)
	}
	_, err = d.BuildImage(t.Context(), sandbox.ImageSpec{Base: img, Name: "wideswe/test:never", Key: "never",
		Limits: sandbox.Limits{Timeout: 2 * time.Second},
		Steps:  []sandbox.Step{{Name: "setup", User: "0:0", Script: "sleep 600"}}})
	if !errors.As(err, &b) || !b.TimedOut {
		t.Errorf("got %v", err)
	}
}
