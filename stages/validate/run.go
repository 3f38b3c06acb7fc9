package validate

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/sandbox"
	"github.com/wideswe/wideswe/pipeline/testrun"
	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
	"github.com/wideswe/wideswe/pipeline/toolchain/registry"
	"github.com/wideswe/wideswe/schema"
)

// The two states of a task's trees.
const (
	base = "base"
	gold = "gold"
)

// work is one task while it is worked on.
type work struct {
	s        Stage
	log      *slog.Logger
	t        task
	trees    trees
	platform string
	images   map[string]testrun.Image
	recipes  map[string]schema.Recipe
	choice   map[string]kit.Selection
	// ends[repository][state][repeat-1] is what each test ended with.
	ends map[string]map[string][]map[string]schema.TestOutcome
	laid map[string]*testrun.Workspace // by repository and state
	// shaken are the tests that pass on gold, yet not under stress, by repository.
	shaken map[string]map[string]bool
	took   map[string]time.Duration // the longest gold run so far, by repository
	// unbuilt are the repositories of which base could not build some hidden tests.
	unbuilt map[string]bool
	rows    rows
}

func (s Stage) validate(ctx context.Context, run *pipeline.Run, t task) (pipeline.Write, error) {
	t.Targets = slices.Clone(t.Targets)
	if err := s.readPatches(ctx, &t); err != nil {
		return nil, err
	}
	trees, err := s.lay(ctx, t)
	defer trees.close()
	if err != nil {
		return write(t.ID, rows{}), err
	}
	w := &work{s: s, log: run.Log.With("stage", s.Name(), "item", t.ID), t: t, trees: trees,
		images: map[string]testrun.Image{}, recipes: map[string]schema.Recipe{}, choice: map[string]kit.Selection{},
		ends: map[string]map[string][]map[string]schema.TestOutcome{}, laid: map[string]*testrun.Workspace{},
		shaken: map[string]map[string]bool{}, took: map[string]time.Duration{}, unbuilt: map[string]bool{}}
	defer w.close()
	if run.Redo {
		if err := s.forget(ctx, t.ID); err != nil {
			return nil, err
		}
	}
	if w.platform, err = s.Runner.Backend.Platform(ctx); err != nil {
		return nil, err
	}
	// What was found is stored beside the reason of a skip.
	err = w.all(ctx)
	*w.t.told = promptNames(t.Prompt, w.rows.goldTests())
	if _, skip := pipeline.SkipReason(err); skip {
		w.rows.journal = nil // what is skipped is looked at anew
		if t.stress {
			w.unstressed(err)
		}
	}
	if err == nil {
		err = w.named() // a better prompt makes no run again
	}
	return write(t.ID, w.rows), err
}

func (w *work) all(ctx context.Context) error {
	for _, x := range w.t.Targets {
		if err := w.prepare(x); err != nil {
			return err
		}
	}
	for _, x := range w.t.Targets {
		if err := w.image(ctx, x); err != nil {
			return err
		}
	}
	if err := w.leaks(ctx); err != nil {
		return err
	}
	for repeat := 1; repeat <= w.s.repeats(); repeat++ {
		for _, x := range w.t.Targets {
			if err := w.pair(ctx, x, repeat); err != nil {
				return err
			}
		}
	}
	for _, x := range w.t.Targets {
		if err := w.passedBefore(ctx, x); err != nil {
			return err
		}
	}
	if w.t.stress {
		for _, x := range w.t.Targets {
			if err := w.stress(ctx, x); err != nil {
				return err
			}
		}
	}
	return nil
}

func (w *work) close() {
	for _, l := range w.laid {
		l.Close()
	}
}

func (w *work) siblings(of string) (names []string) {
	for _, x := range w.t.Targets {
		if x.Repository != of {
			names = append(names, x.Repository)
		}
	}
	return names
}

// prepare finds a target's recipe and what runs. Both are read from gold, the
// state that has to pass; base runs the same.
func (w *work) prepare(x target) error {
	tree, err := testrun.DirTree(filepath.Join(w.trees.gold, filepath.FromSlash(x.Repository)))
	if err != nil {
		return fmt.Errorf("reading the tree of %s: %w", x.Repository, err)
	}
	recipe, tc, err := registry.Resolve(tree, x.Over, x.placed()...)
	var unknown *registry.UnknownError
	switch {
	case errors.As(err, &unknown) && unknown.Name != "":
		return pipeline.Usage("%s: %v", x.Repository, err)
	case err != nil:
		return pipeline.Skip("%v in %s", err, x.Repository)
	}
	recipe.Repository = x.Repository
	choice, err := kit.Choose(tc, tree, recipe, x.placed())
	if err != nil {
		return pipeline.Skip("tests of %s can't be chosen: %v", x.Repository, err)
	}
	if choice.Empty() {
		return pipeline.Skip("no test to run in the hidden files of %s%s", x.Repository, why(choice))
	}
	w.recipes[x.Repository], w.choice[x.Repository] = recipe, choice
	return nil
}

