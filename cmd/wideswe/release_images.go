package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/release"
	"github.com/wideswe/wideswe/pipeline/sandbox/docker"
)

func (a *app) releaseImages() *cobra.Command {
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
	c.AddCommand(a.releaseImagesSave(), a.releaseImagesLoad(), a.releaseImagesPush(), a.releaseImagesPull())
	return c
}

// releaseAndImages opens what the commands need; names are by id.
func (a *app) releaseAndImages(ctx context.Context, dir string) (*release.Release, *docker.Sandbox, map[string]string, error) {
	rel, err := a.openRelease(dir)
	if err != nil {
		return nil, nil, nil, err
	}
	list, err := rel.Images()
	if err != nil {
		return nil, nil, nil, err
	}
	names := map[string]string{}
	for _, i := range list {
		names[i.ID] = i.Image
	}
	agents, err := rel.AgentImages()
	if err != nil {
		return nil, nil, nil, err
	}
	for _, i := range agents {
		names[i.ID] = i.Image
	}
	if len(names) == 0 {
		return nil, nil, nil, pipeline.Usage("no task of %s was validated in an image: the process sandbox has none", dir)
	}
	d, err := a.openDocker(ctx)
	return rel, d, names, err
}

// allHere is the error that tells of an image that the engine lacks.
func allHere(ctx context.Context, d *docker.Sandbox, names map[string]string) error {
	for _, id := range slices.Sorted(maps.Keys(names)) {
		if !d.HasImage(ctx, id) {
			return pipeline.Need("the image %s (%s) is not here; save or push the images on the machine that validated the release, or run wideswe validate --redo and export it anew", names[id], id)
		}
	}
	return nil
}

func (a *app) releaseImagesSave() *cobra.Command {
	var dir string
	var agents agentImages
	c := &cobra.Command{
		Use: "save --release RELEASE", Args: cobra.NoArgs,
		Short: "Put the images that the tasks were validated in into the release",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := a.makeAgentImages(cmd.Context(), dir, agents); err != nil {
				return err
			}
			rel, d, names, err := a.releaseAndImages(cmd.Context(), dir)
			if err != nil {
				return err
			}
			ids := slices.Sorted(maps.Keys(names))
			if err := allHere(cmd.Context(), d, names); err != nil {
				return err
			}
			size, err := rel.SaveImages(func(w io.Writer) error { return d.SaveImages(cmd.Context(), ids, w) })
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(a.out, "%d images saved into %s, %s\n", len(ids), dir, bytesText(size))
			return err
		},
	}
	c.Flags().StringVar(&dir, "release", "", "the release's folder")
	agents.flags(c)
	return c
}

func (a *app) releaseImagesLoad() *cobra.Command {
	var dir string
	c := &cobra.Command{
		Use: "load --release RELEASE", Args: cobra.NoArgs,
		Short: "Load the images that were saved into the release",
		Long: `Load the images that were saved into the release. Each is checked by its id, which is a
digest of its content; an archive with other images in it, or with names, is refused.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			rel, d, names, err := a.releaseAndImages(cmd.Context(), dir)
			if err != nil {
				return err
			}
			if err := rel.LoadImages(cmd.Context(), func(r io.Reader) error { return d.LoadImages(cmd.Context(), r, names) }); err != nil {
				return err
			}
			_, err = fmt.Fprintf(a.out, "%d images are here; an evaluation needs no network for them now\n", len(names))
			return err
		},
	}
	c.Flags().StringVar(&dir, "release", "", "the release's folder")
	return c
}
