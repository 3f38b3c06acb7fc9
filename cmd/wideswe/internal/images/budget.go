package images

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/wideswe/wideswe/cmd/wideswe/internal/env"
	"github.com/wideswe/wideswe/cmd/wideswe/internal/render"
	"github.com/wideswe/wideswe/pipeline/sandbox/docker"
	"github.com/wideswe/wideswe/pipeline/sandbox/image"
)

// Budget returns a function to be called after images were built. It makes them fit the folder's budget where the
// configuration lets it, and else prints, once, that they don't. Without a budget it is nil.
func Budget(e *env.Env, cur *env.Curator) func(context.Context) error {
	budget := int64(cur.Config.Build.Budget)
	if budget <= 0 {
		return nil
	}
	printed := false
	return func(ctx context.Context) error {
		d, err := docker.Open(ctx)
		if err != nil {
			return err
		}
		defer d.Close()
		over, err := keepBudget(ctx, d, budget, cur.Config.Build.OverBudget == "prune", e.Log())
		if over > 0 && !printed {
			printed = true
			fmt.Fprintf(e.Err, "wideswe: images take %s, more than build.image_budget; %s images prune makes room\n",
				render.Bytes(over), e.Command())
		}
		return err
	}
}

// imageDisk lists and removes images; [sandbox.Docker] does.
type imageDisk interface {
	Images(ctx context.Context) ([]image.DiskImage, error)
	RemoveUnused(ctx context.Context, i image.DiskImage) (bool, error)
}

// keepBudget makes images fit a budget where it may prune; else it returns what they take, 0 where they fit.
func keepBudget(ctx context.Context, d imageDisk, budget int64, prune bool, log *slog.Logger) (over int64, err error) {
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
		log.Info("removed an image to keep the budget", "image", imageLabel(i.Name, i.ID), "bytes", i.Own)
	}
	return 0, nil
}
