package trial

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

// Commit makes the image of a repository at a commit (owner/name, or owner/name@COMMIT) and runs its tests there. The
// recipe works where the tests report and one passes.
func (t Trial) Commit(ctx context.Context, name string) (Finding, error) {
	a, begun := &attempt{Trial: t}, time.Now()
	if err := a.open(ctx, name); err != nil {
		return a.found, err
	}
	return a.finish(begun, a.tryTree(ctx, &a.found.Targets[0]))
}

// open finds the commit, which is the only target.
func (a *attempt) open(ctx context.Context, name string) error {
	repository, rev, _ := strings.Cut(name, "@")
	if err := folder.CheckRepository(repository); err != nil {
		return pipeline.Usage("%v", err)
	}
	repo, err := a.Mirrors.Mirror(ctx, repository)
	if err != nil {
		return err
	}
	commit, err := resolveCommit(ctx, repo, rev)
	if err != nil {
		return err
	}
	if err := a.makeLogs(schema.FileName(repository) + "-" + commit[:min(12, len(commit))]); err != nil {
		return err
	}
	made, err := repo.Commit(ctx, commit)
	if err != nil {
		return err
	}
	a.found.Targets = []Target{{Repository: repository, Commit: commit, base: made.CommitterTime}}
	return nil
}

// tryTree extracts the commit's tree and runs what is found in it. The error is a skip where the recipe does not work.
func (a *attempt) tryTree(ctx context.Context, t *Target) error {
	root, remove, err := pipeline.Scratch("", "recipe-test")
	if err != nil {
		return fmt.Errorf("making a temporary folder: %w", err)
	}
	defer remove()
	dir := workspace.TreePath(root, t.Repository)
	if err := a.extract(ctx, t.Repository, t.Commit, dir); err != nil {
		return err
	}
	tree, err := testrun.DirTree(dir)
	if err != nil {
		return err
	}
	if err := a.chooseTests(tree, t); err != nil {
		return err
	}
	image, err := a.makeImage(ctx, t, root)
	if err != nil {
		return err
	}
	return a.runTests(ctx, t, root, image)
}

// chooseTests finds the tree's test files and what is to be run of them.
func (a *attempt) chooseTests(tree kit.Tree, t *Target) error {
	if t.TestFiles = testFiles(tree.Files(), a.Select); len(t.TestFiles) == 0 {
		return pipeline.Skip("no test file in %s%s", t.Repository, selectText(a.Select))
	}
	if err := a.detect(tree, t); err != nil {
		return err
	}
	if t.Selection.Empty() {
		return pipeline.Skip("no test to run in the %d test files of %s%s", len(t.TestFiles), t.Repository,
			selectText(a.Select))
	}
	return nil
}

func selectText(patterns []string) string {
	if len(patterns) == 0 {
		return ""
	}
	return " that --select " + strings.Join(patterns, " ") + " names"
}

// extract writes a commit's tree into a folder.
func (a *attempt) extract(ctx context.Context, repository, commit, dir string) error {
	r, w := io.Pipe()
	go func() { _ = w.CloseWithError(a.Mirrors.Snapshot(ctx, repository, commit, w)) }()
	err := workspace.Extract(ctx, r, dir)
	_ = r.CloseWithError(errors.New("unpacking ended"))
	if err != nil {
		return fmt.Errorf("laying %s: %w", repository, err)
	}
	return nil
}

// testFiles returns the files that are tests by their names and, where there are patterns, match one.
func testFiles(files, patterns []string) (tests []string) {
	for _, f := range files {
		matches := func(p string) bool { return kit.Matches(p, f) }
		if filerole.Of(f) == filerole.Test && (len(patterns) == 0 || slices.ContainsFunc(patterns, matches)) {
			tests = append(tests, f)
		}
	}
	return tests
}

