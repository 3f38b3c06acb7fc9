package agentfile

import (
	"errors"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
)

var (
	agentName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._+:/@ -]{0,99}$`)
	envName   = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
)

// ownVariables are the variables that a run sets itself.
var ownVariables = []string{"HOME", "WIDESWE_WORKSPACE", "WIDESWE_REPO", "WIDESWE_PROMPT_FILE", "HTTP_PROXY",
	"HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy"}

func (f *File) check() error {
	switch {
	case !agentName.MatchString(f.Name):
		return fmt.Errorf("name is %q; it names the configuration in predictions and reports: letters, digits and "+
			". _ + : / @ -, at most 100", f.Name)
	case f.Name == Gold || f.Name == Empty:
		return fmt.Errorf("name is %s, which is a built-in agent's", f.Name)
	case len(f.Command.Words) == 0 && strings.TrimSpace(f.Command.Line) == "":
		return errors.New("command is missing: a list of words, or a line for the shell")
	case f.CPUs < 0 || f.Pids < 0:
		return errors.New("cpus and pids must not be negative")
	}
	return errors.Join(f.checkEnv(), f.checkFiles(), f.Network.check())
}

func (f *File) checkEnv() error {
	seen := map[string]bool{}
	var names []string
	for _, n := range f.Env {
		names = append(names, strings.TrimSuffix(n, "?"))
	}
	for _, n := range slices.Concat(names, slices.Sorted(maps.Keys(f.Set)),
		slices.Sorted(maps.Keys(f.Network.BaseURLs))) {
		switch {
		case !envName.MatchString(n):
			return fmt.Errorf("%q is no name of a variable; env lists names, their values are the caller's (a ? "+
				"at the end: where it is set), and set gives values", n)
		case slices.Contains(ownVariables, n):
			return fmt.Errorf("%s is set by the run itself", n)
		case seen[n]:
			return fmt.Errorf("%s is there twice, in env, set or base_urls", n)
		}
		seen[n] = true
	}
	return nil
}

func (f *File) checkFiles() error {
	for _, m := range f.Files {
		to := path.Clean(m.To)
		if m.From == "" || !path.IsAbs(to) && !strings.HasPrefix(to, "~/") || to == "/" || to == "/workspace" ||
			strings.HasPrefix(to, "/workspace/") {
			return fmt.Errorf("files: from %q to %q; from is a path of this machine, to an absolute path or ~/…, "+
				"outside /workspace", m.From, m.To)
		}
	}
	for _, p := range f.Trajectory {
		if !path.IsAbs(p) && !strings.HasPrefix(p, "~/") || slices.Contains(strings.Split(p, "/"), "..") {
			return fmt.Errorf("trajectory: %q; write an absolute path or ~/…, with * and ** for parts of it", p)
		}
		if prefix, _ := SplitPattern(p); len(strings.Split(strings.Trim(prefix, "/"), "/")) < 2 &&
			!strings.HasPrefix(p, "~/") {
			return fmt.Errorf("trajectory: %q begins too high up: name at least two folders before the first *", p)
		}
	}
	return nil
}
