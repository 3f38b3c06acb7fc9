//go:build unix

package process

import (
	"context"
	"runtime"
)

// Pin implements [Backend].
func (p *Sandbox) Pin(context.Context, string, bool) (string, error) { return "process", nil }

// Machine implements [Backend]; no limit on memory is kept here, so none is shared.
func (p *Sandbox) Machine(context.Context) (float64, int64, error) {
	return float64(runtime.NumCPU()), 1 << 50, nil
}
