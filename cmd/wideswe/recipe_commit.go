package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/filerole"
	"github.com/wideswe/wideswe/pipeline/folder"
	"github.com/wideswe/wideswe/pipeline/sandbox"
	"github.com/wideswe/wideswe/pipeline/testrun"
	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
	"github.com/wideswe/wideswe/pipeline/workspace"
	"github.com/wideswe/wideswe/schema"
)

// commit makes the image of a repository at a commit and runs its tests.
func (t *try) commit(ctx context.Context, name string) error {
	begun := time.Now()
	repository, rev, _ := strings.Cut(name, "@")
	if err := folder.CheckRepository(repository); err != nil {
		return pipeline.Usage("%v", err)
	}
	repo, err := t.mirrors.Mirror(ctx, repository)
	if err != nil {
		return err
	}
	commit, err := resolveCommit(ctx, repo, rev)
	if err != nil {
		return err
	}
	if _, err := t.logs(schema.FileName(repository) + "-" + short(commit)); err != nil {
		return err
	}
	made, err := repo.Commit(ctx, commit)
	if err != nil {
		return err
	}
	t.found.Targets = []targetFinding{{Repository: repository, Commit: commit, base: made.CommitterTime}}
	err = t.tryTree(ctx, &t.found.Targets[0])
	t.found.Seconds = time.Since(begun).Seconds()
	if reason, skip := pipeline.SkipReason(err); skip {
		t.found.Reason = reason
		return nil
	}
	t.found.Works = err == nil
	return err
}

// tryTree lays the commit's tree and runs what is found in it. The error is a skip
// where the recipe does not work.
func (t *try) tryTree(ctx context.Context, f *targetFinding) error {
	root, remove, err := pipeline.Scratch("", "recipe-test")
	if err != nil {
		return fmt.Errorf("making a temporary folder: %w", err)
	}
	defer remove()
	dir := workspace.TreePath(root, f.Repository)
	if err := t.extract(ctx, f.Repository, f.Commit, dir); err != nil {
		return err
	}
	tree, err := testrun.DirTree(dir)
	if err != nil {
		return err
	}
	if f.TestFiles = testFiles(tree.Files(), t.flags.choose); len(f.TestFiles) == 0 {
		return pipeline.Skip("no test file in %s%s", f.Repository, chosen(t.flags.choose))
	}
	if err := t.detect(tree, f); err != nil {
		return err
	}
	if f.Selection.Empty() {
		return pipeline.Skip("no test to run in the %d test files of %s%s", len(f.TestFiles), f.Repository, chosen(t.flags.choose))
	}
	image, err := t.image(ctx, f, root)
	if err != nil {
		return err
	}
	return t.runTests(ctx, f, root, image)
}

func chosen(patterns []string) string {
	if len(patterns) == 0 {
		return ""
	}
	return " that --select " + strings.Join(patterns, " ") + " names"
}

// extract lays a commit's tree into a folder.
func (t *try) extract(ctx context.Context, repository, commit, dir string) error {
	r, w := io.Pipe()
	go func() { _ = w.CloseWithError(t.mirrors.Snapshot(ctx, repository, commit, w)) }()
	err := workspace.Extract(ctx, r, dir)
	_ = r.CloseWithError(errors.New("unpacking ended"))
	if err != nil {
		return fmt.Errorf("laying %s: %w", repository, err)
	}
	return nil
}

// testFiles are the files that are tests by their names and that a pattern names,
// where there are patterns.
func testFiles(files, patterns []string) (tests []string) {
	for _, f := range files {
		named := len(patterns) == 0 || slices.ContainsFunc(patterns, func(p string) bool { return kit.Matches(p, f) })
		if named && filerole.Of(f) == filerole.Test {
			tests = append(tests, f)
		}
	}
	return tests
}

func (t *try) image(ctx context.Context, f *targetFinding, root string) (testrun.Image, error) {
	pinned, err := t.runner.PinServices(ctx, *f.Recipe)
	if err != nil {
		return testrun.Image{}, err
	}
	*f.Recipe = pinned
	var log bytes.Buffer
	img, err := t.runner.EnsureImage(ctx, testrun.ImageRequest{Repository: f.Repository, Recipe: *f.Recipe,
		BaseWorkspace: root, GoldWorkspace: root, HiddenFiles: f.TestFiles, Selection: f.Selection, Log: &log})
	if err := os.WriteFile(filepath.Join(t.found.Logs, "image.log"), log.Bytes(), 0o644); err != nil {
		return img, fmt.Errorf("keeping a log: %w", err)
	}
	var failed *sandbox.BuildError
	if errors.As(err, &failed) && !sandbox.IsInfra(err) {
		return img, pipeline.Skip("image build failed in %s: %v", f.Repository, failed)
	}
	if err != nil {
		return img, fmt.Errorf("making the image of %s: %w", f.Repository, err)
	}
	f.Image = &imageFinding{Name: img.Name, Base: img.Base, Seconds: img.Took.Seconds(), MB: sizeOf(ctx, t.runner.Backend, img.ID)}
	return img, nil
}

// runTests runs the tests as often as asked, once if nothing is said. Tests that
// fail are told; the recipe works where they report and one passes.
func (t *try) runTests(ctx context.Context, f *targetFinding, root string, img testrun.Image) error {
	ends := map[string][]schema.TestOutcome{}
	for repeat := 1; repeat <= t.repeats(1); repeat++ {
		rep, err := t.runner.Run(ctx, testrun.Request{Repository: f.Repository, Recipe: *f.Recipe, Image: img.ID, Workspace: root,
			HiddenFiles: f.TestFiles, Selection: f.Selection})
		if err != nil {
			return err
		}
		for i, a := range rep.Attempts {
			name := fmt.Sprintf("run-%d-%d.log", repeat, i+1)
			if err := os.WriteFile(filepath.Join(t.found.Logs, name), a.Output, 0o644); err != nil {
				return fmt.Errorf("keeping a log: %w", err)
			}
			f.Runs = append(f.Runs, runFinding{State: "run", Repeat: repeat, Attempt: i + 1, Status: string(a.Status),
				Seconds: a.Duration.Seconds(), Tests: len(a.Taken), Detail: a.Detail})
			f.Seconds += a.Duration.Seconds()
		}
		for _, r := range rep.Results {
			ends[r.ID] = append(ends[r.ID], r.Outcome)
		}
		f.Tests = outcomes(ends, repeat)
		if first := rep.First(); first.Status != testrun.OK && first.Status != testrun.Crashed {
			return pipeline.Skip("%s: %s", first.Status, first.Detail)
		}
	}
	if len(f.Tests[string(schema.Pass)]) == 0 {
		return pipeline.Skip("no test of %s passes", f.Repository)
	}
	return nil
}

// outcomes names the tests by what they ended with; where the repeats differ they
// are unstable.
func outcomes(ends map[string][]schema.TestOutcome, repeats int) map[string][]string {
	tests := map[string][]string{}
	for id, list := range ends {
		word := string(list[0])
		if slices.ContainsFunc(list, func(o schema.TestOutcome) bool { return o != list[0] }) || len(list) < repeats {
			word = string(schema.Unstable)
		}
		tests[word] = append(tests[word], id)
	}
	for _, ids := range tests {
		slices.Sort(ids)
	}
	return tests
}
