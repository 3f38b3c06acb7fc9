package testrun

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/sandbox"
	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
	"github.com/wideswe/wideswe/pipeline/toolchain/registry"
	"github.com/wideswe/wideswe/schema"
)

// Runner runs targets.
type Runner struct {
	Backend sandbox.Backend
	Limits  sandbox.Limits
	// Images maps a recipe's image name to a local one.
	Images map[string]string
	// BuildEnv and BuildFiles (path → content) are visible to image builds only.
	BuildEnv   map[string]string
	BuildFiles map[string][]byte
	// Attempts bounds the runs that one crash may cost; 0 is [DefaultAttempts].
	Attempts int
	Log      *slog.Logger
	// Toolchain finds a toolchain by its name; nil is [registry.ByName].
	Toolchain func(name string) (kit.Toolchain, bool)
	// Lock pins base images; nil takes what their names mean now.
	Lock *ImageLock
	// BuildLogs is the folder of build logs, one a layer; empty keeps none.
	BuildLogs string
	// Budget is what runs and builds share; nil never waits.
	Budget        *Budget
	locks         pipeline.Keyed
	cached, built atomic.Int64
}

// DefaultAttempts is one run and the reruns that fill in what a crash hid.
const DefaultAttempts = 12

// Request is one target's run.
type Request struct {
	Repository string
	Recipe     schema.Recipe
	Image      string // id or name
	// Workspace is the host folder that holds every repository's tree at owner/name.
	Workspace string
	// Reference is such a folder with the targets at gold, which decides what of
	// Workspace's trees may not (see [kit.Job]); empty is Workspace.
	Reference string
	// Siblings are the other targets: they are laid beside the target and wired to it.
	Siblings []string
	// Context are repositories that are laid and not wired.
	Context []string
	// HiddenFiles are the files the hidden tests touch; they choose what runs.
	HiddenFiles []string
	// Watched are files of the target's tree that are read back after each run, to see
	// whether it changed them; paths from the repository's root.
	Watched []string
	// Data are files that the tests may read beside the watched ones. They are read back,
	// too, but belong to the run's user.
	Data []string
	// Foreign lays the watched files as another user's, which the run's can't write: one
	// that is as it was and yet the run's own counts as changed.
	Foreign bool
	// Selection is what runs, where it is known already.
	Selection *kit.Selection
	// Expected are ids that must get an outcome of their own if they exist.
	Expected []string
	Env      map[string]string
	Labels   map[string]string
	// Laid holds the trees for this and other runs; nil copies them in.
	Laid *Workspace
	// Journal keeps runs as they end; nil keeps none.
	Journal Journal
	// Limits go before the runner's, one by one, where they are set.
	Limits sandbox.Limits
	// HangAfter is how long tests may take before their runner, where it can, ends those
	// that hang, reports them and goes on: less than the limit of the whole run, which
	// ends all. 0, or more than the runner gives anyway, changes nothing.
	HangAfter time.Duration
	// Alone waits until no other run of the runner's budget is under way, and lets none
	// begin beside it.
	Alone bool
	// EndAtTimeout ends the request with the first run that meets the time limit: what it
	// hid is not asked for again.
	EndAtTimeout bool
	// Doubt runs a test by itself where only its runner's fall speaks against it: base must
	// have said so itself.
	Doubt  bool
	stress *Stress
}

// runnersPatience is the least that runners of ours give their tests where no recipe
// says more: Go's own ten minutes.
const runnersPatience = 10 * time.Minute

// Run runs a target's tests. An error is our trouble (see [sandbox.IsInfra]);
// what the tests did is in the report.
func (r *Runner) Run(ctx context.Context, q Request) (*Report, error) {
	job, tc, err := r.job(q)
	if err != nil {
		return nil, err
	}
	rep := &Report{Selection: job.Selection}
	m := newMerge(q.Expected)
	m.doubt = q.Doubt
	for len(rep.Attempts) < cmp.Or(r.Attempts, DefaultAttempts) {
		var more bool
		if job.Skip, job.Only, more = m.next(); !more {
			break
		}
		job.Canary, job.Shuffle, job.Sources = random(), q.stress.seed(), len(q.Watched) > 0
		plan, err := tc.Plan(job)
		if err != nil {
			return nil, fmt.Errorf("planning the run of %s: %w", q.Repository, err)
		}
		a, err := r.ended(ctx, q, len(rep.Attempts)+1, job.Skip, job.Only, func() (Attempt, error) {
			return r.attempt(ctx, q, tc, plan, nameLines(tc, job))
		})
		if err != nil {
			return nil, fmt.Errorf("running the tests of %s: %w", q.Repository, err)
		}
		a.Whole = plan.Whole
		a.Taken = m.add(a)
		rep.Attempts, rep.Notes = append(rep.Attempts, a), plan.Notes
		if q.EndAtTimeout && a.TimedOut {
			break
		}
	}
	rep.Results = m.results()
	return rep, nil
}