func why(s kit.Selection) string {
	if len(s.Left) == 0 {
		return ""
	}
	return ": " + s.Left[0].Path + ": " + s.Left[0].Reason
}

func (w *work) image(ctx context.Context, x target) error {
	var log bytes.Buffer
	choice := w.choice[x.Repository]
	now, end := w.s.board.begin(x.Repository + " image")
	defer end()
	w.log.Info("making the image", "repo", x.Repository, "running", now)
	pinned, err := w.s.Runner.PinServices(ctx, w.recipes[x.Repository])
	if err != nil {
		return err
	}
	w.recipes[x.Repository] = pinned
	img, err := w.s.Runner.EnsureImage(ctx, testrun.ImageRequest{
		Repository: x.Repository, Recipe: w.recipes[x.Repository], BaseWorkspace: w.trees.base, GoldWorkspace: w.trees.gold,
		PlainWorkspace: w.trees.plain, Siblings: w.siblings(x.Repository), HiddenFiles: x.placed(), Selection: &choice,
		Task: w.t.ID, Log: &log,
	})
	w.stands(w.recipes[x.Repository].Image, img.Pin)
	if err == nil && !img.Cached && w.s.Built != nil {
		err = w.s.Built(ctx)
	}
	name := filepath.Join("validate", w.t.ID, schema.FileName(x.Repository), "image.log")
	// The log of a layer is the one of its making, whatever task that was for.
	if n := len(img.Layers); n > 0 && w.s.Runner.BuildLogs != "" {
		name = filepath.Join("images", img.Layers[n-1].Log)
	} else if !img.Cached {
		if err := w.s.keep(name, log.Bytes()); err != nil {
			return err
		}
	}
	var failed *sandbox.BuildError
	if errors.As(err, &failed) && !sandbox.IsInfra(err) {
		return pipeline.Skip("image build failed in %s: %v", x.Repository, failed)
	}
	if err != nil {
		return fmt.Errorf("making the image of %s: %w", x.Repository, err)
	}
	w.images[x.Repository], (*w.t.recipes)[x.Repository] = img, w.recipes[x.Repository]
	w.rows.images = append(w.rows.images, []any{w.t.ID, x.Repository, img.Name, img.ID, img.Base,
		jsonText(w.recipes[x.Repository]), name, img.Took.Seconds(), x.input})
	return nil
}

// pair runs gold, then base, so that base is asked for every test that gold passed.
func (w *work) pair(ctx context.Context, x target, repeat int) error {
	first, err := w.run(ctx, x, gold, repeat)
	if err != nil {
		return err
	}
	if reason := unusable(first.First(), gold); reason != "" {
		return pipeline.Skip("no test report on gold in %s: %s%s", x.Repository, reason, w.trees.lacks(x.Repository))
	}
	if reason := first.Unhealthy(); reason != "" && w.recipes[x.Repository].AcceptGold == "" {
		if w.t.stress {
			// What the tests lack may be why.
			if err := w.needs(ctx, x); err != nil {
				return err
			}
		}
		return pipeline.Skip("gold_unhealthy in %s: %s (accept_gold in its recipe takes it all the same)%s", x.Repository,
			reason, w.trees.lacks(x.Repository))
	}
	if first, err = w.run(ctx, x, base, repeat); err != nil {
		return err
	}
	if reason := unusable(first.First(), base); reason != "" {
		return pipeline.Skip("no test report on base in %s: %s%s", x.Repository, reason, w.trees.lacks(x.Repository))
	}
	if w.count(x.Repository, schema.F2P) == 0 {
		if w.t.stress {
			// What the tests lack may be why.
			if err := w.needs(ctx, x); err != nil {
				return err
			}
		}
		return pipeline.Skip("no F2P in %s%s", x.Repository, w.trees.lacks(x.Repository))
	}
	return nil
}

// unusable gives the reason where a run says nothing about its tests. Tests that
// do not compile are an answer (they can't pass there), a build that does not
// come to the tests is none. Base may hang; gold has to end, or no evaluation could
// tell its hang from a patch's.
func unusable(a testrun.Attempt, state string) string {
	reached := a.Phase == "test" && (len(a.Parsed.Results) > 0 || len(a.Parsed.Problems) > 0)
	switch {
	case a.Status == testrun.OK, a.Status == testrun.Crashed,
		a.Status == testrun.BuildFailed && reached, a.Status == testrun.Timeout && state == base && len(a.Parsed.Results) > 0:
		return ""
	}
	return fmt.Sprintf("%s: %s", a.Status, a.Detail)
}

