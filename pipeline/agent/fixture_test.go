package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/wideswe/wideswe/pipeline/agent/agentfile"
	"github.com/wideswe/wideswe/pipeline/agent/runs"
	"github.com/wideswe/wideswe/pipeline/release"
	"github.com/wideswe/wideswe/pipeline/sandbox"
	"github.com/wideswe/wideswe/pipeline/sandbox/docker"
	"github.com/wideswe/wideswe/pipeline/sandbox/dockertest"
	"github.com/wideswe/wideswe/pipeline/sandbox/process"
	"github.com/wideswe/wideswe/pipeline/sandbox/transfer"
	"github.com/wideswe/wideswe/pipeline/workspace"
	"github.com/wideswe/wideswe/schema"
)

// The tasks t1 and t2 of these tests: o/lib and o/tool are to be changed, o/notes is
// there to be read.
var trees = map[string]map[string]string{
	"o/lib":   {"lib.txt": "wrong\n", ".gitignore": "*.o\nvendor/\n", "vendor/dep/dep.txt": "dep\n"},
	"o/tool":  {"tool.sh": "echo wrong\n"},
	"o/notes": {"notes.txt": "one\n"},
}

func goldOf(name string) string {
	return fmt.Sprintf("diff --git a/%[1]s b/%[1]s\n--- a/%[1]s\n+++ b/%[1]s\n@@ -1 +1 @@\n-%[2]s+%[3]s", name,
		trees["o/lib"]["lib.txt"], "right\n")
}

var golds = map[string]string{"o/lib": goldOf("lib.txt"), "o/tool": strings.Replace(strings.Replace(goldOf("tool.sh"),
	"-wrong", "-echo wrong", 1), "+right", "+echo right", 1)}

func must(t *testing.T, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

func writeTree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for p, body := range files {
		p = filepath.Join(dir, p)
		must(t, os.MkdirAll(filepath.Dir(p), 0o755), os.WriteFile(p, []byte(body), 0o644))
	}
	return dir
}

// small writes a release of the two tasks.
func small(t *testing.T) *release.Release {
	t.Helper()
	out := filepath.Join(t.TempDir(), "release")
	w, err := release.Create(out, release.Guard{})
	must(t, err)
	defer w.Abort()
	rel := schema.Release{Name: "small", Version: "1", Rules: map[string]string{}}
	for i, r := range []string{"o/lib", "o/notes", "o/tool"} {
		dir := writeTree(t, trees[r])
		id, err := workspace.TreeHash(t.Context(), dir)
		must(t, err)
		s := schema.Source{Repository: r, Commit: strings.Repeat(fmt.Sprint(i), 40), Tree: id}
		rel.Sources = append(rel.Sources, s)
		must(t, w.Source(t.Context(), s, func(o io.Writer) error { return workspace.Tar(t.Context(), dir, o) }))
	}
	for _, id := range []string{"t1", "t2"} {
		task := schema.TaskFile{Format: 1, Task: id, Ecosystem: "o", Kind: schema.Bugfix, Languages: []string{"Go"}}
		ws := schema.WorkspaceFile{Format: 1, Task: id}
		for _, s := range rel.Sources {
			ws.Repositories = append(ws.Repositories, schema.WorkspaceRepository{Repository: s.Repository,
				Commit: s.Commit, Tree: s.Tree})
			gold, ok := golds[s.Repository]
			if !ok {
				continue
			}
			dir := "tasks/" + id + "/hidden/" + schema.FileName(s.Repository) + "/"
			must(t, w.Bytes(dir+"gold.patch", []byte(gold)),
				w.JSON(dir+"tests.json", schema.TestsFile{Format: 1, Repository: s.Repository, F2P: []string{"a::b"}}),
				w.YAML(dir+"recipe.yaml", "How it is tested.",
					schema.Recipe{Toolchain: "shell", Image: "debian:trixie"}),
				w.YAML(dir+"image.yaml", "Where it was validated.", schema.ImageFile{Format: 1, Image: "x"}))
			task.Targets = append(task.Targets, schema.TaskTarget{Repository: s.Repository, BaseCommit: s.Commit,
				BaseTree: s.Tree})
		}
		must(t, w.Bytes("tasks/"+id+"/prompt.md", []byte("Make it right.\n")),
			w.YAML("tasks/"+id+"/task.yaml", "What the task is.", task), w.JSON("tasks/"+id+"/workspace.json", ws))
		rel.Tasks = append(rel.Tasks, schema.ReleaseTask{ID: id, Ecosystem: "o", Kind: schema.Bugfix,
			Targets: []string{"o/lib", "o/tool"}})
	}
	_, err = w.Finish(rel)
	must(t, err)
	r, err := release.Open(out)
	must(t, err)
	t.Cleanup(func() { _ = r.Close() })
	return r
}

