package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/wideswe/wideswe/pipeline/leak"
	"github.com/wideswe/wideswe/stages/validate"
)

// verifyNoLeakCommand looks a task through for what an agent must not see.
func (a *app) verifyNoLeakCommand() *cobra.Command {
	var workspaces, images []string
	var asJSON bool
	c := &cobra.Command{
		Use: "verify-no-leak TASK", Args: cobra.ExactArgs(1),
		Short: "Look for the gold change and the hidden tests where an agent could find them",
		Long: `verify-no-leak looks a task through as validate does: the git objects, refs and logs
of each repository an agent gets, every layer of the images that validate made (package
caches and archives too), and the prompt. It ends with 1 and names the places where the
gold change, a hidden test or a sibling's release from after base lies.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			cur, err := a.curator()
			if err != nil {
				return err
			}
			db, err := a.read(cmd.Context(), cur)
			if err != nil {
				return err
			}
			list, err := a.stages(cmd.Context(), cur, db, runFlags{})
			if err != nil {
				return err
			}
			for _, s := range list {
				if v, ok := s.(validate.Stage); ok {
					found, err := v.Leaks(cmd.Context(), args[0], workspaces, images)
					if err != nil {
						return err
					}
					return a.tellLeaks(args[0], found, v.SeesImages(), asJSON)
				}
			}
			return nil
		},
	}
	c.Flags().StringArrayVar(&workspaces, "workspace", nil, "look through this workspace, too (as wideswe workspace made it, or an agent left it)")
	c.Flags().StringArrayVar(&images, "image", nil, "look through this image, too")
	c.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	return c
}

func (a *app) tellLeaks(task string, found []leak.Finding, images, asJSON bool) error {
	if asJSON {
		if err := a.json(map[string]any{"task": task, "clean": len(found) == 0, "images_looked_into": images, "leaks": append([]leak.Finding{}, found...)}); err != nil {
			return err
		}
	} else {
		for _, f := range found {
			fmt.Fprintln(a.out, f)
		}
	}
	if len(found) > 0 {
		return fmt.Errorf("%s gives its answer away in %d places", task, len(found))
	}
	if asJSON {
		return nil
	}
	if !images {
		_, err := fmt.Fprintln(a.out, "nothing of the answer is in the repositories and the prompt; there are no images to look into: the sandbox is process")
		return err
	}
	_, err := fmt.Fprintln(a.out, "nothing of the answer is where an agent could find it")
	return err
}
