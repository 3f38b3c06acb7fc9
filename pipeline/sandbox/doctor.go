package sandbox

import (
	"context"
	"fmt"
)

// Check is one thing a person can be told about the machine.
type Check struct {
	Name   string
	OK     bool
	Detail string // what was found, or the next step
}

// CheckDocker tells whether an engine answers, its version and its storage.
func CheckDocker(ctx context.Context) []Check {
	d, err := OpenDocker(ctx)
	if err != nil {
		return []Check{{"docker", false, err.Error()}}
	}
	defer d.Close()
	info, err := d.api.Info(ctx)
	if err != nil {
		return []Check{{"docker", false, d.trouble("asking Docker", err).Error()}}
	}
	checks := []Check{
		{"docker", true, fmt.Sprintf("version %s at %s, %s/%s", info.ServerVersion, d.api.DaemonHost(), info.OSType, info.Architecture)},
		{"docker machine", info.NCPU >= 2 && info.MemTotal >= 4<<30, fmt.Sprintf("%d CPUs, %.1f GB of memory", info.NCPU, float64(info.MemTotal)/1e9)},
		{"docker storage", true, fmt.Sprintf("%s in %s, %d images", info.Driver, info.DockerRootDir, info.Images)},
	}
	if !info.MemoryLimit || !info.PidsLimit {
		checks = append(checks, Check{"docker limits", false, "the engine can't bound memory or processes; enable its cgroups"})
	}
	return checks
}
