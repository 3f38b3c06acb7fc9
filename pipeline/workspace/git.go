package workspace

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/wideswe/wideswe/pipeline"
)

// gitLimit ends a git program that hangs on a stranger's input.
const gitLimit = 10 * time.Minute

// git runs the git program in dir, outside any repository unless gitDir names
// one, without anyone's configuration, hooks or prompts.
func git(ctx context.Context, dir, gitDir string, stdin io.Reader, args ...string) (stdout, stderr string, err error) {
	// git runs inside dir: a path from elsewhere would lead it astray.
	if dir, err = filepath.Abs(dir); err != nil {
		return "", "", err
	}
	if gitDir != "" {
		if gitDir, err = filepath.Abs(gitDir); err != nil {
			return "", "", err
		}
	}
	ctx, cancel := context.WithTimeout(ctx, gitLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = dir
	cmd.Env = gitEnv(dir, gitDir)
	cmd.Stdin = stdin
	cmd.WaitDelay = 10 * time.Second
	var out, errOut bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errOut
	err = cmd.Run()
	if errors.Is(err, exec.ErrNotFound) {
		err = pipeline.Need("the git program is missing; install git 2.39 or newer")
	}
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return out.String(), errOut.String(), err
}

func gitEnv(dir, gitDir string) []string {
	if gitDir == "" {
		gitDir = filepath.Join(os.DevNull, "none") // no repository: git apply works as a plain patch tool
	}
	return []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + os.DevNull, "LC_ALL=C", "TZ=UTC",
		"GIT_DIR=" + gitDir, "GIT_CEILING_DIRECTORIES=" + filepath.Dir(dir),
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_ATTR_NOSYSTEM=1",
		"GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0",
		"GIT_CONFIG_COUNT=3", "GIT_CONFIG_KEY_0=safe.directory", "GIT_CONFIG_VALUE_0=*",
		"GIT_CONFIG_KEY_1=core.hooksPath", "GIT_CONFIG_VALUE_1=" + os.DevNull,
		// A reflog would tell who made the workspace, and when.
		"GIT_CONFIG_KEY_2=core.logAllRefUpdates", "GIT_CONFIG_VALUE_2=false",
	}
}

// firstLine gives the first line of git's complaint, without its prefix.
func firstLine(stderr string, err error) string {
	for line := range strings.Lines(stderr) {
		line = strings.TrimSpace(line)
		if s, ok := strings.CutPrefix(line, "error: "); ok {
			return s
		}
		if s, ok := strings.CutPrefix(line, "fatal: "); ok {
			return s
		}
	}
	if s := strings.TrimSpace(stderr); s != "" {
		return strings.SplitN(s, "\n", 2)[0]
	}
	return fmt.Sprint(err)
}
