// Package evaluate is the stage that scores predictions on a release: it applies
// each prediction to fresh trees, lays the hidden tests over them, runs every
// target's tests, and says of every task of the release in which one state it is.
//
// It needs a release and nothing of a curator's folder; its store lies in the
// evaluation's folder. Running tests is pipeline/testrun's, trees and patches are
// pipeline/workspace's. What the scores add up to in tables is the report stage's.
package evaluate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/release"
	"github.com/wideswe/wideswe/pipeline/sandbox"
	"github.com/wideswe/wideswe/pipeline/testrun"
	"github.com/wideswe/wideswe/pipeline/toolchain"
	"github.com/wideswe/wideswe/schema"
)

// Runner runs targets' tests; [testrun.Runner] does.
type Runner interface {
	Run(ctx context.Context, q testrun.Request) (*testrun.Report, error)
	Select(q testrun.Request) (toolchain.Selection, error)
	EnsureImage(ctx context.Context, q testrun.ImageRequest) (testrun.Image, error)
	Workspace(q testrun.Request) *testrun.Workspace
	Base(ctx context.Context, name string) (testrun.BaseImage, error)
	LockedPin(name string) (string, error)
}

// Images says whether a sandbox has an image, and where it runs.
type Images interface {
	Name() string
	ImageID(ctx context.Context, name string) (string, error)
	Host(ctx context.Context) (sandbox.Host, error)
}

// Stage scores predictions.
type Stage struct {
	DB          pipeline.DB // the store in Out
	Release     *release.Release
	Predictions []schema.Prediction
	Out         string // report.json and logs go here
	Images      Images
	Runner      Runner
	// Guard says what becomes of predictions that change runner configuration; empty
	// is [GuardOn].
	Guard string
	// Limits replace those of the release where they are set.
	Limits sandbox.Limits
	// BaseImages are the local images that Runner takes for recipes' base images:
	// they decide results, so another choice runs everything anew.
	BaseImages map[string]string
	// AllowEmulation evaluates on another platform than validation's.
	AllowEmulation bool
	// Cache is the folder that keeps verdicts by content; empty is one in Out.
	Cache string
	// TrustPatches lets a sandbox that is no wall run patches of strangers.
	TrustPatches bool
	// Trusted knows further predictions that such a sandbox may run: the demo's.
	Trusted func(schema.Prediction) bool
	// Versions are those of languages and report formats; the zero value is the program's own.
	Versions testrun.Versions
	// Retries is how often trouble of ours is tried again.
	Retries int
	// Wait is the pause before trouble of ours is tried again; 0 is two seconds.
	Wait time.Duration
	// Say takes one line a task as it ends; nil says nothing.
	Say func(line string)

	down    error
	mu      sync.Mutex
	recipes map[string][]schema.Recipe // by task
}

// Down gives what made the last run give up on everything after it, as a
// [pipeline.NeedError], or nil.
func (s *Stage) Down() error { return s.down }

// Name implements [pipeline.Stage].
func (s *Stage) Name() string { return "evaluate" }

// Version implements [pipeline.Stage].
func (s *Stage) Version() string { return "5" }

// The guards.
const (
	GuardOff    = "off"    // runs are as submitted alone: the paper's rule
	GuardOn     = "on"     // a second run has the runner configuration of base; where it differs the verdict is disputed
	GuardReject = "reject" // nothing is run
)

// runKey identifies one model's attempt in one mode.
type runKey struct {
	Model   string
	Mode    string
	Attempt int
}

// String names the run; the first attempt goes without its number.
func (k runKey) String() string {
	if k.Attempt > 1 {
		return fmt.Sprintf("%s %s, attempt %d", k.Model, k.Mode, k.Attempt)
	}
	return k.Model + " " + k.Mode
}

// unit is one item: one task in one run. Independent mode has a prediction a target.
type unit struct {
	runKey
	Task        string
	Predictions []schema.Prediction
	Key         string // digest of the predictions
}

func (u unit) id() string {
	return fmt.Sprintf("%s/%s/%s/%d", u.Task, u.Model, u.Mode, u.Attempt)
}

// Plan implements [pipeline.Planner].
func (s *Stage) Plan(context.Context) ([]pipeline.Ref, error) {
	return pipeline.Refs(s.items()), nil
}

// items are in the order of tasks, so that one task's trees are laid once.
func (s *Stage) items() []pipeline.Item[unit] {
	units := map[string]*unit{}
	var order []string
	for _, p := range s.Predictions {
		u := unit{runKey: runKey{p.Model, p.Mode, p.Attempt}, Task: p.Task}
		if units[u.id()] == nil {
			units[u.id()] = &u
			order = append(order, u.id())
		}
		have := units[u.id()]
		have.Predictions = append(have.Predictions, p)
	}
	var items []pipeline.Item[unit]
	for _, id := range order {
		u := units[id]
		slices.SortFunc(u.Predictions, func(a, b schema.Prediction) int { return cmp.Compare(a.Target, b.Target) })
		u.Key = predictionsKey(u.Predictions)
		items = append(items, pipeline.Item[unit]{ID: id, Hash: s.hash(*u), Value: *u, Settle: func() string { return s.hash(*u) }})
	}
	slices.SortStableFunc(items, func(a, b pipeline.Item[unit]) int { return cmp.Compare(a.Value.Task, b.Value.Task) })
	return items
}

