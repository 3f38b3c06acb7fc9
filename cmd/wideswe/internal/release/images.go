package release

import (
	"context"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/wideswe/wideswe/cmd/wideswe/internal/env"
	"github.com/wideswe/wideswe/cmd/wideswe/internal/render"
	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/release"
	"github.com/wideswe/wideswe/pipeline/sandbox/docker"
	"github.com/wideswe/wideswe/schema"
)

// newImagesCommand returns wideswe release images.
func newImagesCommand(e *env.Env) *cobra.Command {
	c := &cobra.Command{
		Use: "images", Args: cobra.NoArgs,
		Short: "Bring the images of a release to where it is evaluated, in it or by a registry",
		Long: `An evaluation runs in the images that the release was validated in, where the engine has
them; else it makes them anew, with the network on. Saved into the release, they go with it:
with the sources (wideswe export --with-sources) nothing of the network is needed then.
An agent that works on several targets at once does so in an image that has what the tests of
all of them need: save and push make those, too, with --agents.
Pushed to a registry, the release says by digest where they are.`,
		Example: `  wideswe release images save --release release                             # where it was validated
  wideswe release images load --release release                             # where it is evaluated
  wideswe release images push --release release --to registry.example/bench # or this way: there
  wideswe release images pull --release release                             # and here`,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	c.AddCommand(newSaveCommand(e), newLoadCommand(e), newPushCommand(e), newPullCommand(e))
	return c
}

// releaseImages is a release, the engine, and the release's images, whose names are by id.
type releaseImages struct {
	release *release.Release
	engine  *docker.Sandbox
	names   map[string]string
}

func openImages(ctx context.Context, e *env.Env, dir string) (*releaseImages, error) {
	rel, err := e.OpenRelease(dir)
	if err != nil {
		return nil, err
	}
	r := &releaseImages{release: rel, names: map[string]string{}}
	list, err := rel.Images()
	if err != nil {
		return nil, err
	}
	for _, i := range list {
		r.names[i.ID] = i.Image
	}
	agents, err := rel.AgentImages()
	if err != nil {
		return nil, err
	}
	for _, i := range agents {
		r.names[i.ID] = i.Image
	}
	if len(r.names) == 0 {
		return nil, pipeline.Usage("no task of %s was validated in an image: the process sandbox has none", dir)
	}
	r.engine, err = e.OpenDocker(ctx)
	return r, err
}

// ids lists the images' ids in order.
func (r *releaseImages) ids() []string { return slices.Sorted(maps.Keys(r.names)) }

// checkHere is an error where the engine lacks an image.
func (r *releaseImages) checkHere(ctx context.Context) error {
	for _, id := range r.ids() {
		if !r.engine.HasImage(ctx, id) {
			return pipeline.Need("the image %s (%s) is not here; save or push the images on the machine that validated "+
				"the release, or run wideswe validate --redo and export it anew", r.names[id], id)
		}
	}
	return nil
}

// saveOptions holds the flags of release images save.
type saveOptions struct {
	env    *env.Env
	dir    string
	agents agentImages
}

func newSaveCommand(e *env.Env) *cobra.Command {
	o := &saveOptions{env: e}
	c := &cobra.Command{
		Use: "save --release RELEASE", Args: cobra.NoArgs,
		Short: "Put the images that the tasks were validated in into the release",
		RunE:  func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context()) },
	}
	addReleaseFlag(c, &o.dir)
	o.agents.addTo(c)
	return c
}

func (o *saveOptions) run(ctx context.Context) error {
	r, err := o.agents.openWith(ctx, o.env, o.dir)
	if err != nil {
		return err
	}
	size, err := r.release.SaveImages(func(w io.Writer) error { return r.engine.SaveImages(ctx, r.ids(), w) })
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(o.env.Out, "%d images saved into %s, %s\n", len(r.names), o.dir, render.Bytes(size))
	return err
}

func newLoadCommand(e *env.Env) *cobra.Command {
	var dir string
	c := &cobra.Command{
		Use: "load --release RELEASE", Args: cobra.NoArgs,
		Short: "Load the images that were saved into the release",
		Long: `Load the images that were saved into the release. Each is checked by its id, which is a
digest of its content; an archive with other images in it, or with names, is refused.`,
		RunE: func(cmd *cobra.Command, _ []string) error { return load(cmd.Context(), e, dir) },
	}
	addReleaseFlag(c, &dir)
	return c
}