// scriptAgent is what --agent shell:FILE gives.
func scriptAgent(t *testing.T, text string) *agentfile.File {
	t.Helper()
	name := filepath.Join(t.TempDir(), "agent.sh")
	must(t, os.WriteFile(name, []byte(text), 0o644))
	f, err := agentfile.Named("shell:" + name)
	must(t, err)
	return f
}

// fileAgent reads an agent's file.
func fileAgent(t *testing.T, text string) *agentfile.File {
	t.Helper()
	name := filepath.Join(t.TempDir(), "agent.yaml")
	must(t, os.WriteFile(name, []byte(text), 0o644))
	f, err := agentfile.ReadFile(name)
	must(t, err)
	return f
}

// backends runs a test in each sandbox; where there is no engine the one in Docker is
// skipped by name.
func backends(t *testing.T, f func(t *testing.T, r *Runner)) {
	rel := small(t)
	t.Run("process", func(t *testing.T) {
		f(t, &Runner{Backend: &process.Sandbox{TempDir: t.TempDir()}, Release: rel, Trust: true,
			Out: filepath.Join(t.TempDir(), "out")})
	})
	t.Run("docker", func(t *testing.T) {
		d, image := dockerAndImage(t)
		f(t, &Runner{Backend: d, Release: rel, Out: filepath.Join(t.TempDir(), "out"), TargetImage: only(image),
			BaseImage: d.ImageID})
	})
}

func dockerAndImage(t *testing.T) (*docker.Sandbox, string) {
	t.Helper()
	d, image := dockertest.Open(t)
	id, err := d.ImageID(t.Context(), image)
	if err != nil {
		t.Fatal(err)
	}
	return d, id
}

// run does jobs and gives the predictions that stand in the end, by job.
func (r *Runner) run(t *testing.T, mode string, attempts int, tasks ...string) (Summary, map[string]schema.Prediction,
	error) {
	t.Helper()
	jobs, err := runs.Jobs(r.Release, tasks, mode, attempts)
	must(t, err)
	sum, runErr := r.Run(t.Context(), jobs)
	return sum, r.predictions(t), runErr
}

func (r *Runner) predictions(t *testing.T) map[string]schema.Prediction {
	t.Helper()
	out := map[string]schema.Prediction{}
	b, err := os.ReadFile(filepath.Join(r.Out, runs.PredictionsFile))
	if errors.Is(err, os.ErrNotExist) {
		return out
	}
	must(t, err)
	for line := range slices.Values(strings.SplitAfter(string(b), "\n")) {
		if line == "" {
			continue
		}
		var p schema.Prediction
		must(t, json.Unmarshal([]byte(line), &p))
		p, err := p.Decoded()
		must(t, err)
		j := runs.Job{Task: p.Task, Mode: p.Mode, Target: p.Target, Attempt: p.Attempt}.String()
		if _, twice := out[j]; twice {
			t.Errorf("%s is there twice", j)
		}
		out[j] = p
	}
	return out
}

// only gives one image for every target.
func only(id string) func(context.Context, *release.Task, []string) (Image, error) {
	return func(context.Context, *release.Task, []string) (Image, error) { return Image{ID: id}, nil }
}

// copy gives another runner of the same settings.
func (r *Runner) copy() *Runner {
	return &Runner{Backend: r.Backend, Release: r.Release, Agent: r.Agent, Out: r.Out, Workers: r.Workers,
		TargetImage: r.TargetImage, BaseImage: r.BaseImage,
		Getenv: r.Getenv, Bounds: r.Bounds, Trust: r.Trust, Say: r.Say}
}

// removeImage takes away an image that a test had made.
func removeImage(t *testing.T, r *Runner, id string) {
	t.Helper()
	if d, ok := r.Backend.(*docker.Sandbox); ok {
		must(t, d.RemoveImage(context.WithoutCancel(t.Context()), id))
	}
}

// leftAsItWas gives the workspace of a run that changed nothing.
func leftAsItWas(s sandbox.Spec) sandbox.Left {
	return func(context.Context, string) (io.ReadCloser, error) { return transfer.DirTar(s.In[0].Dir) }
}
