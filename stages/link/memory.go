package link

import "runtime/debug"

// How much garbage may lie about: in percent of what lives, and what lives with it in bytes.
const (
	collectAt = 400
	heap      = 512 << 20
)

// collectLate lets garbage be collected less often until restore is called. What
// lives is small here, and what passes through is all the bodies there are: that
// saves a tenth of the stage's time. The limit holds where much lives.
func collectLate() (restore func()) {
	percent, limit := debug.SetGCPercent(collectAt), debug.SetMemoryLimit(-1)
	debug.SetMemoryLimit(min(limit, heap))
	return func() {
		debug.SetGCPercent(percent)
		debug.SetMemoryLimit(limit)
	}
}