func load(ctx context.Context, e *env.Env, dir string) error {
	r, err := openImages(ctx, e, dir)
	if err != nil {
		return err
	}
	err = r.release.LoadImages(ctx, func(from io.Reader) error { return r.engine.LoadImages(ctx, from, r.names) })
	if err != nil {
		return err
	}
	return r.printHere(e)
}

// printHere prints that all images are here.
func (r *releaseImages) printHere(e *env.Env) error {
	_, err := fmt.Fprintf(e.Out, "%d images are here; an evaluation needs no network for them now\n", len(r.names))
	return err
}

// pushOptions holds the flags of release images push.
type pushOptions struct {
	env     *env.Env
	dir, to string
	agents  agentImages
}

func newPushCommand(e *env.Env) *cobra.Command {
	o := &pushOptions{env: e}
	c := &cobra.Command{
		Use: "push --release RELEASE --to REGISTRY/PATH", Args: cobra.NoArgs,
		Short: "Push the images that the tasks were validated in to a registry",
		Long: `Push the images that the tasks were validated in to a registry, and write into the release
where they are, by digest. What docker login keeps lets it in. What the registry has is not
sent again, so a push that was cut short is gone on with.`,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context()) },
	}
	addReleaseFlag(c, &o.dir)
	o.agents.addTo(c)
	c.Flags().StringVar(&o.to, "to", "", "the registry and a path in it, as registry.example/bench")
	return c
}

func (o *pushOptions) run(ctx context.Context) error {
	if o.to == "" {
		return pipeline.Usage("--to is missing: the registry and a path in it, as registry.example/bench")
	}
	r, err := o.agents.openWith(ctx, o.env, o.dir)
	if err != nil {
		return err
	}
	var list []schema.ImageReference
	for _, id := range r.ids() {
		reference, err := r.engine.PushImage(ctx, id, registryName(o.to, r.names[id], id))
		if err != nil {
			return err
		}
		fmt.Fprintln(o.env.Err, "pushed", reference)
		list = append(list, schema.ImageReference{Image: r.names[id], ID: id, Reference: reference})
	}
	if err := r.release.KeepReferences(list); err != nil {
		return err
	}
	_, err = fmt.Fprintf(o.env.Out, "%d images pushed to %s; %s says where they are\n", len(list), o.to, o.dir)
	return err
}

// registryName returns the name of an image in a registry: by its repository, and by its id, so that no two are taken
// for one.
func registryName(to, name, id string) string {
	name, _, _ = strings.Cut(path.Base(name), ":")
	name, _, _ = strings.Cut(name, "@")
	_, digest, _ := strings.Cut(id, ":")
	return strings.TrimSuffix(to, "/") + "/" + name + ":" + digest[:min(24, len(digest))]
}

// pullOptions holds the flags of release images pull.
type pullOptions struct {
	env       *env.Env
	dir, from string
}

func newPullCommand(e *env.Env) *cobra.Command {
	o := &pullOptions{env: e}
	c := &cobra.Command{
		Use: "pull --release RELEASE", Args: cobra.NoArgs,
		Short: "Pull the images from the registry that the release names",
		Long: `Pull the images from the registry that the release names, by digest. Each is checked by its
id, a digest of its content, against what the tasks say; those that are here are passed over.`,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context()) },
	}
	addReleaseFlag(c, &o.dir)
	c.Flags().StringVar(&o.from, "from", "",
		"another registry and path that has the same images, a mirror's (default: the ones the release names)")
	return c
}

func (o *pullOptions) run(ctx context.Context) error {
	r, err := openImages(ctx, o.env, o.dir)
	if err != nil {
		return err
	}
	references, err := o.references(ctx, r)
	if err != nil {
		return err
	}
	for _, id := range r.ids() {
		reference := references[id]
		if reference == "" {
			return pipeline.Need("the release does not say where the image %s (%s) is: wideswe release images push "+
				"on the machine that validated it writes that down", r.names[id], id)
		}
		if err := r.engine.PullImage(ctx, reference, id, r.names[id]); err != nil {
			return err
		}
		fmt.Fprintln(o.env.Err, "here", reference)
	}
	return r.printHere(o.env)
}

// references returns where the images are, by id.
func (o *pullOptions) references(ctx context.Context, r *releaseImages) (map[string]string, error) {
	list, err := r.release.References(ctx)
	if err != nil {
		return nil, err
	}
	byID := map[string]string{}
	for _, l := range list {
		byID[l.ID] = l.Reference
		if o.from != "" {
			byID[l.ID] = strings.TrimSuffix(o.from, "/") + "/" + path.Base(l.Reference)
		}
	}
	return byID, nil
}
