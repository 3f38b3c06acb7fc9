package env

import (
	"cmp"
	"context"
	"os"
	"path/filepath"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/sandbox"
	"github.com/wideswe/wideswe/pipeline/sandbox/docker"
	"github.com/wideswe/wideswe/pipeline/sandbox/process"
	"github.com/wideswe/wideswe/pipeline/testrun"
	"github.com/wideswe/wideswe/pipeline/toolchain/registry"
)

// OpenDocker connects to the Docker engine.
func (e *Env) OpenDocker(ctx context.Context) (*docker.Sandbox, error) {
	d, err := docker.Open(ctx)
	if err == nil {
		e.Defer(func() { _ = d.Close() })
	}
	return d, err
}

// Backend returns the sandbox of that name. Docker is connected to when something is run first.
func (e *Env) Backend(name string) (sandbox.Backend, error) {
	switch name {
	case "docker":
		d := &docker.Lazy{}
		e.Defer(func() { _ = d.Close() })
		return d, nil
	case "process":
		return process.Open(registry.HostCaches(context.Background())), nil
	}
	return nil, pipeline.Usage("--sandbox %q; write docker or process", name)
}

// Runner returns what runs tests by the folder's settings. An empty backend is the one that they name.
func (e *Env) Runner(cur *Curator, backend string) (*testrun.Runner, error) {
	c := cur.Config
	b, err := e.Backend(cmp.Or(backend, c.Validate.Sandbox))
	if err != nil {
		return nil, err
	}
	env, files, err := BuildInputs(c.Build.Env, c.Build.Files)
	if err != nil {
		return nil, err
	}
	return &testrun.Runner{Backend: b, Images: c.Images, BuildEnv: env, BuildFiles: files, Log: e.Log(),
		Lock: testrun.OpenImageLock(filepath.Join(cur.Dir, "images.lock")), BuildLogs: filepath.Join(cur.Logs(), "images"),
		Limits: c.Validate.Limits()}, nil
}

// BuildInputs reads the environment variables and the host files that image builds may see. A variable that is not set
// is left out: not every machine is behind a proxy.
func BuildInputs(names, paths []string) (map[string]string, map[string][]byte, error) {
	env, files := map[string]string{}, map[string][]byte{}
	for _, n := range names {
		if v, ok := os.LookupEnv(n); ok {
			env[n] = v
		}
	}
	for _, p := range paths {
		b, err := os.ReadFile(p)
		if err != nil {
			return nil, nil, pipeline.Usage("build.files: %v; remove it from wideswe.yaml or put the file there", err)
		}
		files[p] = b
	}
	return env, files, nil
}
