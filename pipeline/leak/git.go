package leak

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// gitLimit bounds one question to git.
const gitLimit = 10 * time.Minute

// Repository looks through one repository of a workspace: one commit, on one
// branch, and nothing else; no secret among its files.
func (s *Secrets) Repository(ctx context.Context, dir, name string) ([]Finding, error) {
	var found []Finding
	note := func(place, format string, args ...any) {
		found = append(found, Finding{name + ": " + place, fmt.Sprintf(format, args...)})
	}
	if err := s.files(dir, note); err != nil {
		return nil, err
	}
	gitDir := filepath.Join(dir, ".git")
	info, err := os.Lstat(gitDir)
	if errors.Is(err, os.ErrNotExist) {
		return Sorted(found), nil // a plain folder
	}
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		note(".git", "is no folder: it leads to a repository elsewhere")
		return Sorted(found), nil
	}
	strayFiles(gitDir, note)
	for _, look := range []func(context.Context, string, func(string, string, ...any)) error{refs, reflogs, remotes,
		s.objects} {
		if err := look(ctx, dir, note); err != nil {
			return nil, fmt.Errorf("looking through %s: %w", name, err)
		}
	}
	return Sorted(found), nil
}

func (s *Secrets) files(dir string, note func(string, string, ...any)) error {
	return eachFile(dir, func(name string, data []byte) {
		if what := s.Content(data); what != "" {
			note(name, "is %s", what)
		}
	})
}

// strayFiles are what git leaves of other work, or where it looks for objects of others.
func strayFiles(gitDir string, note func(string, string, ...any)) {
	for name, what := range map[string]string{
		"FETCH_HEAD": "names fetched commits", "ORIG_HEAD": "names another commit", "MERGE_HEAD": "names another commit",
		"CHERRY_PICK_HEAD": "names another commit", "BISECT_LOG": "names other commits",
		"objects/info/alternates": "leads to objects elsewhere", "shallow": "cuts a history off",
		"info/grafts": "joins histories", "modules": "holds submodules' repositories", "worktrees": "holds other work trees",
		"lfs": "holds large files", "sequencer": "holds unfinished work", "rebase-merge": "holds unfinished work",
		"rebase-apply": "holds unfinished work",
	} {
		if _, err := os.Lstat(filepath.Join(gitDir, filepath.FromSlash(name))); err == nil {
			note(".git/"+name, "%s", what)
		}
	}
}

func refs(ctx context.Context, dir string, note func(string, string, ...any)) error {
	out, err := gitRun(ctx, dir, "for-each-ref", "--format=%(refname) %(objectname)")
	if err != nil {
		return err
	}
	head, err := gitRun(ctx, dir, "rev-parse", "HEAD")
	if err != nil {
		return err
	}
	branches := 0
	for line := range strings.Lines(string(out)) {
		ref, id, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch branches++; {
		case !strings.HasPrefix(ref, "refs/heads/"):
			note("ref "+ref, "is no branch of the workspace")
		case id != strings.TrimSpace(string(head)):
			note("ref "+ref, "is at another commit")
		case branches > 1:
			note("ref "+ref, "is a second branch")
		}
	}
	count, err := gitRun(ctx, dir, "rev-list", "--count", "--all", "HEAD")
	if n := strings.TrimSpace(string(count)); err == nil && n != "1" {
		note("history", "has %s commits, not one", n)
	}
	return err
}

// reflogs: of the one commit there may be an entry.
func reflogs(ctx context.Context, dir string, note func(string, string, ...any)) error {
	head, err := gitRun(ctx, dir, "rev-parse", "HEAD")
	if err != nil {
		return err
	}
	only := strings.TrimSpace(string(head))
	return filepath.WalkDir(filepath.Join(dir, ".git", "logs"), func(p string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			if errors.Is(err, os.ErrNotExist) {
				return nil
			}
			return err
		}
		text, err := readBounded(p)
		for line := range bytes.Lines(text) {
			for _, id := range bytes.Fields(line)[:min(2, len(bytes.Fields(line)))] {
				if string(id) != only && strings.Trim(string(id), "0") != "" {
					rel, _ := filepath.Rel(dir, p)
					note("reflog "+filepath.ToSlash(rel), "names the commit %.40s", id)
				}
			}
		}
		return err
	})
}

func remotes(ctx context.Context, dir string, note func(string, string, ...any)) error {
	out, err := gitRun(ctx, dir, "config", "--local", "--name-only", "--get-regexp",
		`^(remote|branch|submodule|url|include|includeif)\.`)
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 1 {
		return nil // none
	}
	for line := range strings.Lines(string(out)) {
		note(".git/config", "sets %s", strings.TrimSpace(line))
	}
	return err
}

// objects looks at every object there is, packed or loose, reachable or not.
func (s *Secrets) objects(ctx context.Context, dir string, note func(string, string, ...any)) error {
	reach := map[string]bool{}
	out, err := gitRun(ctx, dir, "rev-list", "--objects", "--no-object-names", "HEAD")
	if err != nil {
		return err
	}
	for line := range bytes.Lines(out) {
		reach[strings.TrimSpace(string(line))] = true
	}
	out, err = gitRun(ctx, dir, "cat-file", "--batch-all-objects", "--batch-check", "--unordered")
	lines := bufio.NewScanner(bytes.NewReader(out))
	for lines.Scan() {
		id, kind, _ := strings.Cut(lines.Text(), " ")
		kind, _, _ = strings.Cut(kind, " ")
		switch what := s.blobs[id]; {
		case what != "":
			note("object "+id, "is %s", what)
		case !reach[id]:
			note("object "+id, "is a %s that the workspace's commit does not have", kind)
		}
	}
	return err
}

func gitRun(ctx context.Context, dir string, args ...string) ([]byte, error) {
	dir, err := filepath.Abs(dir) // git runs inside it: GIT_DIR must lead there all the same
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, gitLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.DevNull, "LC_ALL=C", "GIT_DIR=" + filepath.Join(dir,
		".git"),
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0",
		"GIT_NO_LAZY_FETCH=1",
		"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=safe.directory", "GIT_CONFIG_VALUE_0=*"}
	cmd.WaitDelay = 10 * time.Second
	var out, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &stderr
	if err := cmd.Run(); err != nil {
		first, _, _ := strings.Cut(stderr.String(), "\n")
		return out.Bytes(), fmt.Errorf("git %s: %.300s: %w", args[0], first, err)
	}
	return out.Bytes(), nil
}
