package agent

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/release"
	"github.com/wideswe/wideswe/pipeline/sandbox"
	"github.com/wideswe/wideswe/pipeline/sandbox/image"
)

// imageRules changes when the same agent's file would now make another image.
const imageRules = "1"

// image returns the image that the agent runs in: the one that its file names, or that of the targets' tests, with
// the account, git, the file's packages and its setup added. It is built once.
func (r *Runner) image(ctx context.Context, t *release.Task, targets []string) (Image, error) {
	if r.Backend.Name() == "process" {
		return Image{ID: "process"}, nil
	}
	img, err := r.base(ctx, t, targets)
	if err != nil {
		return img, err
	}
	f := r.Agent
	// The packages are a layer of their own: they stay when the setup changes.
	img.ID, err = r.layer(ctx, img.ID, "packages", f.Packages,
		sandbox.Step{User: "0:0", Script: accountScript(f.Packages),
			Env: map[string]string{"DEBIAN_FRONTEND": "noninteractive", "LANG": "C.UTF-8", "HOME": "/root"}})
	if err != nil || len(f.Setup) == 0 {
		return img, err
	}
	img.ID, err = r.layer(ctx, img.ID, "setup", f.Setup, sandbox.Step{Dir: "/home/wideswe",
		Script: "export PATH=\"$HOME/.local/bin:$PATH\"\n" + strings.Join(f.Setup,
			"\n") + "\n", Env: map[string]string{"HOME": "/home/wideswe", "LANG": "C.UTF-8"}})
	return img, err
}

// layer finds or builds an image that adds one step, with the network on. A failed build is not tried again in this
// process.
func (r *Runner) layer(ctx context.Context, on, name string, words []string, step sandbox.Step) (string, error) {
	key := pipeline.Hash("agent", imageRules, name, on, words)
	defer r.images.Lock(key)()
	if err, ok := r.broken.Load(key); ok {
		return "", err.(error)
	}
	step.Name, step.Network = name, true
	spec := sandbox.ImageSpec{Base: on, Name: "wideswe/agent:" + name + "-" + key, Key: key,
		Limits:  buildLimits(limitsOf(r.Agent)),
		Explain: r.Explain, BuildEnv: r.BuildEnv, BuildFiles: r.BuildFiles, Clear: []string{workspaceDir},
		Labels: map[string]string{image.LabelStage: "agent"}, Steps: []sandbox.Step{step}}
	log := filepath.Join(r.Out, "logs", "images", "agent-"+name+"-"+key+".log")
	made, _, err := image.Making{Store: r.Backend, Take: r.take, Log: log, Pause: r.retryWait}.FindOrBuild(ctx, spec)
	var failed *sandbox.BuildError
	if errors.As(err, &failed) {
		err = fmt.Errorf("the agent's image (%s has its log; correct %s in the agent's file): %w", log, name, err)
		if !failed.Transient() {
			r.broken.Store(key, err)
		}
	}
	return made.ID, err
}

// buildLimits returns the run's limits, raised to the usual ones: a setup may need more than a run is allowed.
func buildLimits(run sandbox.Limits) sandbox.Limits {
	l := sandbox.Limits{}.Defaults()
	return sandbox.Limits{Memory: max(l.Memory, run.Memory), CPUs: max(l.CPUs, run.CPUs), Pids: max(l.Pids, run.Pids),
		Disk:    max(l.Disk, run.Disk),
		Timeout: max(time.Hour, run.Timeout)}.Defaults()
}

func (r *Runner) base(ctx context.Context, t *release.Task, targets []string) (Image, error) {
	if r.Agent.Image == "" {
		return r.TargetImage(ctx, t, targets)
	}
	id, err := r.BaseImage(ctx, r.Agent.Image)
	return Image{ID: id}, err
}

// accountScript creates the account that agents run as and installs missing packages. Git is optional, so that an
// image which has everything else needs no network.
func accountScript(packages []string) string {
	words := pipeline.ShellWords(slices.Compact(slices.Sorted(slices.Values(packages))))
	return `if ! grep -q '^[^:]*:[^:]*:1000:' /etc/passwd; then
	echo 'wideswe:x:1000:1000:wideswe:/home/wideswe:/bin/sh' >> /etc/passwd
	grep -q '^[^:]*:[^:]*:1000:' /etc/group || echo 'wideswe:x:1000:' >> /etc/group
fi
mkdir -p /home/wideswe /workspace
chown 1000:1000 /home/wideswe /workspace
install() {
	if command -v apt-get >/dev/null; then
		apt-get update -q && apt-get install -q -y --no-install-recommends "$@" && apt-get clean && rm -rf /var/lib/apt/lists/*
	elif command -v apk >/dev/null; then apk add --no-cache "$@"
	elif command -v dnf >/dev/null; then dnf install -y "$@"
	else echo 'this image has no package manager that is known here'; return 1
	fi
}
here() { dpkg-query -W -f '${Status}' "$1" 2>/dev/null | grep -q 'ok installed' || { command -v apk >/dev/null && apk info -e "$1" >/dev/null 2>&1; }; }
lacking=
for p in ` + words + `; do here "$p" || lacking="$lacking $p"; done
[ -z "$lacking" ] || install $lacking
command -v git >/dev/null || install git || echo 'git is not there; the agent works without'
`
}
