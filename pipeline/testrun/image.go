package testrun

import (
	"cmp"
	"context"
	"errors"
	"io"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/sandbox"
	"github.com/wideswe/wideswe/pipeline/toolchain"
	"github.com/wideswe/wideswe/schema"
)

// imageRules changes when the same input would now make another image.
const imageRules = "1"

// ImageRequest says for what an image is.
type ImageRequest struct {
	Repository string
	Recipe     schema.Recipe
	// BaseWorkspace and GoldWorkspace hold every target's tree at owner/name, at
	// base and at gold, both with the hidden tests.
	BaseWorkspace string
	GoldWorkspace string
	Siblings      []string
	HiddenFiles   []string
	Selection     *toolchain.Selection
	Log           io.Writer
}

// Image is an image for one target.
type Image struct {
	ID     string
	Name   string
	Base   string // the base image's name
	BaseID string
	Key    string
	Cached bool
	Steps  []sandbox.Step // what made it, for a Dockerfile; empty sources
	Took   time.Duration
}

// EnsureImage makes the image a target's tests run in, or finds it. Packages and
// dependencies are fetched with the network on, at base and at gold, so that both
// find theirs; caches are filled at base only, so that none holds the gold change.
// Nothing of the repositories' trees stays. A failing step is a [sandbox.BuildError].
func (r *Runner) EnsureImage(ctx context.Context, q ImageRequest) (Image, error) {
	begun := time.Now()
	base, baseID, err := r.baseImage(ctx, q.Recipe.Image)
	if err != nil {
		return Image{}, err
	}
	spec, err := r.targetSpec(ctx, q, baseID)
	if err != nil {
		return Image{}, err
	}
	img := Image{Name: spec.Name, Base: base, BaseID: baseID, Key: spec.Key, Steps: recorded(spec.Steps)}
	defer r.locks.lock(spec.Key)()
	found, err := r.Backend.FindImage(ctx, spec.Key)
	if err == nil && found.ID == "" {
		found, err = r.build(ctx, q, base, baseID, spec)
	} else {
		img.Cached = true
	}
	img.ID, img.Name, img.Took = found.ID, cmp.Or(found.Name, spec.Name), time.Since(begun)
	return img, err
}

// baseImage finds the image that a recipe names: what the person's images say, else
// the image of that name, else, for debian:SUITE on a machine without a registry,
// the one that scripts/base-image makes.
func (r *Runner) baseImage(ctx context.Context, name string) (base, id string, err error) {
	if local, ok := r.Images[name]; ok {
		id, err = r.Backend.ImageID(ctx, local)
		return local, id, err
	}
	id, err = r.Backend.ImageID(ctx, name)
	suite, debian := strings.CutPrefix(name, "debian:")
	var missing *sandbox.MissingImageError
	if !debian || !errors.As(err, &missing) {
		return name, id, err
	}
	local := "wideswe/base:" + suite
	if id, localErr := r.Backend.ImageID(ctx, local); localErr == nil {
		return local, id, nil
	}
	return name, "", err
}

// build makes the packages' image, which targets with the same packages share,
// and on it the target's.
func (r *Runner) build(ctx context.Context, q ImageRequest, base, baseID string, spec sandbox.ImageSpec) (sandbox.Image, error) {
	env, err := r.packagesImage(ctx, q, base, baseID)
	if err != nil {
		return sandbox.Image{}, err
	}
	spec.Base = env.ID
	return r.tryBuild(ctx, spec)
}

func (r *Runner) packagesImage(ctx context.Context, q ImageRequest, base, baseID string) (sandbox.Image, error) {
	packages := slices.Compact(slices.Sorted(slices.Values(q.Recipe.Packages)))
	key := pipeline.Hash("packages", imageRules, baseID, packages)
	defer r.locks.lock(key)()
	if found, err := r.Backend.FindImage(ctx, key); err != nil || found.ID != "" {
		return found, err
	}
	return r.tryBuild(ctx, sandbox.ImageSpec{
		Base: base, Name: "wideswe/packages:" + key, Key: key, Limits: r.buildLimits(), Log: q.Log,
		BuildEnv: r.BuildEnv, BuildFiles: r.BuildFiles,
		Steps: []sandbox.Step{{Name: "packages", User: "0:0", Network: true, Script: packagesScript(packages),
			Env: map[string]string{"DEBIAN_FRONTEND": "noninteractive", "LANG": "C.UTF-8", "HOME": "/root"}}},
	})
}

// packagesScript makes the account and installs what the image lacks; an image
// that has everything needs no network.
func packagesScript(packages []string) string {
	var words []string
	for _, p := range packages {
		words = append(words, sandbox.Quote(p))
	}
	return `if ! grep -q '^[^:]*:[^:]*:1000:' /etc/passwd; then
	echo 'wideswe:x:1000:1000:wideswe:` + homeDir + `:/bin/sh' >> /etc/passwd
	grep -q '^[^:]*:[^:]*:1000:' /etc/group || echo 'wideswe:x:1000:' >> /etc/group
fi
mkdir -p ` + homeDir + ` ` + workspaceDir + `
chown 1000:1000 ` + homeDir + ` ` + workspaceDir + `
lacking=
for p in ` + strings.Join(words, " ") + `; do
	dpkg-query -W -f '${Status}' "$p" 2>/dev/null | grep -q 'ok installed' || lacking="$lacking $p"
done
if [ -n "$lacking" ]; then
	apt-get update -q
	apt-get install -q -y --no-install-recommends $lacking
	apt-get clean
	rm -rf /var/lib/apt/lists/*
fi
`
}

