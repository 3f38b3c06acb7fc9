package images

import (
	"context"
	"fmt"
	"time"

	"github.com/wideswe/wideswe/cmd/wideswe/internal/env"
	"github.com/wideswe/wideswe/cmd/wideswe/internal/render"
	"github.com/wideswe/wideswe/pipeline/sandbox"
)

// imageBudget is called after images were built: it says, or sees to it, that they
// fit the folder's budget.
func Budget(a *env.Env, cur *env.Curator) func(context.Context) error {
	budget := int64(cur.Config.Build.ImageBudget)
	if budget <= 0 {
		return nil
	}
	said := false
	return func(ctx context.Context) error {
		d, err := sandbox.OpenDocker(ctx)
		if err != nil {
			return err
		}
		defer d.Close()
		over, err := keepBudget(ctx, a, d, budget, cur.Config.Build.OverBudget == "prune")
		if over > 0 && !said {
			said = true
			fmt.Fprintf(a.Err, "wideswe: images take %s, more than build.image_budget; %s images prune makes room\n", render.Bytes(over), a.Command())
		}
		return err
	}
}

// imageDisk lists and removes images; [sandbox.Docker] does.
type imageDisk interface {
	Images(ctx context.Context) ([]sandbox.DiskImage, error)
	RemoveUnused(ctx context.Context, i sandbox.DiskImage) (bool, error)
}

// keepBudget makes images fit a budget where it may; else it says what they take, 0
// where they fit.
func keepBudget(ctx context.Context, a *env.Env, d imageDisk, budget int64, prune bool) (over int64, err error) {
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
	for _, i := range (sandbox.Prune{Budget: budget, Now: time.Now()}).Choose(list) {
		if _, err := d.RemoveUnused(ctx, i); err != nil {
			return 0, err
		}
		a.Log().Info("removed an image to keep the budget", "image", label(i.Name, i.ID), "bytes", i.Own)
	}
	return 0, nil
}
