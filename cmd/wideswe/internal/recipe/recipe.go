// Package recipe is the commands wideswe recipe show and recipe test. How recipes are resolved and tried is in
// stages/trial; this package reads flags and prints.
package recipe

import (
	"context"
	"fmt"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/spf13/cobra"

	"github.com/wideswe/wideswe/cmd/wideswe/internal/env"
	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/folder"
	"github.com/wideswe/wideswe/stages/trial"
)

// NewCommand returns wideswe recipe.
func NewCommand(e *env.Env) *cobra.Command {
	c := &cobra.Command{Use: "recipe", Short: "See how a repository is built and tested, and try it"}
	c.AddCommand(newShowCommand(e), newTestCommand(e))
	return c
}

func newShowCommand(e *env.Env) *cobra.Command {
	return &cobra.Command{
		Use: "show OWNER/NAME[@COMMIT]", Args: cobra.ExactArgs(1),
		Short: "Print the detected recipe with the reasons, and what your recipe file lays over it",
		RunE:  func(cmd *cobra.Command, args []string) error { return show(cmd.Context(), e, args[0]) },
	}
}

func show(ctx context.Context, e *env.Env, name string) error {
	cur, err := e.Curator()
	if err != nil {
		return err
	}
	repository, commit, _ := strings.Cut(name, "@")
	if err := folder.CheckRepository(repository); err != nil {
		return pipeline.Usage("%v", err)
	}
	mirrors, err := e.Mirrors(ctx, cur)
	if err != nil {
		return err
	}
	recipe, over, err := trial.RecipeAt(ctx, cur.Folder, mirrors, repository, commit)
	if err != nil {
		return err
	}
	for _, part := range over {
		fmt.Fprintf(e.Out, "# with %s\n", part)
	}
	b, err := yaml.Marshal(recipe)
	if err != nil {
		return err
	}
	_, err = e.Out.Write(b)
	return err
}