// hash covers whatever decides the verdict: nothing stale is used again. Which base
// images a task stands on is known once they are locked.
func (s *Stage) hash(u unit) string {
	rules := s.Versions.Rules(s.recipesOf(u.Task)...)
	return pipeline.Hash(u.Key, s.Release.SHA256, rules, s.Limits, s.guard(), s.BaseImages, s.Images.Name(), s.pins(u.Task))
}

func (s *Stage) pins(task string) (pins []string) {
	for _, r := range s.recipesOf(task) {
		pin, _ := s.Runner.LockedPin(r.Image) // a lock that can't be read fails the runs
		pins = append(pins, pin)
	}
	return pins
}

// recipesOf are the recipes of a task's targets, each task read once.
func (s *Stage) recipesOf(task string) []schema.Recipe {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.recipes == nil {
		s.recipes = map[string][]schema.Recipe{}
	}
	recipes, known := s.recipes[task]
	if !known {
		if t, err := s.Release.Task(task); err == nil { // else the item says what is wrong
			for _, x := range t.Hidden {
				recipes = append(recipes, x.Recipe)
			}
		}
		s.recipes[task] = recipes
	}
	return recipes
}

// Run implements [pipeline.Stage]. It leaves OUT/report.json complete however it
// ends: what has no verdict yet is infra, and a further run completes it.
func (s *Stage) Run(ctx context.Context, run *pipeline.Run) error {
	if err := s.refuseUntrusted(); err != nil {
		return err
	}
	if n := len(s.Release.MissingSources()); n > 0 {
		return pipeline.Need("%d of %d source trees of the release are not there; wideswe release fetch --release %s brings them once", n, len(s.Release.Sources), s.Release.Dir)
	}
	scratch, remove, err := pipeline.Scratch("", "evaluate")
	if err != nil {
		return err
	}
	defer remove()
	items := s.items()
	latest, err := run.Ledger.Latest(ctx, s.Name())
	if err != nil {
		return err
	}
	bench := newBench(s, scratch, items)
	bench.redo, bench.describe = run.Redo, run.Describe
	stored, err := s.stored(ctx)
	if err != nil {
		return fmt.Errorf("reading verdicts: %w", err)
	}
	todo := len(items)
	for _, it := range items {
		if o, ok := latest[it.ID]; ok && !run.Redo && pipeline.Stands(o, s.Version(), it.Hash) {
			bench.pass(it.Value.Task)
			bench.live.add(it.Value.runKey, stored[it.ID].Status)
			todo--
		}
	}
	for _, line := range leaving(items, stored) {
		bench.say("%s", line)
	}
	err = pipeline.Each(ctx, run, s, items, bench.work, func(id string) pipeline.Write { return s.remove(id) })
	s.down = bench.stopped()
	if table := bench.live.table(); todo > 0 && table != "" {
		bench.say("%s", table)
	}
	// The report is written even when the person has just interrupted.
	return errors.Join(err, s.writeReport(context.WithoutCancel(ctx), run, s.items()))
}

// refuseUntrusted keeps strangers' patches out of a sandbox that is no wall.
func (s *Stage) refuseUntrusted() error {
	if s.Images.Name() != "process" || s.TrustPatches {
		return nil
	}
	for _, p := range s.Predictions {
		if blank(p) || s.Trusted != nil && s.Trusted(p) {
			continue
		}
		t, err := s.Release.Task(p.Task)
		if err != nil {
			return err
		}
		if !trusted(p, t) {
			return pipeline.Usage("the process sandbox keeps nothing from the code it runs, and the patch of %s for %s is a stranger's; use --sandbox docker, or --trust-patches if you wrote it",
				p.Model, p.Task)
		}
	}
	return nil
}

// limitsOf gives a target's limits: those it was validated with, and the time that
// the release's rule makes of its gold run, unless the person set others.
func (s *Stage) limitsOf(t release.Target) sandbox.Limits {
	l := s.Limits
	l.Memory = cmp.Or(l.Memory, t.Limits.Memory)
	l.CPUs = cmp.Or(l.CPUs, t.Limits.CPUs)
	l.Pids = cmp.Or(l.Pids, t.Limits.Pids)
	l.Timeout = cmp.Or(l.Timeout, s.Release.TimeRule().Of(t.GoldSeconds), time.Duration(t.Limits.Seconds)*time.Second)
	return l.Defaults()
}

func (s *Stage) guard() string { return cmp.Or(s.Guard, GuardOn) }

func (s *Stage) remove(id string) pipeline.Write {
	return func(ctx context.Context, tx pipeline.Tx) error {
		for _, table := range []string{"evaluation_runs", "evaluation_tests", "evaluation_outcomes", "evaluation_verdicts"} {
			q := "DELETE FROM " + table + " WHERE task_id || '/' || model || '/' || mode || '/' || attempt::VARCHAR = ?"
			if err := tx.Exec(ctx, q, id); err != nil {
				return err
			}
		}
		return nil
	}
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// logPath is where a target's log lies, under Out.
func (u unit) logPath(target, variant string) string {
	name := schema.FileName(target)
	if variant != submitted {
		name += "." + variant
	}
	// Models are named by strangers; the digest keeps two of them apart.
	model := plainName(u.Model) + "-" + pipeline.Hash(u.Model)[:8]
	return filepath.ToSlash(filepath.Join("logs", plainName(u.Task), fmt.Sprintf("%s-%s-%d", model, u.Mode, u.Attempt), name+".log"))
}

func plainName(s string) string {
	b := []byte(s)
	for i, c := range b {
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_') {
			b[i] = '-'
		}
	}
	return string(b[:min(len(b), 80)])
}
