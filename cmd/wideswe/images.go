package main

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

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/sandbox/docker"
	"github.com/wideswe/wideswe/pipeline/sandbox/image"
)

func (a *app) imagesCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "images",
		Short: "Images that wideswe made: what they are for, their size, and making room",
		Long: `Validating and scoring make images, in layers: packages, dependencies and warm caches, each shared
by all that have it in common. The engine keeps when each was last used, for every folder and
person that shares it. Nothing that wideswe did not make is listed or touched.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	c.AddCommand(a.imagesListCommand(), a.imagesPruneCommand())
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

func (a *app) imagesListCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "list", Short: "List them, the least recently used first", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			d, err := a.openDocker(cmd.Context())
			if err != nil {
				return err
			}
			list, err := d.Images(cmd.Context())
			if err != nil {
				return err
			}
			shown := a.shown(list, a.imageTasks(cmd.Context()))
			if asJSON {
				return json.NewEncoder(a.out).Encode(shown)
			}
			return a.printImages(shown)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	return c
}

func (a *app) openDocker(ctx context.Context) (*docker.Sandbox, error) {
	d, err := docker.Open(ctx)
	if err == nil {
		a.later(func() { _ = d.Close() })
	}
	return d, err
}

// imageTasks says which tasks of the folder, if there is one, ran in which image.
func (a *app) imageTasks(ctx context.Context) map[string][]string {
	of := map[string][]string{}
	cur, err := a.curator()
	if err != nil {
		return of
	}
	db, err := a.read(ctx, cur)
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

func (a *app) shown(list []image.DiskImage, tasks map[string][]string) []shownImage {
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

func (a *app) printImages(list []shownImage) error {
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "IMAGE\tFOR\tOWN\tSHARED\tLAST USED\tTASKS")
	var total int64
	for _, i := range list {
		total += i.Own
		used := moment(i.LastUsed)
		if i.InUse {
			used = "in use"
		}
		tasks := strings.Join(i.Tasks[:min(2, len(i.Tasks))], " ")
		if n := len(i.Tasks) - 2; n > 0 {
			tasks += fmt.Sprintf(" and %d more", n)
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", label(i.Name, i.ID), strings.TrimSpace(i.Stage+" "+i.Repository), bytesText(i.Own), bytesText(i.Shared), used, tasks)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(a.out, "%d images, %s\n", len(list), bytesText(total))
	return err
}

func label(name, id string) string {
	if name == "" {
		return strings.TrimPrefix(id, "sha256:")[:12]
	}
	return name
}

// bytesText writes a size as people do.
func bytesText(n int64) string {
	switch {
	case n >= 1e9:
		return fmt.Sprintf("%.1f GB", float64(n)/1e9)
	case n >= 1e6:
		return fmt.Sprintf("%.0f MB", float64(n)/1e6)
	}
	return fmt.Sprintf("%.0f kB", float64(n)/1e3)
}

func (a *app) imagesPruneCommand() *cobra.Command {
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
			p, err := a.pruneRule(budget, older)
			if err != nil {
				return err
			}
			d, err := a.openDocker(cmd.Context())
			if err != nil {
				return err
			}
			return a.prune(cmd.Context(), d, p, dry)
		},
	}
	c.Flags().StringVar(&budget, "budget", "", "how much may stay, such as 40GB")
	c.Flags().StringVar(&older, "older", "", "only what was not used for so long, such as 30d or 12h")
	c.Flags().BoolVar(&dry, "dry-run", false, "only say what would go")
	return c
}

func (a *app) pruneRule(budget, older string) (image.Prune, error) {
	p := image.Prune{Budget: -1, Now: time.Now()}
	if budget == "" && older == "" {
		if cur, err := a.curator(); err == nil {
			p.Budget = int64(cur.config.Build.ImageBudget)
		}
		if p.Budget <= 0 {
			return p, pipeline.Usage("say how much may stay, or what may go: --budget 40GB, --older 30d, or build.image_budget in wideswe.yaml")
		}
		return p, nil
	}
	if budget != "" {
		var s size
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
	var d duration
	err := d.UnmarshalYAML([]byte(text))
	return d.Duration, err
}

func (a *app) prune(ctx context.Context, d *docker.Sandbox, p image.Prune, dry bool) error {
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
		fmt.Fprintf(a.out, "%s  %s  %s  last used %s\n", label(i.Name, i.ID), strings.TrimSpace(i.Stage+" "+i.Repository), bytesText(i.Own), moment(i.LastUsed))
	}
	verb := "removed"
	if dry {
		verb = "would remove"
	}
	_, err = fmt.Fprintf(a.out, "%s %d images, %s\n", verb, count, bytesText(freed))
	return err
}

// imageBudget is called after images were built: it says, or sees to it, that they
// fit the folder's budget.
func (a *app) imageBudget(cur *curator) func(context.Context) error {
	budget := int64(cur.config.Build.ImageBudget)
	if budget <= 0 {
		return nil
	}
	said := false
	return func(ctx context.Context) error {
		d, err := docker.Open(ctx)
		if err != nil {
			return err
		}
		defer d.Close()
		over, err := a.keepBudget(ctx, d, budget, cur.config.Build.OverBudget == "prune")
		if over > 0 && !said {
			said = true
			fmt.Fprintf(a.err, "wideswe: images take %s, more than build.image_budget; %s images prune makes room\n", bytesText(over), a.self())
		}
		return err
	}
}

// imageDisk lists and removes images; [docker.Sandbox] does.
type imageDisk interface {
	Images(ctx context.Context) ([]image.DiskImage, error)
	RemoveUnused(ctx context.Context, i image.DiskImage) (bool, error)
}

// keepBudget makes images fit a budget where it may; else it says what they take, 0
// where they fit.
func (a *app) keepBudget(ctx context.Context, d imageDisk, budget int64, prune bool) (over int64, err error) {
	list, err := d.Images(ctx)
	if err != nil {
		return 0, err
	}
	var total int64
	for _, i := range list {
		total += i.Own
	}
	switch {
	case total <= budget:
		return 0, nil
	case !prune:
		return total, nil
	}
	for _, i := range (image.Prune{Budget: budget, Now: time.Now()}).Choose(list) {
		if _, err := d.RemoveUnused(ctx, i); err != nil {
			return 0, err
		}
		a.log().Info("removed an image to keep the budget", "image", label(i.Name, i.ID), "bytes", i.Own)
	}
	return 0, nil
}
