package testrun

import (
	"cmp"
	"context"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/buildfailure"
	"github.com/wideswe/wideswe/pipeline/sandbox"
	"github.com/wideswe/wideswe/pipeline/sandbox/image"
	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
	"github.com/wideswe/wideswe/pipeline/toolchain/registry"
	"github.com/wideswe/wideswe/schema"
)

// imageRules changes when the same input would now make another image.
const imageRules = "2"

// ImageRequest says for what an image is.
type ImageRequest struct {
	Repository string
	Recipe     schema.Recipe
	// BaseWorkspace and GoldWorkspace hold every target's tree at owner/name, at
	// base and at gold, both with the hidden tests.
	BaseWorkspace string
	GoldWorkspace string
	// PlainWorkspace is base without the hidden tests, from which caches are filled,
	// so that none holds a hidden test; empty is BaseWorkspace.
	PlainWorkspace string
	Siblings       []string
	HiddenFiles    []string
	Selection      *kit.Selection
	// Task is written on images made for it.
	Task string
	Log  io.Writer
	// Limits go before the runner's, one by one, where they are set.
	Limits sandbox.Limits
}

// Image is an image for one target.
type Image struct {
	ID     string
	Name   string
	Base   string // the base image's name
	BaseID string
	Pin    string // the base image's digest or id, see [ImageLock]
	Key    string
	Cached bool           // nothing was built
	Layers []ImageLayer   // from the base up
	Steps  []sandbox.Step // what made it above the packages, for a Dockerfile; empty sources
	Took   time.Duration
}

// ImageLayer is one image of the chain that a target's image ends.
type ImageLayer struct {
	Stage  string // packages, dependencies, warm
	ID     string
	Name   string
	Key    string
	Cached bool
	Log    string // the build log's file in [Runner.BuildLogs]
	Took   time.Duration
}

// layer is one image that is to be there.
type layer struct {
	stage string
	spec  sandbox.ImageSpec
}

// EnsureImage makes the image a target's tests run in, or finds it: the packages,
// which targets with the same base and packages share; on them the dependencies,
// fetched with the network on, at base and at gold, so that both find theirs, and
// shared by targets whose manifests and setup agree; on them caches, filled offline
// and at base only, so that none holds the gold change. Siblings are wired in
// throughout, so that gold's pin of a sibling's release is never fetched. Nothing of
// the repositories' trees stays. A failing step is a [sandbox.BuildError].
func (r *Runner) EnsureImage(ctx context.Context, q ImageRequest) (Image, error) {
	begun := time.Now()
	for try := 1; ; try++ {
		img, err := r.chain(ctx, q)
		img.Took = time.Since(begun)
		var gone *layerGoneError
		if !errors.As(err, &gone) || ctx.Err() != nil {
			return img, err
		}
		if try == 3 {
			return img, &sandbox.InfraError{Op: "making an image", Err: err}
		}
	}
}

// layerGoneError is an image that was there when the next one was to be made on it,
// and was removed before that: the chain is begun anew.
type layerGoneError struct{ error }

func (e *layerGoneError) Unwrap() error { return e.error }

// chain makes or finds the images of a target, each on the one before.
func (r *Runner) chain(ctx context.Context, q ImageRequest) (Image, error) {
	base, err := r.Base(ctx, q.Recipe.Image)
	if err != nil {
		return Image{}, err
	}
	img := Image{Base: base.Serves, BaseID: base.ID, Pin: base.Pin, Cached: true, ID: base.ID}
	layers, err := r.layers(ctx, q, base)
	if err != nil {
		return img, err
	}
	for _, l := range layers {
		if l.stage != stagePackages {
			img.Steps = append(img.Steps, recorded(l.spec.Steps)...)
		}
	}
	for _, l := range layers {
		done, err := r.layer(ctx, q, l, img.ID)
		img.Layers = append(img.Layers, done)
		var missing *sandbox.MissingImageError
		if errors.As(err, &missing) {
			err = &layerGoneError{err}
		}
		if err != nil {
			return img, err
		}
		img.ID, img.Name, img.Key = done.ID, done.Name, done.Key
		img.Cached = img.Cached && done.Cached
	}
	return img, nil
}

// layer finds or builds one image on another.
func (r *Runner) layer(ctx context.Context, q ImageRequest, l layer, on string) (ImageLayer, error) {
	begun := time.Now()
	done := ImageLayer{Stage: l.stage, Name: l.spec.Name, Key: l.spec.Key, Log: l.stage + "-" + l.spec.Key + ".log"}
	defer r.locks.Lock(l.spec.Key)()
	making := image.Making{Store: r.Backend, Take: r.Budget.Take}
	if r.BuildLogs != "" {
		making.Log = filepath.Join(r.BuildLogs, done.Log)
	}
	found, cached, err := making.FindOrBuild(ctx, q.spec(l, on))
	if image.IsTransient(err) {
		err = &sandbox.InfraError{Op: "building an image", Err: err}
	}
	r.countLayer(cached)
	done.Cached = cached
	done.ID, done.Name, done.Took = found.ID, cmp.Or(found.Name, l.spec.Name), time.Since(begun)
	return done, err
}

// spec is a layer's, on the image below.
func (q ImageRequest) spec(l layer, on string) sandbox.ImageSpec {
	spec := l.spec
	spec.Base, spec.Log, spec.Explain = on, q.Log, buildfailure.Explainer(registry.BuildFailures()...)
	spec.Labels = map[string]string{image.LabelStage: l.stage, image.LabelVersion: RuleVersion}
	if l.stage != stagePackages {
		spec.Labels[image.LabelRepository], spec.Labels[image.LabelTask] = q.Repository, q.Task
	}
	return spec
}

func (r *Runner) countLayer(cached bool) {
	if cached {
		r.cached.Add(1)
	} else {
		r.built.Add(1)
	}
}

// LayerCounts says how many layers were found and how many had to be built.
func (r *Runner) LayerCounts() (cached, built int64) { return r.cached.Load(), r.built.Load() }

// packagesScript makes the account and installs what the image lacks; an image
// that has everything needs no network.
func packagesScript(packages []string) string {
	return `if ! grep -q '^[^:]*:[^:]*:1000:' /etc/passwd; then
	echo 'wideswe:x:1000:1000:wideswe:` + homeDir + `:/bin/sh' >> /etc/passwd
	grep -q '^[^:]*:[^:]*:1000:' /etc/group || echo 'wideswe:x:1000:' >> /etc/group
fi
mkdir -p ` + homeDir + ` ` + workspaceDir + `
chown 1000:1000 ` + homeDir + ` ` + workspaceDir + `
lacking=
for p in ` + pipeline.ShellWords(packages) + `; do
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

// warm fills caches; where it does not work the tests only start slower.
func warm(p kit.Plan) string {
	if len(p.Warm) == 0 {
		return ":"
	}
	return "(\nset -e\n" + strings.Join(p.Warm, "\n") + "\n) || echo 'warming ended badly; that only costs time'"
}

func stepEnv(repository string, p kit.Plan) map[string]string {
	return environment(repository, "/tmp/wideswe/out", p, nil)
}

func (r *Runner) buildLimits(q ImageRequest) sandbox.Limits {
	l := first(q.Limits, r.Limits)
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
