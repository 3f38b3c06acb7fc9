package collect

import (
	"errors"

	"github.com/wideswe/wideswe/pipeline/workspace"
)

// Result is what was collected of one repository.
type Result struct {
	Repository string
	Patch      []byte
	LeftOut    []LeftOut
	// Over names the bound that was met, so that there is no patch. Lost: the repository's folder is gone.
	Over string
	Lost bool
}

// withBound turns an error about a bound into a finding.
func withBound(c Result, err error) (Result, error) {
	var o *OverError
	switch {
	case errors.Is(err, workspace.ErrTooLong):
		c.Over = err.Error()
	case errors.As(err, &o):
		c.Over = o.What
	default:
		return c, err
	}
	c.Patch = nil
	return c, nil
}
