package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/folder"
	"github.com/wideswe/wideswe/pipeline/git"
	"github.com/wideswe/wideswe/pipeline/sandbox"
	"github.com/wideswe/wideswe/pipeline/testrun"
	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
	"github.com/wideswe/wideswe/pipeline/toolchain/registry"
	"github.com/wideswe/wideswe/schema"
)

// tryFlags are the flags of recipe test.
type tryFlags struct {
	sandbox string
	repeats int
	choose  []string
	stress  bool
	json    bool
}

func (a *app) recipeTest() *cobra.Command {
	var f tryFlags
	c := &cobra.Command{
		Use:   "test OWNER/NAME#N [OWNER/NAME#M ...] | OWNER/NAME[@COMMIT]",
		Short: "Try a recipe: on pulls, base against gold, or on one commit",
		Long: `Try a recipe, and print what was detected and why.

With pulls that were crawled, a throwaway task of them is assembled and validated as
the product does it: several repositories are wired to each other, and one alone will
do. It needs no links, candidates or reviews. The exit code is 0 where every target
has a test that fails on base and passes on gold.

With a commit (or none: the newest of the default branch) the image is made and the
repository's tests run there, once. The exit code is 0 where they report and one passes.

Nothing is written to the database. Images stay, so that a second try is quick.`,
		Example: `  wideswe recipe test ipfs/kubo#10863
  wideswe recipe test ipfs/kubo#10863 ipfs/boxo#978 --repeats 1
  wideswe recipe test ipfs/boxo@v0.32.0 --select 'bitswap/**'`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			t, err := a.newTry(cmd.Context(), f)
			if err != nil {
				return err
			}
			return t.run(cmd.Context(), args)
		},
	}
	c.Flags().StringVar(&f.sandbox, "sandbox", "", "docker or process (default: validate.sandbox of the config)")
	c.Flags().IntVar(&f.repeats, "repeats", 0, "runs of base and of gold (default: validate.repeats of the config; of a commit 1)")
	c.Flags().StringArrayVar(&f.choose, "select", nil, "on a commit: only these test files; a file, a folder, or a pattern such as 'pkg/**/*_test.go'; may be given several times")
	c.Flags().BoolVar(&f.stress, "stress", false, "of pulls: run gold under stress, too, as validate --stress does")
	c.Flags().BoolVar(&f.json, "json", false, "as JSON, with every test")
	return c
}

// try is one call of recipe test.
type try struct {
	a       *app
	cur     *curator
	flags   tryFlags
	mirrors *git.Mirrors
	runner  *testrun.Runner
	found   finding
}

// finding is what a try found.
type finding struct {
	Works   bool            `json:"works"`
	Reason  string          `json:"reason,omitempty"` // where it does not
	Targets []targetFinding `json:"targets"`
	Logs    string          `json:"logs"` // folder
	// LastLog is the log that was written last: where something ended badly, its.
	LastLog string  `json:"last_log,omitempty"`
	Seconds float64 `json:"seconds"`
}

// targetFinding is what was found of one repository.
type targetFinding struct {
	Repository string         `json:"repository"`
	Pulls      []int          `json:"pulls,omitempty"`
	Commit     string         `json:"commit"` // base where there are pulls
	Gold       string         `json:"gold_commit,omitempty"`
	TestFiles  []string       `json:"test_files"`
	Recipe     *schema.Recipe `json:"recipe,omitempty"`
	// Overrides are the parts of a recipe file that were laid over what is detected.
	Overrides []string       `json:"overrides,omitempty"`
	Selection *kit.Selection `json:"selection,omitempty"`
	Image     *imageFinding  `json:"image,omitempty"`
	Runs      []runFinding   `json:"runs,omitempty"`
	Seconds   float64        `json:"seconds"` // of all runs
	// Tests names the tests by class, or on a commit by outcome.
	Tests map[string][]string `json:"tests"`
	// MissingOnBase counts the F2P that base does not have at all.
	MissingOnBase int `json:"missing_on_base"`
	// Stress says of --stress what each variant came to, and which tests lean on what.
	Stress []stressFinding `json:"stress,omitempty"`

	base time.Time // the commit's date
}

type imageFinding struct {
	Name    string  `json:"name"`
	Base    string  `json:"base"`
	MB      float64 `json:"mb,omitempty"`
	Seconds float64 `json:"seconds"` // of making or finding it
}

