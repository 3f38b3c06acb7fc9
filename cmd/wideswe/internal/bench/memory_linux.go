package bench

import (
	"os"
	"strconv"
	"strings"
	"syscall"
)

// watchMemory starts anew to look for the most memory that the process holds; the
// function it returns gives it in MB.
func watchMemory() (peak func() float64) {
	_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) // where refused, the peak is of the whole run
	return func() float64 {
		status, err := os.ReadFile("/proc/self/status")
		if err != nil {
			return 0
		}
		_, after, _ := strings.Cut(string(status), "VmHWM:")
		kb, _, _ := strings.Cut(strings.TrimSpace(after), " ")
		n, err := strconv.ParseFloat(kb, 64)
		if err != nil {
			return 0
		}
		return n * 1024 / 1e6
	}
}

// cpuSeconds is the time that the process's threads have computed.
func cpuSeconds() float64 {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}
