// Package images is the commands wideswe images list and prune, and the budget that a folder sets for images. How
// images are made, kept and removed is pipeline/sandbox's.
package images

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/wideswe/wideswe/cmd/wideswe/internal/env"
	"github.com/wideswe/wideswe/cmd/wideswe/internal/render"
	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/sandbox/image"
)

// NewCommand returns wideswe images.
func NewCommand(e *env.Env) *cobra.Command {
	c := &cobra.Command{
		Use:   "images",
		Short: "Images that wideswe made: what they are for, their size, and making room",
		Long: `Validating and scoring make images, in layers: packages, dependencies and warm caches, each shared
by all that have it in common. The engine keeps when each was last used, for every folder and
person that shares it. Nothing that wideswe did not make is listed or touched.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	c.AddCommand(newListCommand(e), newPruneCommand(e))
	return c
}

// listedImage is an image as list prints it.
type listedImage struct {
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

func newListCommand(e *env.Env) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "list", Short: "List them, the least recently used first", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return list(cmd.Context(), e, asJSON) },
	}
	c.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	return c
}

func list(ctx context.Context, e *env.Env, asJSON bool) error {
	d, err := e.OpenDocker(ctx)
	if err != nil {
		return err
	}
	images, err := d.Images(ctx)
	if err != nil {
		return err
	}
	listed := listImages(images, imageTasks(ctx, e))
	if asJSON {
		return json.NewEncoder(e.Out).Encode(listed)
	}
	return printImages(e.Out, listed)
}

// imageTasks returns which tasks of the folder, if there is one, ran in which image.
func imageTasks(ctx context.Context, e *env.Env) map[string][]string {
	tasks := map[string][]string{}
	_, db, err := e.ReadFolderDatabase(ctx)
	if err != nil {
		return tasks
	}
	rows, err := db.Query(ctx, "SELECT DISTINCT image_id, task_id FROM task_images ORDER BY 1, 2")
	if err != nil {
		return tasks
	}
	type row struct{ image, task string }
	list, _ := pipeline.Scan(rows, func(r *row) []any { return []any{&r.image, &r.task} })
	for _, r := range list {
		tasks[r.image] = append(tasks[r.image], r.task)
	}
	return tasks
}

func listImages(images []image.DiskImage, tasks map[string][]string) []listedImage {
	out := make([]listedImage, 0, len(images))
	for _, i := range images {
		l := listedImage{i.Name, i.ID, i.Stage, i.Repository, i.Own, i.Shared, i.Created, i.LastUsed, i.InUse, tasks[i.ID]}
		if i.Task != "" && !slices.Contains(l.Tasks, i.Task) {
			l.Tasks = append(l.Tasks, i.Task)
		}
		out = append(out, l)
	}
	return out
}

func printImages(w io.Writer, list []listedImage) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "IMAGE\tFOR\tOWN\tSHARED\tLAST USED\tTASKS")
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
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\n", imageLabel(i.Name, i.ID), purpose(i.Stage, i.Repository),
			render.Bytes(i.Own), render.Bytes(i.Shared), used, tasks)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "%d images, %s\n", len(list), render.Bytes(total))
	return err
}

// imageLabel is an image's name, or the beginning of its id.
func imageLabel(name, id string) string {
	if name == "" {
		return strings.TrimPrefix(id, "sha256:")[:12]
	}
	return name
}

// purpose is what an image is for.
func purpose(stage, repository string) string { return strings.TrimSpace(stage + " " + repository) }