// run runs one target in one state and takes down its rows.
func (w *work) run(ctx context.Context, x target, state string, repeat int) (*testrun.Report, error) {
	now, end := w.s.board.begin(fmt.Sprintf("%s %s %d/%d", x.Repository, state, repeat, w.s.repeats()))
	defer end()
	w.log.Info("running tests", "repo", x.Repository, "state", state, "repeat", repeat, "running", now)
	q := w.request(x, state)
	q.Journal = w.journal(x, state, repeat, q)
	rep, err := w.s.Runner.Run(ctx, q)
	if err != nil {
		return nil, err
	}
	for i, a := range rep.Attempts {
		if err := w.record(x, state, repeat, i+1, a); err != nil {
			return nil, err
		}
	}
	if state == base && isUnbuilt(rep.First()) {
		w.unbuilt[x.Repository] = true
	}
	if state == gold {
		w.took[x.Repository] = max(w.took[x.Repository], rep.First().Duration)
	}
	w.keepEnds(x.Repository, state, rep)
	return rep, nil
}

// request says what one target's run in one state is.
func (w *work) request(x target, state string) testrun.Request {
	dir := map[string]string{base: w.trees.base, gold: w.trees.gold, own: w.trees.plain}[state]
	choice := w.choice[x.Repository]
	q := testrun.Request{
		Repository: x.Repository, Recipe: w.recipes[x.Repository], Image: w.images[x.Repository].ID, Workspace: dir,
		Siblings: w.siblings(x.Repository), HiddenFiles: x.placed(), Selection: &choice, Expected: w.passed(x.Repository),
		HangAfter: w.patience(x.Repository, state), Doubt: state == base,
		Labels: map[string]string{"wideswe.task": w.t.ID},
	}
	if w.laid[x.Repository+" "+state] == nil {
		w.laid[x.Repository+" "+state] = w.s.Runner.Workspace(q)
	}
	q.Laid = w.laid[x.Repository+" "+state]
	return q
}

// patience is how long the tests of a run on base may hang, 0 being as long as on gold.
// Base may hang where gold does not; it is waited for as long as gold's time lets
// expect, and not for all the time that runners give, which each rerun would cost
// again.
func (w *work) patience(repository, state string) time.Duration {
	if state == gold {
		return 0
	}
	return cmp.Or(w.s.BaseLimit, DefaultBaseLimit).Of(w.took[repository].Seconds())
}

// passed lists what gold passed so far: on base each of them has to get an outcome.
func (w *work) passed(repository string) (ids []string) {
	for _, ends := range w.ends[repository][gold] {
		for id, o := range ends {
			if o == schema.Pass {
				ids = append(ids, id)
			}
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

func (w *work) keepEnds(repository, state string, rep *testrun.Report) {
	ends := map[string]schema.TestOutcome{}
	for _, t := range rep.Results {
		ends[t.ID] = t.Outcome
		if s := rep.First().Status; s == testrun.Inconsistent || s == testrun.NoReport {
			ends[t.ID] = schema.NotRun
		}
	}
	if w.ends[repository] == nil {
		w.ends[repository] = map[string][]map[string]schema.TestOutcome{}
	}
	w.ends[repository][state] = append(w.ends[repository][state], ends)
}

// count counts the tests of a class over the repeats so far. What is no F2P now
// can't become one.
func (w *work) count(repository string, class schema.Class) (n int) {
	for _, id := range w.passed(repository) {
		if w.class(repository, id) == class {
			n++
		}
	}
	return n
}

func (w *work) class(repository, id string) schema.Class {
	of := func(state string) (list []schema.TestOutcome) {
		for _, ends := range w.ends[repository][state] {
			list = append(list, ends[id])
		}
		return list
	}
	c := classify(of(base), of(gold))
	if w.shaken[repository][id] && (c == schema.F2P || c == schema.P2P || c == schema.S2P) {
		return schema.Unstable
	}
	return c
}

// record takes down one run.
func (w *work) record(x target, state string, repeat, attempt int, a testrun.Attempt) error {
	id := fmt.Sprintf("%s/%s/%s-%d-%d", w.t.ID, x.Repository, state, repeat, attempt)
	name := w.logName(x, state, repeat, attempt)
	limits := w.s.Runner.Limits.Defaults()
	if t := w.recipes[x.Repository].Timeout; t > 0 {
		limits.Timeout = time.Duration(t) * time.Second
	}
	w.rows.runs = append(w.rows.runs, []any{id, w.t.ID, x.Repository, state, repeat, attempt, string(a.Status), a.ExitCode,
		a.TimedOut, a.OOM, a.Duration.Seconds(), w.images[x.Repository].ID, jsonText(limits),
		w.s.rules(w.recipes[x.Repository]), w.platform, name, a.Started, strings.Join(a.LimitsMet, " "), a.Detail})
	for _, t := range a.Taken {
		w.rows.outcomes = append(w.rows.outcomes, []any{id, w.t.ID, x.Repository, state, repeat, t.ID, outcomeWord(t.Outcome),
			t.Message, t.Seconds})
	}
	return nil
}

func outcomeWord(o schema.TestOutcome) string {
	if o == schema.Missing {
		return "missing"
	}
	return string(o)
}