// Select names what runs for a request.
func (r *Runner) Select(q Request) (kit.Selection, error) {
	job, _, err := r.job(q)
	return job.Selection, err
}

func (r *Runner) toolchain(recipe schema.Recipe) (kit.Toolchain, error) {
	find := r.Toolchain
	if find == nil {
		find = registry.ByName
	}
	tc, ok := find(recipe.Toolchain)
	if !ok {
		return nil, fmt.Errorf("the recipe names no toolchain that there is: %q", recipe.Toolchain)
	}
	return tc, nil
}

func (r *Runner) job(q Request) (kit.Job, kit.Toolchain, error) {
	tc, err := r.toolchain(q.Recipe)
	if err != nil {
		return kit.Job{}, nil, fmt.Errorf("%s: %w", q.Repository, err)
	}
	tree, reference, err := q.trees(q.Repository)
	if err != nil {
		return kit.Job{}, nil, err
	}
	job := kit.Job{Recipe: q.Recipe, Repository: q.Repository, Tree: tree, Reference: reference}
	if after := q.HangAfter; after > 0 && after < cmp.Or(time.Duration(q.Recipe.Timeout)*time.Second, runnersPatience) {
		job.Recipe.Timeout = max(1, int(after/time.Second))
	}
	for _, s := range q.Siblings {
		t, at, err := q.trees(s)
		if err != nil {
			return kit.Job{}, nil, err
		}
		job.Siblings = append(job.Siblings, kit.Sibling{Repository: s, Tree: t, Reference: at})
	}
	if q.Selection != nil {
		job.Selection = *q.Selection
	} else if job.Selection, err = kit.Choose(tc, tree, q.Recipe, q.HiddenFiles); err != nil {
		return kit.Job{}, nil, fmt.Errorf("choosing the tests of %s: %w", q.Repository, err)
	}
	return job, tc, nil
}

// trees are a repository's tree in the workspace and, where there is one, its reference.
func (q Request) trees(repository string) (tree, reference kit.Tree, err error) {
	name := filepath.FromSlash(repository)
	if tree, err = DirTree(filepath.Join(q.Workspace, name)); err == nil && q.Reference != "" {
		reference, err = DirTree(filepath.Join(q.Reference, name))
	}
	if err != nil {
		return nil, nil, fmt.Errorf("reading the tree of %s: %w", repository, err)
	}
	return tree, reference, nil
}

// Folders inside a sandbox, from its root.
const (
	workspaceDir = "/workspace"
	scratchDir   = "/tmp/wideswe/tmp"
	homeDir      = "/home/wideswe"
)

// phaseFile tells which part of the script was reached.
const phaseFile = ".phase"

