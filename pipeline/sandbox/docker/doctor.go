package docker

import (
	"context"
	"fmt"

	"github.com/wideswe/wideswe/pipeline/sandbox"
)

// CheckDocker tells whether an engine answers, its version and its storage.
func CheckMachine(ctx context.Context) []sandbox.Check {
	d, err := Open(ctx)
	if err != nil {
		return []sandbox.Check{{Name: "docker", OK: false, Detail: err.Error()}}
	}
	defer d.Close()
	info, err := d.api.Info(ctx)
	if err != nil {
		return []sandbox.Check{{Name: "docker", OK: false, Detail: d.trouble("asking Docker", err).Error()}}
	}
	checks := []sandbox.Check{
		{Name: "docker", OK: true, Detail: fmt.Sprintf("version %s at %s, %s/%s", info.ServerVersion, d.api.DaemonHost(), info.OSType, info.Architecture)},
		{Name: "docker machine", OK: info.NCPU >= 2 && info.MemTotal >= 4<<30, Detail: fmt.Sprintf("%d CPUs, %.1f GB of memory", info.NCPU, float64(info.MemTotal)/1e9)},
		{Name: "docker storage", OK: true, Detail: fmt.Sprintf("%s in %s, %d images", info.Driver, info.DockerRootDir, info.Images)},
	}
	if !info.MemoryLimit || !info.PidsLimit {
		checks = append(checks, sandbox.Check{Name: "docker limits", OK: false, Detail: "the engine can't bound memory or processes; enable its cgroups"})
	}
	return checks
}
