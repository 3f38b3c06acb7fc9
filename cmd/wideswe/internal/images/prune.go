package images

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/wideswe/wideswe/cmd/wideswe/internal/env"
	"github.com/wideswe/wideswe/cmd/wideswe/internal/render"
	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/sandbox/image"
	"github.com/wideswe/wideswe/pipeline/settings"
)

// pruneOptions holds the flags of images prune.
type pruneOptions struct {
	env           *env.Env
	budget, older string
	dry           bool
}

func newPruneCommand(e *env.Env) *cobra.Command {
	o := &pruneOptions{env: e}
	c := &cobra.Command{
		Use: "prune", Short: "Remove the least recently used ones, until the rest fits", Args: cobra.NoArgs,
		Long: `Remove images that wideswe made, the least recently used first: until the rest fits --budget
(default: build.image_budget of the folder), and only what was not used for --older, where that is
given; with --older alone, all of that. An image in use, and what such a one stands on, stays.
What is needed again is built again.`,
		Example: `  wideswe images prune --budget 40GB --dry-run
  wideswe images prune --older 30d`,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context()) },
	}
	c.Flags().StringVar(&o.budget, "budget", "", "how much may stay, such as 40GB")
	c.Flags().StringVar(&o.older, "older", "", "only what was not used for so long, such as 30d or 12h")
	c.Flags().BoolVar(&o.dry, "dry-run", false, "only say what would go")
	return c
}

func (o *pruneOptions) run(ctx context.Context) error {
	p, err := o.rule()
	if err != nil {
		return err
	}
	d, err := o.env.OpenDocker(ctx)
	if err != nil {
		return err
	}
	return o.prune(ctx, d, p)
}

// rule returns which images go, by the flags or else by the folder's budget.
func (o *pruneOptions) rule() (image.Prune, error) {
	p := image.Prune{Budget: -1, Now: time.Now()}
	if o.budget == "" && o.older == "" {
		if cur, err := o.env.Curator(); err == nil {
			p.Budget = int64(cur.Config.Build.Budget)
		}
		if p.Budget <= 0 {
			return p, pipeline.Usage("say how much may stay, or what may go: --budget 40GB, --older 30d, " +
				"or build.image_budget in wideswe.yaml")
		}
		return p, nil
	}
	var err error
	if o.budget != "" {
		if p.Budget, err = parseBudget(o.budget); err != nil {
			return p, pipeline.Usage("--budget: %v", err)
		}
	}
	if o.older != "" {
		if p.Older, err = parseAge(o.older); err != nil {
			return p, pipeline.Usage("--older: %v", err)
		}
	}
	return p, nil
}

// parseBudget reads a size, which may be 0.
func parseBudget(text string) (int64, error) {
	if text == "0" {
		return 0, nil
	}
	var s settings.Size
	err := s.UnmarshalYAML([]byte(text))
	return int64(s), err
}

// parseAge reads 30d, or a duration as it is written elsewhere.
func parseAge(text string) (time.Duration, error) {
	if n, ok := strings.CutSuffix(text, "d"); ok {
		d, err := strconv.ParseFloat(n, 64)
		if err != nil || d < 0 || d > 36500 {
			return 0, fmt.Errorf("%q is not a number of days such as 30d", text)
		}
		return time.Duration(d * 24 * float64(time.Hour)), nil
	}
	var d settings.Duration
	err := d.UnmarshalYAML([]byte(text))
	return d.Duration, err
}

func (o *pruneOptions) prune(ctx context.Context, d imageDisk, p image.Prune) error {
	list, err := d.Images(ctx)
	if err != nil {
		return err
	}
	var freed int64
	count := 0
	for _, i := range p.Choose(list) {
		if !o.dry {
			removed, err := d.RemoveUnused(ctx, i)
			if err != nil {
				return err
			}
			if !removed {
				continue // somebody began to use it
			}
		}
		freed, count = freed+i.Own, count+1
		fmt.Fprintf(o.env.Out, "%s  %s  %s  last used %s\n", imageLabel(i.Name, i.ID), purpose(i.Stage, i.Repository),
			render.Bytes(i.Own), render.Moment(i.LastUsed))
	}
	verb := "removed"
	if o.dry {
		verb = "would remove"
	}
	_, err = fmt.Fprintf(o.env.Out, "%s %d images, %s\n", verb, count, render.Bytes(freed))
	return err
}