// makeImage makes the image of the commit and keeps its log.
func (a *attempt) makeImage(ctx context.Context, t *Target, root string) (testrun.Image, error) {
	pinned, err := a.Runner.PinServices(ctx, *t.Recipe)
	if err != nil {
		return testrun.Image{}, err
	}
	*t.Recipe = pinned
	var log bytes.Buffer
	img, err := a.Runner.EnsureImage(ctx, testrun.ImageRequest{Repository: t.Repository, Recipe: *t.Recipe,
		BaseWorkspace: root, GoldWorkspace: root, HiddenFiles: t.TestFiles, Selection: t.Selection, Log: &log})
	if err := a.keepLog("image.log", log.Bytes()); err != nil {
		return img, err
	}
	var failed *sandbox.BuildError
	if errors.As(err, &failed) && !sandbox.IsInfra(err) {
		return img, pipeline.Skip("image build failed in %s: %v", t.Repository, failed)
	}
	if err != nil {
		return img, fmt.Errorf("making the image of %s: %w", t.Repository, err)
	}
	t.Image = &Image{Name: img.Name, Base: img.Base, Seconds: img.Took.Seconds(), MB: imageMB(ctx, a.Runner.Backend,
		img.ID)}
	return img, nil
}

func (a *attempt) keepLog(name string, text []byte) error {
	if err := os.WriteFile(filepath.Join(a.found.Logs, name), text, 0o644); err != nil {
		return fmt.Errorf("keeping a log: %w", err)
	}
	return nil
}

// runTests runs the tests as often as asked. Failing tests are part of the finding; the recipe works where the tests
// report and one passes.
func (a *attempt) runTests(ctx context.Context, t *Target, root string, img testrun.Image) error {
	outcomes := map[string][]schema.TestOutcome{}
	for repeat := 1; repeat <= max(1, a.Repeats); repeat++ {
		rep, err := a.Runner.Run(ctx, testrun.Request{Repository: t.Repository, Recipe: *t.Recipe, Image: img.ID,
			Workspace:   root,
			HiddenFiles: t.TestFiles, Selection: t.Selection})
		if err != nil {
			return err
		}
		if err := a.noteRun(t, repeat, rep); err != nil {
			return err
		}
		for _, r := range rep.Results {
			outcomes[r.ID] = append(outcomes[r.ID], r.Outcome)
		}
		t.Tests = byOutcome(outcomes, repeat)
		if first := rep.First(); first.Status != testrun.OK && first.Status != testrun.Crashed {
			return pipeline.Skip("%s: %s", first.Status, first.Detail)
		}
		if why := rep.Unhealthy(); why != "" && t.Recipe.AcceptGold == "" {
			return pipeline.Skip("unhealthy in %s: %s (accept_gold in its recipe takes it all the same)", t.Repository, why)
		}
	}
	if len(t.Tests[string(schema.Pass)]) == 0 {
		return pipeline.Skip("no test of %s passes", t.Repository)
	}
	return nil
}

// noteRun keeps the logs of a run and adds its attempts to the finding.
func (a *attempt) noteRun(t *Target, repeat int, rep *testrun.Report) error {
	for i, x := range rep.Attempts {
		if err := a.keepLog(fmt.Sprintf("run-%d-%d.log", repeat, i+1), x.Output); err != nil {
			return err
		}
		t.Runs = append(t.Runs, Run{State: "run", Repeat: repeat, Attempt: i + 1, Status: string(x.Status),
			Seconds: x.Duration.Seconds(), Tests: len(x.Taken), Detail: x.Detail})
		t.Seconds += x.Duration.Seconds()
	}
	return nil
}

// byOutcome names the tests by their outcome; where the repeats differ they are unstable.
func byOutcome(outcomes map[string][]schema.TestOutcome, repeats int) map[string][]string {
	tests := map[string][]string{}
	for id, list := range outcomes {
		word := string(list[0])
		differs := func(o schema.TestOutcome) bool { return o != list[0] }
		if slices.ContainsFunc(list, differs) || len(list) < repeats {
			word = string(schema.Unstable)
		}
		tests[word] = append(tests[word], id)
	}
	for _, ids := range tests {
		slices.Sort(ids)
	}
	return tests
}
