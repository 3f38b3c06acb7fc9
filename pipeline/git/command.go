package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/wideswe/wideswe/pipeline"
)

const (
	// localTimeout bounds a command that only reads the mirror.
	localTimeout = 10 * time.Minute
	// fetchTimeout bounds one attempt to fetch.
	fetchTimeout = 60 * time.Minute
	// maxStderr bounds what is kept of a command's complaints.
	maxStderr = 16 << 10
	// emptyTree is git's built-in empty tree; as the source of attributes it
	// switches those of the repository off.
	emptyTree = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
)

// settings are given to every call, so that no file of configuration decides anything.
var settings = [][2]string{
	{"safe.directory", "*"},
	{"core.hooksPath", "/dev/null"},
	{"core.attributesFile", "/dev/null"},
	{"core.excludesFile", "/dev/null"},
	{"core.quotePath", "true"},
	{"core.autocrlf", "false"},
	{"core.symlinks", "true"},
	{"core.fsmonitor", "false"},
	{"core.askPass", ""},
	{"credential.helper", ""},
	{"attr.tree", emptyTree},
	{"gc.auto", "0"},
	{"maintenance.auto", "false"},
	{"fetch.fsckObjects", "false"},
	{"fetch.recurseSubmodules", "false"},
	{"protocol.version", "2"},
	{"http.lowSpeedLimit", "1000"},
	{"http.lowSpeedTime", "60"},
	{"merge.directoryRenames", "false"},
	{"merge.conflictStyle", "merge"},
	{"user.name", "wideswe"},
	{"user.email", "wideswe@localhost"},
}

// passed are the variables of our own environment that git may see: where
// programs are, and how the network is reached.
var passed = []string{"PATH", "TMPDIR", "SSH_AUTH_SOCK",
	"http_proxy", "https_proxy", "all_proxy", "no_proxy", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY",
	"SSL_CERT_FILE", "SSL_CERT_DIR", "GIT_SSL_CAINFO", "CURL_CA_BUNDLE"}

// call is one run of the git program.
type call struct {
	dir     string // the bare repository; '' none
	args    []string
	stdin   io.Reader
	stdout  io.Writer // nil: collected
	limit   int64     // bound on collected output; 0 is 1 GiB
	env     []string
	timeout time.Duration
}

// exitError is git's own complaint.
type exitError struct {
	command string
	code    int
	stderr  string
}

func (e *exitError) Error() string {
	text := strings.TrimSpace(e.stderr)
	if text == "" {
		text = "exit status " + strconv.Itoa(e.code)
	}
	return fmt.Sprintf("git %s: %s", e.command, text)
}

// name is the git command, without the settings before it.
func (c call) name() string {
	for i := 0; i < len(c.args); i++ {
		if c.args[i] != "-c" {
			return c.args[i]
		}
		i++
	}
	return ""
}

func (c call) run(ctx context.Context) ([]byte, error) {
	if c.timeout == 0 {
		c.timeout = localTimeout
	}
	ctx, cancel := context.WithTimeoutCause(ctx, c.timeout, fmt.Errorf("git %s took longer than %s", c.name(), c.timeout))
	defer cancel()
	cmd := exec.CommandContext(ctx, "git", c.args...)
	cmd.Env = append(environment(), c.env...)
	if c.dir != "" {
		cmd.Dir = c.dir
		cmd.Env = append(cmd.Env, "GIT_DIR="+c.dir)
	}
	cmd.Stdin = c.stdin
	out := &bounded{limit: c.limit}
	if out.limit == 0 {
		out.limit = 1 << 30
	}
	cmd.Stdout = c.stdout
	if c.stdout == nil {
		cmd.Stdout = out
	}
	stderr := &tail{}
	cmd.Stderr = stderr
	killGroup(cmd)
	err := cmd.Run()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if out.full {
		return nil, fmt.Errorf("git %s: more than %d bytes of output", c.name(), out.limit)
	}
	return out.Bytes(), c.explain(err, stderr.String())
}

func (c call) explain(err error, stderr string) error {
	var exit *exec.ExitError
	switch {
	case err == nil:
		return nil
	case errors.Is(err, exec.ErrNotFound):
		return pipeline.Need("the git program is not on PATH; install git 2.38 or later")
	case strings.Contains(stderr, "No space left on device"), errors.Is(err, syscall.ENOSPC):
		return pipeline.Need("the disk that holds the mirrors is full (%s); free some space and run again", c.dir)
	case errors.As(err, &exit):
		return &exitError{command: c.name(), code: exit.ExitCode(), stderr: stderr}
	}
	return fmt.Errorf("git %s: %w", c.name(), err)
}

// killGroup makes the command the head of a process group that ends as a whole:
// fetch starts helpers that would outlive it.
func killGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 5 * time.Second
}

func environment() []string {
	env := []string{"LC_ALL=C", "TZ=UTC", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_ATTR_NOSYSTEM=1",
		"GIT_TERMINAL_PROMPT=0", "GIT_ASKPASS=false", "SSH_ASKPASS=false", "GIT_SSH_COMMAND=ssh -oBatchMode=yes",
		"GIT_LFS_SKIP_SMUDGE=1", "GIT_NO_LAZY_FETCH=1", "GIT_OPTIONAL_LOCKS=0", "GIT_NO_REPLACE_OBJECTS=1",
		"GIT_CONFIG_COUNT=" + strconv.Itoa(len(settings))}
	for i, s := range settings {
		env = append(env, fmt.Sprintf("GIT_CONFIG_KEY_%d=%s", i, s[0]), fmt.Sprintf("GIT_CONFIG_VALUE_%d=%s", i, s[1]))
	}
	for _, name := range passed {
		if v, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+v)
		}
	}
	return env
}

// bounded collects output up to a limit.
type bounded struct {
	bytes.Buffer
	limit int64
	full  bool
}

func (b *bounded) Write(p []byte) (int, error) {
	if int64(b.Len()+len(p)) > b.limit {
		b.full = true
		return 0, errors.New("output over its limit")
	}
	return b.Buffer.Write(p)
}

// tail keeps the end of what is written.
type tail struct{ b []byte }

func (t *tail) Write(p []byte) (int, error) {
	t.b = append(t.b, p...)
	if len(t.b) > maxStderr {
		t.b = append([]byte(nil), t.b[len(t.b)-maxStderr:]...)
	}
	return len(p), nil
}

func (t *tail) String() string { return string(bytes.ToValidUTF8(t.b, []byte("?"))) }
