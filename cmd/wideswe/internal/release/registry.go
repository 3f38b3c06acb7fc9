package release

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/wideswe/wideswe/cmd/wideswe/internal/env"
	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/schema"
)

func newImagesPushCommand(a *env.Env) *cobra.Command {
	var dir, to string
	var agents agentImages
	c := &cobra.Command{
		Use: "push --release RELEASE --to REGISTRY/PATH", Args: cobra.NoArgs,
		Short: "Push the images that the tasks were validated in to a registry",
		Long: `Push the images that the tasks were validated in to a registry, and write into the release
where they are, by digest. What docker login keeps lets it in. What the registry has is not
sent again, so a push that was cut short is gone on with.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if to == "" {
				return pipeline.Usage("--to is missing: the registry and a path in it, as registry.example/bench")
			}
			if err := makeAgentImages(cmd.Context(), a, dir, agents); err != nil {
				return err
			}
			rel, d, names, err := releaseAndImages(cmd.Context(), a, dir)
			if err != nil {
				return err
			}
			if err := allHere(cmd.Context(), d, names); err != nil {
				return err
			}
			var list []schema.ImageReference
			for _, id := range slices.Sorted(maps.Keys(names)) {
				by, err := d.PushImage(cmd.Context(), id, registryName(to, names[id], id))
				if err != nil {
					return err
				}
				fmt.Fprintln(a.Err, "pushed", by)
				list = append(list, schema.ImageReference{Image: names[id], ID: id, Reference: by})
			}
			if err := rel.KeepReferences(list); err != nil {
				return err
			}
			_, err = fmt.Fprintf(a.Out, "%d images pushed to %s; %s says where they are\n", len(list), to, dir)
			return err
		},
	}
	c.Flags().StringVar(&dir, "release", "", "the release's folder")
	agents.flags(c)
	c.Flags().StringVar(&to, "to", "", "the registry and a path in it, as registry.example/bench")
	return c
}

// registryName is what an image is called in a registry: by its repository, and by
// its id, so that no two are taken for one.
func registryName(to, name, id string) string {
	name, _, _ = strings.Cut(path.Base(name), ":")
	name, _, _ = strings.Cut(name, "@")
	_, digest, _ := strings.Cut(id, ":")
	return strings.TrimSuffix(to, "/") + "/" + name + ":" + digest[:min(24, len(digest))]
}

func newImagesPullCommand(a *env.Env) *cobra.Command {
	var dir, from string
	c := &cobra.Command{
		Use: "pull --release RELEASE", Args: cobra.NoArgs,
		Short: "Pull the images from the registry that the release names",
		Long: `Pull the images from the registry that the release names, by digest. Each is checked by its
id, a digest of its content, against what the tasks say; those that are here are passed over.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			rel, d, names, err := releaseAndImages(cmd.Context(), a, dir)
			if err != nil {
				return err
			}
			list, err := rel.References(cmd.Context())
			if err != nil {
				return err
			}
			where := map[string]string{}
			for _, l := range list {
				where[l.ID] = l.Reference
			}
			for _, id := range slices.Sorted(maps.Keys(names)) {
				by := where[id]
				if by == "" {
					return pipeline.Need("the release does not say where the image %s (%s) is: wideswe release images push on the machine that validated it writes that down", names[id], id)
				}
				if from != "" {
					by = strings.TrimSuffix(from, "/") + "/" + path.Base(by)
				}
				if err := d.PullImage(cmd.Context(), by, id, names[id]); err != nil {
					return err
				}
				fmt.Fprintln(a.Err, "here", by)
			}
			_, err = fmt.Fprintf(a.Out, "%d images are here; an evaluation needs no network for them now\n", len(names))
			return err
		},
	}
	c.Flags().StringVar(&dir, "release", "", "the release's folder")
	c.Flags().StringVar(&from, "from", "", "another registry and path that has the same images, a mirror's (default: the ones the release names)")
	return c
}
