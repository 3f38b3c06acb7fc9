package agent

import (
	"context"
	"maps"
	"os"
	"path"
	"time"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/agent/agentfile"
	"github.com/wideswe/wideswe/pipeline/agent/proxy"
	"github.com/wideswe/wideswe/pipeline/sandbox"
)

// spec returns the specification of the agent's sandbox.
func (a *attempt) spec(ctx context.Context) (sandbox.Spec, error) {
	f := a.runner.Agent
	img, err := a.runner.image(ctx, a.task, a.targets())
	if err != nil {
		return sandbox.Spec{}, err
	}
	a.record.Image = img.ID
	env := map[string]string{"LANG": "C.UTF-8", "TZ": "UTC", "HOME": a.home(),
		"GIT_AUTHOR_NAME": "agent", "GIT_AUTHOR_EMAIL": "agent@localhost",
		"GIT_COMMITTER_NAME": "agent", "GIT_COMMITTER_EMAIL": "agent@localhost"}
	maps.Copy(env, img.Env)
	maps.Copy(env, f.Set)
	maps.Copy(env, a.runner.env)
	env["WIDESWE_WORKSPACE"] = sandbox.Root + workspaceDir
	env["WIDESWE_PROMPT_FILE"] = sandbox.Root + workspaceDir + "/prompt.md"
	if a.job.Target != "" {
		env["WIDESWE_REPO"] = sandbox.Root + path.Join(workspaceDir, a.job.Target)
	}
	in, err := a.sources()
	if err != nil {
		return sandbox.Spec{}, err
	}
	return sandbox.Spec{Image: img.ID, Dir: workspaceDir, Script: script(f.Command), Env: env, Limits: limitsOf(f),
		Split: true, In: in,
		After: a.collectFiles, Labels: map[string]string{"wideswe.task": a.job.Task}}, nil
}

// limitsOf returns the limits that an agent's file sets, with defaults for the others.
func limitsOf(f *agentfile.File) sandbox.Limits {
	l := sandbox.Limits{Memory: int64(f.Memory), CPUs: f.CPUs, Pids: f.Pids, Disk: int64(f.Disk),
		Timeout: time.Duration(f.Timeout), Output: 64 << 20}
	if l.Timeout == 0 {
		l.Timeout = time.Hour
	}
	if l.Memory == 0 {
		l.Memory = 8 << 30
	}
	return l.Defaults()
}

// script returns the shell script that starts the agent in the workspace. The prompt is also its standard input, and
// a failing line does not end the script.
func script(c agentfile.Command) string {
	line := c.Line
	if len(c.Words) > 0 {
		line = "exec " + pipeline.ShellWords(c.Words)
	}
	return "set +e\nexport PATH=\"$HOME/.local/bin:$PATH\"\ncd \"$WIDESWE_WORKSPACE\"\nexec < " +
		"\"$WIDESWE_PROMPT_FILE\"\n" + line + "\n"
}

// sources lists the files that are copied in: the workspace and the agent's own.
func (a *attempt) sources() ([]sandbox.Source, error) {
	in := []sandbox.Source{{Path: workspaceDir, Dir: a.workspace}}
	if a.runner.Agent.Script() != nil {
		in = append(in, sandbox.Source{Path: agentfile.ScriptFolder,
			Files: map[string][]byte{"agent": a.runner.Agent.Script()}})
	}
	for _, m := range a.runner.Agent.Files {
		info, err := os.Stat(m.From)
		if err != nil {
			return nil, pipeline.Usage("files: %v", err)
		}
		to := a.sandboxPath(m.To)
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

// openProxy starts the run's proxy and points the agent at it; nil where the file allows no network.
func (a *attempt) openProxy(ctx context.Context, spec *sandbox.Spec) *proxy.Proxy {
	n := a.runner.Agent.Network
	if !n.On() {
		return nil
	}
	p := proxy.New(ctx, proxy.NewPolicy(n.Allow, n.Private), n.ParsedBaseURLs())
	maps.Copy(spec.Env, p.Environment())
	spec.Gate = &sandbox.Gate{Image: a.record.Image, Serve: p.Serve}
	if n.Carrier != "" {
		spec.Gate.Image = n.Carrier
	}
	return p
}