type runFinding struct {
	State   string  `json:"state"`
	Repeat  int     `json:"repeat"`
	Attempt int     `json:"attempt"`
	Status  string  `json:"status"`
	Seconds float64 `json:"seconds"`
	Tests   int     `json:"tests"`
	// Detail is the reason of a status other than ok.
	Detail string `json:"detail,omitempty"`
}

func (r runFinding) name() string {
	name := r.State
	if r.Repeat > 0 {
		name += fmt.Sprintf(" %d", r.Repeat)
	}
	if r.Attempt > 1 {
		name += fmt.Sprintf(", rerun %d", r.Attempt-1)
	}
	return name
}

func (a *app) newTry(ctx context.Context, f tryFlags) (*try, error) {
	cur, err := a.curator()
	if err != nil {
		return nil, err
	}
	_, template, err := a.hosts(ctx, cur)
	if err != nil {
		return nil, err
	}
	runner, err := a.runner(cur, f.sandbox)
	if err != nil {
		return nil, err
	}
	if f.repeats < 0 {
		return nil, pipeline.Usage("--repeats %d; write a number of runs", f.repeats)
	}
	return &try{a: a, cur: cur, flags: f, runner: runner,
		mirrors: &git.Mirrors{Dir: cur.Mirrors(), URLTemplate: template, Log: a.log()}}, nil
}

func (t *try) run(ctx context.Context, args []string) error {
	pulls := strings.Contains(args[0], "#")
	for _, arg := range args {
		if strings.Contains(arg, "#") != pulls {
			return pipeline.Usage("pulls (owner/name#N) and commits can't be tried together")
		}
	}
	var err error
	switch {
	case pulls && len(t.flags.choose) > 0:
		return pipeline.Usage("--select is for a commit; what the tests of pulls are the hidden tests say, or select: in %s", folder.RecipeFile("owner/name"))
	case !pulls && t.flags.stress:
		return pipeline.Usage("--stress is for pulls: it holds gold's tests against themselves")
	case pulls:
		err = t.pulls(ctx, args)
	case len(args) > 1:
		return pipeline.Usage("one commit at a time; several repositories are tried together as pulls, owner/name#N")
	default:
		err = t.commit(ctx, args[0])
	}
	if err != nil {
		return err
	}
	return t.tell()
}

// tell prints the finding; what does not work is the exit code 1.
func (t *try) tell() error {
	t.found.LastLog = newest(t.found.Logs)
	if t.flags.json {
		enc := json.NewEncoder(t.a.out)
		enc.SetIndent("", "  ")
		if err := enc.Encode(t.found); err != nil {
			return err
		}
	} else {
		t.print()
	}
	if !t.found.Works {
		return &exitError{exitFailed, t.found.Reason}
	}
	return nil
}

// newest is the log that was written last.
func newest(dir string) (log string) {
	var at int64
	_ = filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(p, ".log") {
			return nil
		}
		if info, err := d.Info(); err == nil && info.ModTime().UnixNano() >= at {
			log, at = p, info.ModTime().UnixNano()
		}
		return nil
	})
	return log
}

// logs makes the folder of this try's logs, empty.
func (t *try) logs(name string) (string, error) {
	t.found.Logs = filepath.Join(t.cur.Logs(), "recipe-test", name)
	if err := os.RemoveAll(t.found.Logs); err != nil {
		return "", fmt.Errorf("removing the logs of an earlier try: %w", err)
	}
	return t.found.Logs, os.MkdirAll(t.found.Logs, 0o755)
}

// detect finds the recipe and the selection of a tree, as validate will.
func (t *try) detect(tree kit.Tree, f *targetFinding) error {
	recipe, over, err := t.cur.resolveRecipe(tree, f.Repository, f.base, f.TestFiles...)
	f.Overrides = over
	if err != nil {
		return err
	}
	f.Recipe = &recipe
	tc, _ := registry.ByName(recipe.Toolchain)
	choice, err := kit.Choose(tc, tree, recipe, f.TestFiles)
	if err != nil {
		return pipeline.Skip("tests of %s can't be chosen: %v", f.Repository, err)
	}
	f.Selection = &choice
	return nil
}

// sizeOf is an image's size in MB, 0 where the backend has no images.
func sizeOf(ctx context.Context, b sandbox.Backend, id string) float64 {
	sized, ok := b.Abilities().ImageSizes()
	if !ok {
		return 0
	}
	n, err := sized.ImageBytes(ctx, id)
	if err != nil {
		return 0
	}
	return float64(n) / 1e6
}
