package images

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	"github.com/wideswe/wideswe/cmd/wideswe/internal/config"
	"github.com/wideswe/wideswe/cmd/wideswe/internal/env"
	"github.com/wideswe/wideswe/cmd/wideswe/internal/render"
	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/sandbox"
)

func NewCommand(a *env.Env) *cobra.Command {
	c := &cobra.Command{
		Use:   "images",
		Short: "Images that wideswe made: what they are for, their size, and making room",
		Long: `Validating and scoring make images, in layers: packages, dependencies and warm caches, each shared
by all that have it in common. The engine keeps when each was last used, for every folder and
person that shares it. Nothing that wideswe did not make is listed or touched.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	c.AddCommand(newImagesListCommand(a), newImagesPruneCommand(a))
	return c
}

// shownImage is an image as list tells it.
type shownImage struct {
	Name       string    `json:"name"`
	ID         string    `json:"id"`
	Stage      string    `json:"stage"`
	Repository string    `json:"repository,omitempty"`
	Own        int64     `json:"own_bytes"`
	Shared     int64     `json:"shared_bytes"`
	Created    time.Time `json:"created"`
	LastUsed   time.Time `json:"last_used"`
	InUse      bool      `json:"in_use"`
	Tasks      []string  `json:"tasks,omitempty"`
}

func newImagesListCommand(a *env.Env) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "list", Short: "List them, the least recently used first", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			d, err := a.OpenDocker(cmd.Context())
			if err != nil {
				return err
			}
			list, err := d.Images(cmd.Context())
			if err != nil {
				return err
			}
			shown := shownImages(a, list, imageTasks(cmd.Context(), a))
			if asJSON {
				return json.NewEncoder(a.Out).Encode(shown)
			}
			return printImages(a, shown)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	return c
}

// imageTasks says which tasks of the folder, if there is one, ran in which image.
func imageTasks(ctx context.Context, a *env.Env) map[string][]string {
	of := map[string][]string{}
	cur, err := a.Curator()
	if err != nil {
		return of
	}
	db, err := a.ReadDatabase(ctx, cur)
	if err != nil {
		return of
	}
	rows, err := db.Query(ctx, "SELECT DISTINCT image_id, task_id FROM task_images ORDER BY 1, 2")
	if err != nil {
		return of
	}
	type row struct{ image, task string }
	list, _ := pipeline.Scan(rows, func(r *row) []any { return []any{&r.image, &r.task} })
	for _, r := range list {
		of[r.image] = append(of[r.image], r.task)
	}
	return of
}

func shownImages(a *env.Env, list []sandbox.DiskImage, tasks map[string][]string) []shownImage {
	out := make([]shownImage, 0, len(list))
	for _, i := range list {
		s := shownImage{i.Name, i.ID, i.Stage, i.Repository, i.Own, i.Shared, i.Created, i.LastUsed, i.InUse, tasks[i.ID]}
		if i.Task != "" && !slices.Contains(s.Tasks, i.Task) {
			s.Tasks = append(s.Tasks, i.Task)
		}
		out = append(out, s)
	}
	return out
}

func printImages(a *env.Env, list []shownImage) error {
	w := tabwriter.NewWriter(a.Out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "IMAGE\tFOR\tOWN\tSHARED\tLAST USED\tTASKS")
	var total int64
	for _, i := range list {
		total += i.Own
		used := render.Moment(i.LastUsed)
		if i.InUse {
			used = "in use"
		}
		tasks := strings.Join(i.Tasks[:min(2, len(i.Tasks))], " ")
		if n := len(i.Tasks) - 2; n > 0 {
			tasks += fmt.Sprintf(" and %d more", n)
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", label(i.Name, i.ID), strings.TrimSpace(i.Stage+" "+i.Repository), render.Bytes(i.Own), render.Bytes(i.Shared), used, tasks)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(a.Out, "%d images, %s\n", len(list), render.Bytes(total))
	return err
}

func label(name, id string) string {
	if name == "" {
		return strings.TrimPrefix(id, "sha256:")[:12]
	}
	return name
}

func newImagesPruneCommand(a *env.Env) *cobra.Command {
	var budget, older string
	var dry bool
	c := &cobra.Command{
		Use: "prune", Short: "Remove the least recently used ones, until the rest fits", Args: cobra.NoArgs,
		Long: `Remove images that wideswe made, the least recently used first: until the rest fits --budget
(default: build.image_budget of the folder), and only what was not used for --older, where that is
given; with --older alone, all of that. An image in use, and what such a one stands on, stays.
What is needed again is built again.`,
		Example: `  wideswe images prune --budget 40GB --dry-run
  wideswe images prune --older 30d`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			p, err := pruneRule(a, budget, older)
			if err != nil {
				return err
			}
			d, err := a.OpenDocker(cmd.Context())
			if err != nil {
				return err
			}
			return pruneImages(cmd.Context(), a, d, p, dry)
		},
	}
	c.Flags().StringVar(&budget, "budget", "", "how much may stay, such as 40GB")
	c.Flags().StringVar(&older, "older", "", "only what was not used for so long, such as 30d or 12h")
	c.Flags().BoolVar(&dry, "dry-run", false, "only say what would go")
	return c
}

func pruneRule(a *env.Env, budget, older string) (sandbox.Prune, error) {
	p := sandbox.Prune{Budget: -1, Now: time.Now()}
	if budget == "" && older == "" {
		if cur, err := a.Curator(); err == nil {
			p.Budget = int64(cur.Config.Build.ImageBudget)
		}
		if p.Budget <= 0 {
			return p, pipeline.Usage("say how much may stay, or what may go: --budget 40GB, --older 30d, or build.image_budget in wideswe.yaml")
		}
		return p, nil
	}
	if budget != "" {
		var s config.Size
		if budget != "0" {
			if err := s.UnmarshalYAML([]byte(budget)); err != nil {
				return p, pipeline.Usage("--budget: %v", err)
			}
		}
		p.Budget = int64(s)
	}
	if older != "" {
		d, err := days(older)
		if err != nil {
			return p, pipeline.Usage("--older: %v", err)
		}
		p.Older = d
	}
	return p, nil
}

// days reads 30d, or what durations are written as elsewhere.
func days(text string) (time.Duration, error) {
	if n, ok := strings.CutSuffix(text, "d"); ok {
		d, err := strconv.ParseFloat(n, 64)
		if err != nil || d < 0 || d > 36500 {
			return 0, fmt.Errorf("%q is not a number of days such as 30d", text)
		}
		return time.Duration(d * 24 * float64(time.Hour)), nil
	}
	var d config.Duration
	err := d.UnmarshalYAML([]byte(text))
	return d.Duration, err
}

func pruneImages(ctx context.Context, a *env.Env, d *sandbox.Docker, p sandbox.Prune, dry bool) error {
	list, err := d.Images(ctx)
	if err != nil {
		return err
	}
	var freed int64
	count := 0
	for _, i := range p.Choose(list) {
		if !dry {
			done, err := d.RemoveUnused(ctx, i)
			if err != nil {
				return err
			}
			if !done {
				continue // somebody began to use it
			}
		}
		freed, count = freed+i.Own, count+1
		fmt.Fprintf(a.Out, "%s  %s  %s  last used %s\n", label(i.Name, i.ID), strings.TrimSpace(i.Stage+" "+i.Repository), render.Bytes(i.Own), render.Moment(i.LastUsed))
	}
	verb := "removed"
	if dry {
		verb = "would remove"
	}
	_, err = fmt.Fprintf(a.Out, "%s %d images, %s\n", verb, count, render.Bytes(freed))
	return err
}
