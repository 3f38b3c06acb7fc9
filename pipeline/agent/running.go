package agent

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/release"
	"github.com/wideswe/wideswe/pipeline/sandbox"
	"github.com/wideswe/wideswe/pipeline/workspace"
)

// running is one run under way.
type running struct {
	r            *Runner
	job          Job
	task         *release.Task
	ws           string // as the agent gets it; it stays so
	scratch      string
	keep         string // what is kept of the run
	repositories []string

	patches  map[string][]byte
	record   *Record
	finished bool
}

// workspaceDir is the workspace's folder inside a sandbox.
const workspaceDir = "/workspace"

// do runs the agent and collects. An error beside a record is one of [running.trouble].
func (o *running) do(ctx context.Context) (*Record, error) {
	o.record = &Record{Format: 1, Job: o.job, Agent: o.r.Agent.Name, Version: o.r.Agent.Version, Model: o.r.Agent.Model, Effort: o.r.Agent.Effort,
		Digest: o.r.Agent.Digest(), Sandbox: o.r.Backend.Name(), Started: time.Now().UTC().Truncate(time.Second)}
	o.patches = map[string][]byte{}
	if !o.r.Agent.Runs() {
		return o.record, o.builtIn(ctx)
	}
	spec, err := o.spec(ctx)
	if err != nil {
		return nil, err
	}
	release, err := o.r.take(ctx, spec.Limits)
	if err != nil {
		return nil, err
	}
	defer release()
	p := o.open(ctx, &spec)
	res, err := o.r.Backend.Run(ctx, spec)
	if err != nil {
		return nil, err
	}
	if !o.finished {
		return nil, errors.New("the run ended without its files being read")
	}
	o.note(res, spec, p)
	if err := o.logs(res); err != nil {
		return nil, err
	}
	return o.record, o.trouble(res)
}

// spec says how the agent is run.
func (o *running) spec(ctx context.Context) (sandbox.Spec, error) {
	f := o.r.Agent
	img, err := o.r.image(ctx, o.task, o.targets())
	if err != nil {
		return sandbox.Spec{}, err
	}
	o.record.Image = img.ID
	env := map[string]string{"LANG": "C.UTF-8", "TZ": "UTC", "HOME": o.home(),
		"GIT_AUTHOR_NAME": "agent", "GIT_AUTHOR_EMAIL": "agent@localhost", "GIT_COMMITTER_NAME": "agent", "GIT_COMMITTER_EMAIL": "agent@localhost"}
	maps.Copy(env, img.Env)
	maps.Copy(env, f.Set)
	maps.Copy(env, o.r.env)
	env["WIDESWE_WORKSPACE"] = sandbox.Root + workspaceDir
	env["WIDESWE_PROMPT_FILE"] = sandbox.Root + workspaceDir + "/prompt.md"
	if o.job.Target != "" {
		env["WIDESWE_REPO"] = sandbox.Root + path.Join(workspaceDir, o.job.Target)
	}
	in, err := o.files()
	if err != nil {
		return sandbox.Spec{}, err
	}
	return sandbox.Spec{Image: img.ID, Dir: workspaceDir, Script: script(f.Command), Env: env, Limits: limitsOf(f), Split: true, In: in,
		After: o.collect, Labels: map[string]string{"wideswe.task": o.job.Task}}, nil
}

// targets are those whose tests the agent may want to run.
func (o *running) targets() []string {
	if o.job.Target != "" {
		return []string{o.job.Target}
	}
	var list []string
	for _, t := range o.task.Targets {
		list = append(list, t.Repository)
	}
	return list
}

// script calls the agent as a person would from the workspace: the prompt is its
// standard input, too, and one failing line of a script ends nothing.
func script(c Command) string {
	line := c.Line
	if len(c.Words) > 0 {
		line = "exec " + pipeline.ShellWords(c.Words)
	}
	return "set +e\nexport PATH=\"$HOME/.local/bin:$PATH\"\ncd \"$WIDESWE_WORKSPACE\"\nexec < \"$WIDESWE_PROMPT_FILE\"\n" + line + "\n"
}

// home is the agent's home in the sandbox.
func (o *running) home() string {
	if o.r.Backend.Name() == "process" {
		return "/home" // it has one of its own
	}
	return "/home/wideswe"
}

// at is a path of the agent's file in the sandbox.
func (o *running) at(p string) string {
	if rest, ok := strings.CutPrefix(p, "~/"); ok {
		return path.Join(o.home(), rest)
	}
	return path.Clean(p)
}

// files are what is copied in: the workspace, and the agent's own.
func (o *running) files() ([]sandbox.Source, error) {
	in := []sandbox.Source{{Path: workspaceDir, Dir: o.ws}}
	if o.r.Agent.Script() != nil {
		in = append(in, sandbox.Source{Path: agentDir, Files: map[string][]byte{"agent": o.r.Agent.Script()}})
	}
	for _, m := range o.r.Agent.Files {
		info, err := os.Stat(m.From)
		if err != nil {
			return nil, pipeline.Usage("files: %v", err)
		}
		to := o.at(m.To)
		if info.IsDir() {
			in = append(in, sandbox.Source{Path: to, Dir: m.From})
			continue
		}
		b, err := os.ReadFile(m.From)
		if err != nil {
			return nil, pipeline.Usage("files: %v", err)
		}
		in = append(in, sandbox.Source{Path: path.Dir(to), Files: map[string][]byte{path.Base(to): b}})
	}
	return in, nil
}

