// Package flags is the flags that several groups of commands share, and the checks of what they name. It runs nothing.
package flags

import (
	"log/slog"
	"path/filepath"

	"github.com/spf13/pflag"

	"github.com/wideswe/wideswe/cmd/wideswe/internal/env"
	"github.com/wideswe/wideswe/pipeline/release"
	"github.com/wideswe/wideswe/pipeline/sandbox"
	"github.com/wideswe/wideswe/pipeline/testrun"
)

// Images is what evaluators, who have no wideswe.yaml, say of images: --image, --build-env and --build-file.
type Images struct {
	Local      map[string]string // local images by the names of base images
	BuildEnv   []string
	BuildFiles []string
}

// AddTo adds the flags.
func (i *Images) AddTo(f *pflag.FlagSet) {
	f.StringToStringVar(&i.Local, "image", nil,
		"NAME=LOCAL: the local image to take for a base image; may be given several times")
	f.StringSliceVar(&i.BuildEnv, "build-env", nil, "environment variables that image builds may see (proxies, mirrors)")
	f.StringSliceVar(&i.BuildFiles, "build-file", nil, "host files that image builds may see (certificates)")
}

// Runner returns what runs tests in a sandbox, with these images. Where out is given, the lock of images and the logs
// of their builds are kept there.
func (i *Images) Runner(b sandbox.Backend, log *slog.Logger, out string) (*testrun.Runner, error) {
	vars, files, err := env.BuildInputs(i.BuildEnv, i.BuildFiles)
	if err != nil {
		return nil, err
	}
	r := &testrun.Runner{Backend: b, Images: i.Local, BuildEnv: vars, BuildFiles: files, Log: log,
		Budget: testrun.MachineBudget(b)}
	if out != "" {
		r.Lock, r.BuildLogs = testrun.OpenImageLock(filepath.Join(out, "images.lock")), filepath.Join(out, "logs", "images")
	}
	return r, nil
}

// Tasks names tasks of a release: --tasks and --set.
type Tasks struct {
	IDs []string
	Set string
}

// AddTo adds the flags; help is the one of --tasks.
func (t *Tasks) AddTo(f *pflag.FlagSet, help string) {
	f.StringSliceVar(&t.IDs, "tasks", nil, help)
	f.StringVar(&t.Set, "set", "", release.SetHelp)
}

// Of returns the ids of the tasks in the release's order.
func (t *Tasks) Of(rel *release.Release) ([]string, error) { return rel.TaskSet(t.IDs, t.Set) }
