//go:build !linux

package bench

// watchMemory can't tell here.
func watchMemory() (peak func() float64) { return func() float64 { return 0 } }

// cpuSeconds can't tell here.
func cpuSeconds() float64 { return 0 }
