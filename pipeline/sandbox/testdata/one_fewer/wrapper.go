// Package one_fewer is a wrapper of a sandbox, for TestAWrapperThatDropsAnAbilityDoesNotCompile.
package one_fewer

import (
	"context"

	"github.com/wideswe/wideswe/pipeline/sandbox"
)

// counted declares fewer abilities than there are.
type counted struct{ inner sandbox.Preparer }

func (c *counted) Abilities(context.Context) sandbox.Abilities {
	return sandbox.NewAbilities(nil, c.inner)
}
