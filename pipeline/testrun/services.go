package testrun

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/sandbox"
	"github.com/wideswe/wideswe/schema"
)

// PinServices gives the recipe with the content of its services' images named. A
// recipe that the backend can't serve, or whose image is nowhere, is a skip.
func (r *Runner) PinServices(ctx context.Context, recipe schema.Recipe) (schema.Recipe, error) {
	found, err := r.services(ctx, recipe)
	if err != nil {
		return recipe, err
	}
	recipe.Services = slices.Clone(recipe.Services)
	for i := range recipe.Services {
		pinned, err := r.Backend.Pin(ctx, found[i].Image, false)
		if err != nil {
			return recipe, fmt.Errorf("pinning the image of the service %s: %w", recipe.Services[i].Name, err)
		}
		recipe.Services[i].Pinned = pinned
	}
	return recipe, nil
}

// services finds the services' images: what is pinned, else what the person's images
// or the name give.
func (r *Runner) services(ctx context.Context, recipe schema.Recipe) (list []sandbox.Service, err error) {
	if len(recipe.Services) > 0 && r.Backend.Name() == "process" {
		return nil, pipeline.Skip("the recipe of %s needs the service %s, and the process sandbox has none: use --sandbox "+
			"docker",
			recipe.Repository, recipe.Services[0].Name)
	}
	for _, s := range recipe.Services {
		image := s.Pinned
		if image == "" || r.lacks(ctx, image) {
			image = cmp.Or(r.Images[s.Image], s.Image)
		}
		var missing *sandbox.MissingImageError
		if _, err := r.Backend.ImageID(ctx, image); errors.As(err, &missing) {
			return nil, pipeline.Skip("the service %s of %s: %v", s.Name, recipe.Repository, err)
		} else if err != nil {
			return nil, err
		}
		list = append(list, sandbox.Service{Name: s.Name, Image: image, Command: s.Command, Env: s.Env, Ready: s.Ready,
			Port: s.Port, Tmpfs: s.Tmpfs})
	}
	return list, nil
}

func (r *Runner) lacks(ctx context.Context, image string) bool {
	var missing *sandbox.MissingImageError
	_, err := r.Backend.ImageID(ctx, image)
	return errors.As(err, &missing)
}

// notServed makes a skip of a service that did not come up: it is the recipe's.
func notServed(repository string, err error) error {
	var failed *sandbox.ServiceError
	if errors.As(err, &failed) {
		return pipeline.Skip("%s: %s", repository, failed.Error())
	}
	return err
}

// withLogs puts what the services printed behind what the run printed.
func withLogs(output []byte, logs map[string][]byte) []byte {
	for _, name := range slices.Sorted(maps.Keys(logs)) {
		output = append(fmt.Appendf(output, "\n[the service %s printed]\n", name), logs[name]...)
	}
	return output
}