// tryBuild builds, twice where the network did not answer.
func (r *Runner) tryBuild(ctx context.Context, spec sandbox.ImageSpec) (sandbox.Image, error) {
	for try := 1; ; try++ {
		img, err := r.Backend.BuildImage(ctx, spec)
		var b *sandbox.BuildError
		if err == nil || !errors.As(err, &b) || !b.Transient() {
			return img, err
		}
		if try == 3 {
			return img, &sandbox.InfraError{Op: "building an image", Err: err}
		}
		select {
		case <-ctx.Done():
			return img, ctx.Err()
		case <-time.After(time.Duration(try) * 5 * time.Second):
		}
	}
}

// targetSpec plans the image of a target; its key covers all that decides it.
func (r *Runner) targetSpec(ctx context.Context, q ImageRequest, baseID string) (sandbox.ImageSpec, error) {
	at := func(workspace string) (toolchain.Plan, error) {
		job, tc, err := r.job(Request{Repository: q.Repository, Recipe: q.Recipe, Workspace: workspace, Siblings: q.Siblings,
			HiddenFiles: q.HiddenFiles, Selection: q.Selection})
		if err != nil {
			return toolchain.Plan{}, err
		}
		return tc.Plan(job)
	}
	base, err := at(q.BaseWorkspace)
	if err != nil {
		return sandbox.ImageSpec{}, err
	}
	gold, err := at(q.GoldWorkspace)
	if err != nil {
		return sandbox.ImageSpec{}, err
	}
	key, err := imageKey(ctx, q, baseID, base, gold)
	if err != nil {
		return sandbox.ImageSpec{}, err
	}
	step := func(name, workspace string, network bool, p toolchain.Plan, lines ...string) sandbox.Step {
		return sandbox.Step{Name: name, Dir: path.Join(workspaceDir, q.Repository), Network: network, Env: stepEnv(q.Repository, p),
			Script: "mkdir -p \"$WIDESWE_TMP\" \"$WIDESWE_OUT\"\n" + strings.Join(append(slices.Clone(p.Wire), lines...), "\n") + "\n",
			In:     sources(workspace, q.Repository, q.Siblings)}
	}
	return sandbox.ImageSpec{
		Name: "wideswe/" + strings.ToLower(schema.FileName(q.Repository)) + ":" + key, Key: key,
		Limits: r.buildLimits(), Log: q.Log, BuildEnv: r.BuildEnv, BuildFiles: r.BuildFiles,
		Clear: []string{workspaceDir, "/tmp/wideswe"},
		Steps: []sandbox.Step{
			step("setup at base", q.BaseWorkspace, true, base, base.Setup...),
			step("setup at gold", q.GoldWorkspace, true, gold, gold.Setup...),
			step("warm at base", q.BaseWorkspace, false, base, warm(base)),
		},
	}, nil
}

// warm fills caches; where it does not work the tests only start slower.
func warm(p toolchain.Plan) string {
	if len(p.Warm) == 0 {
		return ":"
	}
	return "(\nset -e\n" + strings.Join(p.Warm, "\n") + "\n) || echo 'warming ended badly; that only costs time'"
}

func stepEnv(repository string, p toolchain.Plan) map[string]string {
	return environment(repository, "/tmp/wideswe/out", p, nil)
}

func imageKey(ctx context.Context, q ImageRequest, baseID string, base, gold toolchain.Plan) (string, error) {
	repositories := append([]string{q.Repository}, q.Siblings...)
	slices.Sort(repositories)
	baseTrees, err := treesDigest(ctx, q.BaseWorkspace, repositories)
	if err != nil {
		return "", err
	}
	goldTrees, err := treesDigest(ctx, q.GoldWorkspace, repositories)
	if err != nil {
		return "", err
	}
	recipe := q.Recipe
	recipe.Why = nil // reasons decide nothing
	parts := func(p toolchain.Plan) []any { return []any{p.Env, p.Wire, p.Setup, p.Warm} }
	return pipeline.Hash("target", imageRules, baseID, recipe, q.Repository, baseTrees, goldTrees, parts(base), parts(gold)), nil
}

func (r *Runner) buildLimits() sandbox.Limits {
	l := r.Limits
	l.Timeout = max(l.Timeout, time.Hour) // downloads take the time they take
	return l
}

func recorded(steps []sandbox.Step) []sandbox.Step {
	out := slices.Clone(steps)
	for i := range out {
		out[i].In = nil
	}
	return out
}

// locks serializes the making of equal images.
type locks struct {
	mu   sync.Mutex
	keys map[string]*sync.Mutex
}

func (l *locks) lock(key string) (unlock func()) {
	l.mu.Lock()
	if l.keys == nil {
		l.keys = map[string]*sync.Mutex{}
	}
	m := l.keys[key]
	if m == nil {
		m = &sync.Mutex{}
		l.keys[key] = m
	}
	l.mu.Unlock()
	m.Lock()
	return m.Unlock
}
