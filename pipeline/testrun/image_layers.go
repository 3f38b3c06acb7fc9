package testrun

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/sandbox"
	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
	"github.com/wideswe/wideswe/pipeline/toolchain/registry"
	"github.com/wideswe/wideswe/schema"
)

// The stages of an image.
const (
	stagePackages     = "packages"
	stageDependencies = "dependencies"
	stageWarm         = "warm"
)

// layers plans the images of a target's chain, each under a key of all that decides it.
func (r *Runner) layers(ctx context.Context, q ImageRequest, on BaseImage) ([]layer, error) {
	base, err := r.imagePlan(q, q.BaseWorkspace)
	if err != nil {
		return nil, err
	}
	gold, err := r.imagePlan(q, q.GoldWorkspace)
	if err != nil {
		return nil, err
	}
	packages := slices.Compact(slices.Sorted(slices.Values(q.Recipe.Packages)))
	list := []layer{{stagePackages, r.packagesSpec(q, pipeline.Hash(stagePackages, imageRules, on.ID, packages),
		packages)}}
	key, err := r.dependenciesKey(ctx, q, list[0].spec.Key, base, gold)
	if err != nil {
		return nil, err
	}
	list = append(list, layer{stageDependencies, r.targetSpec(q, stageDependencies, key,
		r.step(q, "setup at base", q.BaseWorkspace, true, base, base.Setup...),
		r.step(q, "setup at gold", q.GoldWorkspace, true, gold, gold.Setup...))})
	if len(base.Warm) == 0 {
		return list, nil
	}
	plain := q.PlainWorkspace
	if plain == "" {
		plain = q.BaseWorkspace
	}
	trees, err := treesDigest(ctx, plain, q.repositories())
	if err != nil {
		return nil, err
	}
	key = pipeline.Hash(stageWarm, imageRules, key, trees, base.Env, base.Wire, base.Warm)
	return append(list, layer{stageWarm, r.targetSpec(q, stageWarm, key, r.step(q, "warm at base", plain, false, base,
		warm(base)))}), nil
}

func (q ImageRequest) repositories() []string {
	list := append([]string{q.Repository}, q.Siblings...)
	slices.Sort(list)
	return slices.Compact(list)
}

func (r *Runner) imagePlan(q ImageRequest, workspace string) (kit.Plan, error) {
	job, tc, err := r.job(Request{Repository: q.Repository, Recipe: q.Recipe, Workspace: workspace, Siblings: q.Siblings,
		HiddenFiles: q.HiddenFiles, Selection: q.Selection})
	if err != nil {
		return kit.Plan{}, err
	}
	return tc.Plan(job)
}

func (r *Runner) packagesSpec(q ImageRequest, key string, packages []string) sandbox.ImageSpec {
	return sandbox.ImageSpec{
		Name: "wideswe/packages:" + key, Key: key, Limits: r.buildLimits(q), BuildEnv: r.BuildEnv, BuildFiles: r.BuildFiles,
		Steps: []sandbox.Step{{Name: stagePackages, User: "0:0", Network: true, Script: packagesScript(packages),
			Env: map[string]string{"DEBIAN_FRONTEND": "noninteractive", "LANG": "C.UTF-8", "HOME": "/root"}}},
	}
}

func (r *Runner) targetSpec(q ImageRequest, stage, key string, steps ...sandbox.Step) sandbox.ImageSpec {
	return sandbox.ImageSpec{
		Name: "wideswe/" + strings.ToLower(schema.FileName(q.Repository)) + ":" + stage + "-" + key, Key: key,
		Limits: r.buildLimits(q), BuildEnv: r.BuildEnv, BuildFiles: r.BuildFiles,
		Clear: []string{workspaceDir, "/tmp/wideswe"}, Steps: steps,
	}
}

func (r *Runner) step(q ImageRequest, name, workspace string, network bool, p kit.Plan, lines ...string) sandbox.Step {
	return sandbox.Step{Name: name, Dir: path.Join(workspaceDir, q.Repository), Network: network,
		Env: stepEnv(q.Repository, p),
		Script: "mkdir -p \"$WIDESWE_TMP\" \"$WIDESWE_OUT\"\n" + strings.Join(append(slices.Clone(p.Wire), lines...), "\n") +
			"\n",
		In: Request{Workspace: workspace, Repository: q.Repository, Siblings: q.Siblings}.sources()}
}

// dependenciesKey digests what decides the dependencies: the lines that fetch them
// and what they read. Reasons in the recipe, the tests that run and the sources
// decide nothing, so that a repository's tasks share what they can.
func (r *Runner) dependenciesKey(ctx context.Context, q ImageRequest, packages string, base, gold kit.Plan) (string,
	error) {
	atBase, err := r.manifestsDigest(ctx, q, q.BaseWorkspace, base)
	if err != nil {
		return "", err
	}
	atGold, err := r.manifestsDigest(ctx, q, q.GoldWorkspace, gold)
	if err != nil {
		return "", err
	}
	lines := func(p kit.Plan) []any { return []any{p.Env, p.Wire, p.Setup} }
	return pipeline.Hash(stageDependencies, imageRules, packages, q.Repository, lines(base), lines(gold), atBase, atGold),
		nil
}

// manifestsDigest digests the files that decide what setup fetches, of the target
// and of its siblings; of a tree whose toolchain can't tell them, every file.
func (r *Runner) manifestsDigest(ctx context.Context, q ImageRequest, workspace string, p kit.Plan) (string, error) {
	h := sha256.New()
	for _, repository := range q.repositories() {
		files := p.Manifests
		if repository != q.Repository {
			files = nil
			if len(p.Manifests) > 0 {
				files = r.siblingManifests(q, workspace, repository)
			}
		}
		if err := manifests(ctx, h, workspace, repository, files); err != nil {
			return "", fmt.Errorf("reading the tree of %s: %w", repository, err)
		}
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// siblingManifests are a sibling's manifests as the target's toolchain sees them:
// alone, by the recipe it detects, with no tests chosen.
func (r *Runner) siblingManifests(q ImageRequest, workspace, repository string) []string {
	find := r.Toolchain
	if find == nil {
		find = registry.ByName
	}
	tc, ok := find(q.Recipe.Toolchain)
	tree, err := DirTree(filepath.Join(workspace, filepath.FromSlash(repository)))
	if !ok || err != nil {
		return nil
	}
	recipe, ok := tc.Detect(tree)
	if !ok {
		return nil
	}
	plan, err := tc.Plan(kit.Job{Recipe: recipe, Repository: repository, Tree: tree})
	if err != nil {
		return nil
	}
	return plan.Manifests
}

func manifests(ctx context.Context, h io.Writer, workspace, repository string, files []string) error {
	fmt.Fprintf(h, "repository %q\n", repository)
	dir := filepath.Join(workspace, filepath.FromSlash(repository))
	if len(files) == 0 {
		return digestDir(ctx, h, dir)
	}
	tree := &dirTree{dir: dir}
	for _, name := range files {
		data, err := tree.Read(name)
		if err != nil {
			return err
		}
		fmt.Fprintf(h, "%q %d\n", name, len(data))
		_, _ = h.Write(data)
	}
	return nil
}