func (r *Runner) attempt(ctx context.Context, q Request, tc kit.Toolchain, plan kit.Plan, names []string) (
	Attempt, error) {
	limits := q.stress.limits(first(q.Limits, r.Limits))
	if q.Recipe.Timeout > 0 {
		limits.Timeout = time.Duration(q.Recipe.Timeout) * time.Second
	}
	// The folder's name is new in each run, so that no patch can lay a report there.
	out := "/tmp/wideswe/out-" + random()
	spec := sandbox.Spec{
		Image: q.Image, Dir: path.Join(workspaceDir, q.Repository), Out: out, Limits: limits, Labels: q.Labels,
		Script: runScript(plan, append(q.stress.lines(tc), names...)...), Env: environment(q.Repository, out, plan, q.Env),
		In: q.sources(),
	}
	if q.Laid != nil {
		laid, err := q.Laid.lay(ctx)
		if err != nil {
			return Attempt{}, err
		}
		spec.Image, spec.In = laid.Image, laid.In
	}
	q.stress.widen(&spec)
	release, err := r.take(ctx, q, limits)
	if err != nil {
		return Attempt{}, err
	}
	defer release()
	if spec.Services, err = r.services(ctx, q.Recipe); err != nil {
		return Attempt{}, err
	}
	var changed []string
	if len(q.Watched) > 0 {
		spec.After = func(ctx context.Context, _ sandbox.Result, left sandbox.Left) (err error) {
			changed, err = q.changedFiles(ctx, left)
			return err
		}
	}
	started := time.Now().UTC()
	res, err := r.Backend.Run(ctx, spec)
	if err != nil {
		var missing *sandbox.MissingImageError
		if q.Laid != nil && errors.As(err, &missing) && missing.Name == spec.Image {
			q.Laid.Close() // the next run lays it anew
		}
		return Attempt{}, notServed(q.Repository, err)
	}
	a := Attempt{ExitCode: res.ExitCode, TimedOut: res.TimedOut, OOM: res.OOM, NetworkOff: res.NetworkOff,
		Started:  started,
		Duration: res.Duration, Output: res.Output, Truncated: res.Truncated, Changed: changed}
	a.Unread = q.unreadFiles(plan.Sources, res.Files)
	if len(names) > 0 {
		a.Names = q.readNames(res)
	}
	err = judge(&a, res, plan)
	a.Output = withLogs(append([]byte(canaryNotice(plan)), a.Output...), res.Services)
	return a, err
}

// first takes each limit from l, and from the other where l does not set it.
func first(l, other sandbox.Limits) sandbox.Limits {
	return sandbox.Limits{Memory: cmp.Or(l.Memory, other.Memory), CPUs: cmp.Or(l.CPUs, other.CPUs), Pids: cmp.Or(l.Pids,
		other.Pids),
		Timeout: cmp.Or(l.Timeout, other.Timeout), Output: cmp.Or(l.Output, other.Output), FileSize: cmp.Or(l.FileSize,
			other.FileSize),
		Disk: cmp.Or(l.Disk, other.Disk), OutBytes: cmp.Or(l.OutBytes, other.OutBytes), OutFiles: cmp.Or(l.OutFiles,
			other.OutFiles)}
}

func (r *Runner) take(ctx context.Context, q Request, l sandbox.Limits) (func(), error) {
	if q.Alone {
		return r.Budget.TakeAll(ctx)
	}
	return r.Budget.Take(ctx, l)
}

// runScript is the whole run in one shell, so that what wiring exports reaches the
// tests. The braces make the shell read all of it before it runs any: a shell reads
// a long script as it goes, and the tests may write to the file it lies in.
func runScript(p kit.Plan, before ...string) string {
	phase := func(name string, lines ...string) string {
		return fmt.Sprintf("echo %s > \"$WIDESWE_OUT/%s\"\n%s\n", name, phaseFile, strings.Join(lines, "\n"))
	}
	return "{\nmkdir -p \"$WIDESWE_TMP\"\n" + phase("wire", p.Wire...) + phase("build", p.Build...) +
		phase("test", append(before, p.Test)...) + "exit\n}\n"
}

func environment(repository, out string, p kit.Plan, more map[string]string) map[string]string {
	env := map[string]string{"LANG": "C.UTF-8", "TZ": "UTC", "HOME": homeDir}
	maps.Copy(env, p.Env)
	maps.Copy(env, more)
	env["WIDESWE_WORKSPACE"] = sandbox.Root + workspaceDir
	env["WIDESWE_REPO"] = sandbox.Root + path.Join(workspaceDir, repository)
	env["WIDESWE_TMP"] = sandbox.Root + scratchDir
	env["WIDESWE_OUT"] = sandbox.Root + out
	return env
}

// sources lists the trees that a run gets.
// sources are the trees of a workspace that a run gets.
func (q Request) sources() []sandbox.Source {
	all := append([]string{q.Repository}, slices.Concat(q.Siblings, q.Context)...)
	slices.Sort(all)
	var in []sandbox.Source
	for _, name := range slices.Compact(all) {
		s := sandbox.Source{Path: path.Join(workspaceDir, name), Dir: filepath.Join(q.Workspace, filepath.FromSlash(name))}
		if name == q.Repository && q.Foreign {
			s.Foreign = q.Watched
		}
		in = append(in, s)
	}
	return in
}

func random() string {
	var b [12]byte
	_, _ = rand.Read(b[:]) // never fails, see crypto/rand
	return hex.EncodeToString(b[:])
}
