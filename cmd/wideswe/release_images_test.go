package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	cerrdefs "github.com/containerd/errdefs"
	"github.com/docker/docker/api/types/image"
	"github.com/docker/docker/client"
	"github.com/wideswe/wideswe/cmd/wideswe/internal/clitest"
	"github.com/wideswe/wideswe/cmd/wideswe/internal/exit"
	"github.com/wideswe/wideswe/pipeline/release"
	"github.com/wideswe/wideswe/pipeline/sandbox"
	"github.com/wideswe/wideswe/pipeline/sandbox/docker"
	"github.com/wideswe/wideswe/schema"
	"github.com/wideswe/wideswe/stages/evaluate/results"
)

// The images of a release go with it: saved, gone from the engine, loaded, and an
// evaluation runs in them, with nothing to build from.
func TestReleaseImages(t *testing.T) {
	d, made := smallImage(t)
	remove := func() { removeImage(t, d, made) }
	dir := t.TempDir()
	rel := filepath.Join(dir, "release")
	smallRelease(t, rel, smallTask{id: "good", gold: "new", looks: "new", image: schema.ImageFile{Image: made.Name,
		ID: made.ID, BaseImage: "nowhere/at-all:1"}})
	if code, _, e := words(t, "release", "images", "load", "--release", rel); code != exit.Missing || !strings.Contains(e,
		"release images save") {
		t.Errorf("nothing to load: exit %d: %s", code, e)
	}
	if code, o, e := words(t, "release", "images", "save", "--release", rel); code != exit.Done || !strings.Contains(o,
		"1 images saved") {
		t.Fatalf("save: exit %d: %s %s", code, o, e)
	}
	if code, o, e := words(t, "release", "verify", "--release", rel); code != exit.Done {
		t.Errorf("the release with its images: exit %d: %s %s", code, o, e)
	}
	remove()
	if code, _, e := words(t, "release", "images", "save", "--release", rel); code != exit.Missing || !strings.Contains(e,
		made.ID+") is not here") {
		t.Errorf("saving what is gone: exit %d: %s", code, e)
	}
	if code, o, _ := words(t, "estimate", "--release", rel); code != exit.Done || !strings.Contains(o,
		"0 of 1 are here") || !strings.Contains(o, "release images load brings") {
		t.Errorf("estimate: exit %d: %s", code, o)
	}
	if code, o, e := words(t, "release", "images", "load", "--release", rel); code != exit.Done {
		t.Fatalf("load: exit %d: %s %s", code, o, e)
	}
	if id, err := d.ImageID(t.Context(), made.Name); err != nil || id != made.ID {
		t.Errorf("%s is %s, %v", made.Name, id, err)
	}
	// The recipe's base image is none that could be had: only what was loaded can serve.
	out := filepath.Join(dir, "out")
	if code, o, e := words(t, "evaluate", "--release", rel, "--predictions", "gold", "--out", out, "--image",
		"debian:trixie=nowhere/at-all:1"); code != exit.Done {
		t.Fatalf("evaluate: exit %d: %s %s", code, o, e)
	}
	rep, err := results.ReadReport(out)
	if err != nil || rep.Tasks["good"].Status != schema.StatusResolved {
		t.Errorf("%+v, %v", rep, err)
	}
}