// open gives the run its proxy, where it has one.
func (o *running) open(ctx context.Context, spec *sandbox.Spec) *proxy {
	n := o.r.Agent.Network
	if !n.On() {
		return nil
	}
	p := newProxy(ctx, NewPolicy(n.Allow, n.Private), n.baseURLs())
	maps.Copy(spec.Env, p.environment())
	spec.Gate = &sandbox.Gate{Image: o.record.Image, Serve: p.Serve}
	if n.Carrier != "" {
		spec.Gate.Image = n.Carrier
	}
	return p
}

// collect reads what the agent left, while it is there.
func (o *running) collect(ctx context.Context, res sandbox.Result, left sandbox.Left) error {
	err := o.patch(ctx, func() (io.ReadCloser, error) { return left(ctx, workspaceDir) })
	if err != nil {
		return err
	}
	o.finished = true
	return o.trajectory(ctx, left)
}

// patch makes the patches of what lies in a workspace.
func (o *running) patch(ctx context.Context, open func() (io.ReadCloser, error)) error {
	c, err := newCollection(ctx, o.ws, o.repositories, o.r.Bounds, o.r.secrets)
	if err != nil {
		return err
	}
	list, err := c.collect(ctx, open)
	var over *OverError
	if errors.As(err, &over) {
		o.record.Over = over.What
		return nil
	}
	if err != nil {
		return err
	}
	o.record.Beside = c.beside
	for _, one := range list {
		row := RecordRepository{Repository: one.Repository, Bytes: len(one.Patch), Over: one.Over, Lost: one.Lost, LeftOut: one.LeftOut}
		if len(one.Patch) > 0 {
			o.patches[one.Repository] = one.Patch
			files, err := workspace.Touched(one.Patch)
			if err != nil {
				return fmt.Errorf("the patch of %s that was made can't be used: %w", one.Repository, err)
			}
			row.Files = len(files)
		}
		o.record.Repositories = append(o.record.Repositories, row)
	}
	return nil
}

// note writes down how the run went.
func (o *running) note(res sandbox.Result, spec sandbox.Spec, p *proxy) {
	rec := o.record
	rec.Exit, rec.Seconds, rec.LimitsMet, rec.NetworkOff = res.ExitCode, res.Duration.Seconds(), res.LimitsMet(), res.NetworkOff
	l := spec.Limits
	rec.Limits = map[string]any{"seconds": int(l.Timeout.Seconds()), "memory": l.Memory, "cpus": l.CPUs, "pids": l.Pids, "disk": l.Disk}
	if p != nil {
		t := p.Traffic()
		rec.Traffic = &t
	}
	over := rec.Over != ""
	for _, r := range rec.Repositories {
		over = over || r.Over != ""
	}
	switch {
	case res.DiskFull:
		rec.Status = DiskFull
	case res.OOM && res.ExitCode != 0:
		rec.Status = OOM
	case res.TimedOut:
		rec.Status = Timeout
	case over:
		rec.Status = OverBounds
	case res.ExitCode != 0:
		rec.Status = Exit
	default:
		rec.Status = Ended
	}
}

// trouble finds what is no word on the agent: its command was not there, or its API
// answered nothing, whatever the agent made of that. Whatever changed a file is the
// agent's.
func (o *running) trouble(res sandbox.Result) error {
	t, status := o.record.Traffic, o.record.Status
	switch {
	case len(o.patches) > 0:
		return nil
	case status == Exit && (res.ExitCode == 126 || res.ExitCode == 127):
		return pipeline.Need("the agent's command can't be run in its image (exit %d): %s; correct command, packages, setup or image", res.ExitCode, o.tail(res))
	case t != nil && t.Failed > 0 && t.Calls == 0 && (status == Exit || status == Ended || status == Timeout):
		return fmt.Errorf("the API answered none of its requests (%d failed): %s", t.Failed, o.tail(res))
	}
	return nil
}

// tail is the end of what the agent said, fit for an error message.
func (o *running) tail(res sandbox.Result) string {
	text := strings.TrimSpace(string(res.Errors))
	if text == "" {
		text = strings.TrimSpace(string(res.Output))
	}
	text = pipeline.Printable(string(o.r.secrets.Redact([]byte(strings.ReplaceAll(text, "\n", " | ")))))
	if r := []rune(text); len(r) > 300 {
		text = "…" + string(r[len(r)-300:])
	}
	return text
}

// logs keeps what the agent printed.
func (o *running) logs(res sandbox.Result) error {
	return errors.Join(
		os.WriteFile(filepath.Join(o.keep, "stdout.log"), o.r.secrets.Redact(res.Output), 0o644),
		os.WriteFile(filepath.Join(o.keep, "stderr.log"), o.r.secrets.Redact(res.Errors), 0o644))
}

// limitsOf returns the limits that an agent's file sets, with defaults for the others.
func limitsOf(f *File) sandbox.Limits {
	l := sandbox.Limits{Memory: int64(f.Memory), CPUs: f.CPUs, Pids: f.Pids, Disk: int64(f.Disk), Timeout: time.Duration(f.Timeout), Output: 64 << 20}
	if l.Timeout == 0 {
		l.Timeout = time.Hour
	}
	if l.Memory == 0 {
		l.Memory = 8 << 30
	}
	return l.Defaults()
}
