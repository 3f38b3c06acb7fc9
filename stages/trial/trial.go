// Package trial tries recipes before a benchmark depends on them: on merged pulls, base against gold, as assemble and
// validate do it, or on one commit's own tests.
//
// A trial walks stages over a throwaway database in memory. It reads their tables, and it writes none: what earlier
// stages would have left is written by their own functions. How a trial is asked for and printed is the command line's.
package trial

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/folder"
	"github.com/wideswe/wideswe/pipeline/git"
	"github.com/wideswe/wideswe/pipeline/sandbox"
	"github.com/wideswe/wideswe/pipeline/testrun"
	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
	"github.com/wideswe/wideswe/pipeline/toolchain/registry"
	"github.com/wideswe/wideswe/schema"
)

// Trial tries recipes with a curator's folder, mirrors and runner.
type Trial struct {
	Folder  folder.Folder
	Mirrors *git.Mirrors
	Runner  *testrun.Runner
	Repeats int      // runs of base and of gold, or of a commit's tests
	Stress  bool     // of pulls: run gold under stress, too
	Select  []string // of a commit: only these test files, by patterns
	// NewRun makes what the stages assemble and validate are run with.
	NewRun func(pipeline.Ledger) *pipeline.Run
}

// attempt is one trial under way.
type attempt struct {
	Trial
	found Finding
}

// finish completes the finding with how the trial ended. A skip is a finding: the recipe does not work.
func (a *attempt) finish(begun time.Time, err error) (Finding, error) {
	a.found.Seconds = time.Since(begun).Seconds()
	a.found.LastLog = newestLog(a.found.Logs)
	if reason, skip := pipeline.SkipReason(err); skip {
		a.found.Reason = reason + a.found.firstBadGold()
		return a.found, nil
	}
	a.found.Works = err == nil
	return a.found, err
}

// newestLog returns the log that was written last.
func newestLog(dir string) (log string) {
	var latest int64
	_ = filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(p, ".log") {
			return nil
		}
		if info, err := d.Info(); err == nil && info.ModTime().UnixNano() >= latest {
			log, latest = p, info.ModTime().UnixNano()
		}
		return nil
	})
	return log
}

// makeLogs makes the folder of this trial's logs, empty.
func (a *attempt) makeLogs(name string) error {
	a.found.Logs = filepath.Join(a.Folder.Logs(), "recipe-test", name)
	if err := os.RemoveAll(a.found.Logs); err != nil {
		return fmt.Errorf("removing the logs of an earlier try: %w", err)
	}
	return os.MkdirAll(a.found.Logs, 0o755)
}

// detect finds the recipe and the selection of a tree, as validate will.
func (a *attempt) detect(tree kit.Tree, t *Target) error {
	recipe, over, err := ResolveRecipe(a.Folder, tree, t.Repository, t.base, t.TestFiles...)
	t.Overrides = over
	if err != nil {
		return err
	}
	t.Recipe = &recipe
	tc, _ := registry.ByName(recipe.Toolchain)
	choice, err := kit.Choose(tc, tree, recipe, t.TestFiles)
	if err != nil {
		return pipeline.Skip("tests of %s can't be chosen: %v", t.Repository, err)
	}
	t.Selection = &choice
	return nil
}

// Finding is what a trial found.
type Finding struct {
	Works   bool     `json:"works"`
	Reason  string   `json:"reason,omitempty"` // where it does not
	Targets []Target `json:"targets"`
	Logs    string   `json:"logs"` // folder
	// LastLog is the log that was written last: where something ended badly, its.
	LastLog string  `json:"last_log,omitempty"`
	Seconds float64 `json:"seconds"`
}

// firstBadGold describes the first run of gold that did not finish: that, and not the tests, is why nothing passes.
func (f Finding) firstBadGold() string {
	for _, t := range f.Targets {
		for _, r := range t.Runs {
			if r.State == "gold" && r.Status != string(testrun.OK) {
				return fmt.Sprintf("; %s of %s: %s: %s", r.Name(), t.Repository, r.Status, r.Detail)
			}
		}
	}
	return ""
}

// Target is what a trial found of one repository.
type Target struct {
	Repository string         `json:"repository"`
	Pulls      []int          `json:"pulls,omitempty"`
	Commit     string         `json:"commit"` // base where there are pulls
	Gold       string         `json:"gold_commit,omitempty"`
	TestFiles  []string       `json:"test_files"`
	Recipe     *schema.Recipe `json:"recipe,omitempty"`
	// Overrides are the parts of a recipe file that replace what is detected.
	Overrides []string       `json:"overrides,omitempty"`
	Selection *kit.Selection `json:"selection,omitempty"`
	Image     *Image         `json:"image,omitempty"`
	Runs      []Run          `json:"runs,omitempty"`
	Seconds   float64        `json:"seconds"` // of all runs
	// Tests names the tests by class, or on a commit by outcome.
	Tests map[string][]string `json:"tests"`
	// MissingOnBase counts the F2P that base does not have at all.
	MissingOnBase int `json:"missing_on_base"`
	// PassedBefore counts the F2P that base passed with its own test files.
	PassedBefore int `json:"passed_before,omitempty"`
	// Stress has the result of each variant of stress, and the tests that depend on it.
	Stress []Stress `json:"stress,omitempty"`

	base time.Time // the commit's date
}

// Image is the image that a target's tests ran in.
type Image struct {
	Name    string  `json:"name"`
	Base    string  `json:"base"`
	MB      float64 `json:"mb,omitempty"`
	Seconds float64 `json:"seconds"` // of making or finding it
}

// Run is one run of a target's tests.
type Run struct {
	State   string  `json:"state"`
	Repeat  int     `json:"repeat"`
	Attempt int     `json:"attempt"`
	Status  string  `json:"status"`
	Seconds float64 `json:"seconds"`
	Tests   int     `json:"tests"`
	// Detail is the reason of a status other than ok.
	Detail string `json:"detail,omitempty"`
}

// Name names the run for people: its state, its repeat, and which rerun it is.
func (r Run) Name() string {
	name := r.State
	if r.Repeat > 0 {
		name += fmt.Sprintf(" %d", r.Repeat)
	}
	if r.Attempt > 1 {
		name += fmt.Sprintf(", rerun %d", r.Attempt-1)
	}
	return name
}

// imageMB returns an image's size in MB, 0 where the backend has no images.
func imageMB(ctx context.Context, b sandbox.Backend, id string) float64 {
	sized, ok := b.(interface {
		ImageBytes(ctx context.Context, id string) (int64, error)
	})
	if !ok {
		return 0
	}
	n, err := sized.ImageBytes(ctx, id)
	if err != nil {
		return 0
	}
	return float64(n) / 1e6
}