// An agent that works on two targets at once needs an image that validation never ran
// in. It goes with the release, too, and is made of nothing where the release went.
func TestReleaseImagesForAgents(t *testing.T) {
	_, one := smallImage(t)
	_, two := smallImage(t)
	dir := t.TempDir()
	rel := filepath.Join(dir, "release")
	of := func(i sandbox.Image) schema.ImageFile {
		return schema.ImageFile{Image: i.Name, ID: i.ID, BaseImage: "nowhere/at-all:1"}
	}
	smallRelease(t, rel, smallTask{id: "both", gold: "new", looks: "new", image: of(one),
		more: map[string]schema.ImageFile{"other": of(two)}})
	code, o, e := words(t, "release", "images", "save", "--release", rel, "--agents")
	if code != exit.Done || !strings.Contains(o, "3 images saved") {
		t.Fatalf("save: exit %d: %s %s", code, o, e)
	}
	opened, err := release.Open(rel)
	if err != nil {
		t.Fatal(err)
	}
	list, err := opened.AgentImages()
	if err != nil || len(list) != 1 || list[0].Task != "both" {
		t.Fatalf("%+v, %v", list, err)
	}
	joint := sandbox.Image{Name: list[0].Image, ID: list[0].ID}
	remove := func() {
		for _, i := range []sandbox.Image{joint, one, two} {
			removeWithChildren(t, i.ID)
		}
	}
	t.Cleanup(remove)
	remove()
	script := filepath.Join(dir, "agent.sh")
	if err := os.WriteFile(script, []byte("for r in /workspace/o/*; do echo new > $r/word; done\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	// No base image could be had: what is made anew fails.
	runs := filepath.Join(dir, "runs")
	run := []string{"agent", "run", "--release", rel, "--agent", "shell:" + script, "--out", runs, "--image",
		"debian:trixie=nowhere/at-all:1"}
	if code, _, e := words(t, run...); code == exit.Done || !strings.Contains(e, "release images save --agents") {
		t.Errorf("without the images: exit %d: %s", code, e)
	}
	if code, o, e := words(t, "release", "images", "load", "--release", rel); code != exit.Done {
		t.Fatalf("load: exit %d: %s %s", code, o, e)
	}
	if code, o, e := words(t, run...); code != exit.Done {
		t.Fatalf("agent run: exit %d: %s %s", code, o, e)
	}
	if code, o, e := words(t, "predictions", "check", "--release", rel, filepath.Join(runs,
		"predictions.jsonl")); code != exit.Done || !strings.Contains(o, "shell joint  1 of 1") {
		t.Errorf("predictions: exit %d: %s %s", code, o, e)
	}
	if err := os.WriteFile(filepath.Join(rel, "images/agents.json"), []byte("[]\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if code, _, e := words(t, "release", "verify", "--release", rel); code != exit.Usage || !strings.Contains(e,
		"images/agents.json is not the file") {
		t.Errorf("a changed list: exit %d: %s", code, e)
	}
	if code, _, e := words(t, "agent", "run", "--release", rel, "--agent", "shell:"+script, "--out", filepath.Join(dir,
		"again")); code == exit.Done || !strings.Contains(e, "images/agents.json is not the file") {
		t.Errorf("agent run by a changed list: exit %d: %s", code, e)
	}
}

// smallImage makes an image that no other test has, and removes it at the end.
func smallImage(t *testing.T) (*docker.Sandbox, sandbox.Image) {
	base := clitest.DockerImage(t)
	d, err := docker.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	key := "small-" + digestOf([]byte(t.TempDir()))[7:19]
	made, err := d.BuildImage(t.Context(), sandbox.ImageSpec{Base: base, Name: "wideswe/o__small:" + key, Key: key,
		Labels: map[string]string{"wideswe.test": t.Name()},
		Steps:  []sandbox.Step{{Name: "write", Script: "echo " + key + " > /tmp/mine"}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { removeImage(t, d, made) })
	return d, made
}

// removeWithChildren removes an image and all that is made of it.
func removeWithChildren(t *testing.T, id string) {
	t.Helper()
	api, err := client.NewClientWithOpts(client.FromEnv, client.WithAPIVersionNegotiation())
	if err != nil {
		t.Fatal(err)
	}
	defer api.Close()
	ctx := context.Background()
	list, err := api.ImageList(ctx, image.ListOptions{All: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range list {
		if i.ParentID == id {
			removeWithChildren(t, i.ID)
		}
	}
	if _, err := api.ImageRemove(ctx, id, image.RemoveOptions{Force: true}); err != nil && !cerrdefs.IsNotFound(err) {
		t.Error(err)
	}
}

func removeImage(t *testing.T, d *docker.Sandbox, made sandbox.Image) {
	if err := d.RemoveImage(context.Background(), made.ID); err != nil {
		t.Error(err)
	}
}

// Pushed to a registry, gone from the engine, pulled by digest, and evaluated in. What
// the registry gives instead of it is refused.
func TestReleaseImagesOfARegistry(t *testing.T) {
	d, made := smallImage(t)
	hub, host := startRegistry(t, "me:secret")
	dir := t.TempDir()
	rel := filepath.Join(dir, "release")
	smallRelease(t, rel, smallTask{id: "good", gold: "new", looks: "new", image: schema.ImageFile{Image: made.Name,
		ID: made.ID, BaseImage: "nowhere/at-all:1"}})
	t.Setenv("DOCKER_CONFIG", t.TempDir())
	if code, _, e := words(t, "release", "images", "pull", "--release", rel); code != exit.Missing || !strings.Contains(e,
		"release images push") {
		t.Errorf("pushed nowhere: exit %d: %s", code, e)
	}
	push := []string{"release", "images", "push", "--release", rel, "--to", host + "/bench"}
	if code, _, e := words(t, push...); code != exit.Missing || !strings.Contains(e, "docker login "+host) {
		t.Errorf("without a login: exit %d: %s", code, e)
	}
	logIn(t, host, "me:secret")
	if code, o, e := words(t, push...); code != exit.Done || !strings.Contains(o, "1 images pushed") {
		t.Fatalf("push: exit %d: %s %s", code, o, e)
	}
	alone(t, made)
	sent := hub.sent
	if code, _, e := words(t, push...); code != exit.Done || hub.sent != sent {
		t.Errorf("a second push: exit %d, %d blobs more: %s", code, hub.sent-sent, e)
	}
	if code, o, e := words(t, "release", "verify", "--release", rel); code != exit.Done {
		t.Errorf("the release that names a registry: exit %d: %s %s", code, o, e)
	}
	removeImage(t, d, made)
	if code, _, e := words(t, "release", "images", "load", "--release", rel); code != exit.Missing || !strings.Contains(e,
		"release images pull") {
		t.Errorf("nothing to load, but to pull: exit %d: %s", code, e)
	}
	if code, o, _ := words(t, "estimate", "--release", rel); code != exit.Done || !strings.Contains(o,
		"release images pull brings") {
		t.Errorf("estimate: exit %d: %s", code, o)
	}
	pull := []string{"release", "images", "pull", "--release", rel}
	if code, o, e := words(t, pull...); code != exit.Done {
		t.Fatalf("pull: exit %d: %s %s", code, o, e)
	}
	alone(t, made)
	if id, err := d.ImageID(t.Context(), made.Name); err != nil || id != made.ID {
		t.Errorf("%s is %s, %v", made.Name, id, err)
	}
	out := filepath.Join(dir, "out")
	if code, o, e := words(t, "evaluate", "--release", rel, "--predictions", "gold", "--out", out, "--image",
		"debian:trixie=nowhere/at-all:1"); code != exit.Done {
		t.Fatalf("evaluate: exit %d: %s %s", code, o, e)
	}
	removeImage(t, d, made)
	if code, _, e := words(t, append(pull, "--from", host+"/elsewhere")...); code != exit.Missing || !strings.Contains(e,
		"--from names another registry") {
		t.Errorf("a registry that lacks it: exit %d: %s", code, e)
	}
	// Another image under the reference: its id tells.
	_, other := smallImage(t)
	bent := filepath.Join(dir, "bent")
	smallRelease(t, bent, smallTask{id: "good", gold: "new", looks: "new", image: schema.ImageFile{Image: other.Name,
		ID: other.ID, BaseImage: "nowhere/at-all:1"}})
	if code, _, e := words(t, "release", "images", "push", "--release", bent, "--to", host+"/bench"); code != exit.Done {
		t.Fatalf("push: exit %d: %s", code, e)
	}
	b, err := os.ReadFile(filepath.Join(bent, "images/references.json"))
	if err != nil {
		t.Fatal(err)
	}
	text := string(b)
	removeImage(t, d, other)
	writeReferences(t, rel, strings.ReplaceAll(strings.ReplaceAll(text, other.ID, made.ID), other.Name, made.Name))
	if code, _, e := words(t, pull...); code != exit.Usage || !strings.Contains(e, "was validated in "+made.ID) {
		t.Errorf("another image: exit %d: %s", code, e)
	}
	if d.HasImage(t.Context(), other.ID) {
		t.Error("the other image stays")
	}
	if err := os.WriteFile(filepath.Join(rel, "images/references.json"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if code, _, e := words(t, pull...); code != exit.Usage || !strings.Contains(e,
		"images/references.json is not the file") {
		t.Errorf("a changed list: exit %d: %s", code, e)
	}
}

// alone says that an image has its own name and no registry's: that would keep it on
// the disk when its own goes.
func alone(t *testing.T, made sandbox.Image) {
	api, err := client.NewClientWithOpts(client.FromEnv, client.WithAPIVersionNegotiation())
	if err != nil {
		t.Fatal(err)
	}
	defer api.Close()
	info, err := api.ImageInspect(t.Context(), made.ID)
	if err != nil || len(info.RepoTags) != 1 || info.RepoTags[0] != made.Name || len(info.RepoDigests) != 0 {
		t.Errorf("names of the image: %q %q, %v", info.RepoTags, info.RepoDigests, err)
	}
}

// writeReferences puts a list into a release with the checksum it has to have.
func writeReferences(t *testing.T, rel, text string) {
	for name, content := range map[string]string{"images/references.json": text,
		"images/SHA256SUMS": strings.TrimPrefix(digestOf([]byte(text)), "sha256:") + "  references.json\n"} {
		if err := os.WriteFile(filepath.Join(rel, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
