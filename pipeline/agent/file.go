package agent

import (
	"errors"
	"fmt"
	"maps"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/wideswe/wideswe/pipeline"
)

// File is an agent's file: what is run, in what, within which bounds.
type File struct {
	// Name is the configuration's name in predictions; the other three describe it.
	Name    string `yaml:"name" json:"name"`
	Version string `yaml:"version" json:"version,omitempty"`
	Model   string `yaml:"model" json:"model,omitempty"`
	Effort  string `yaml:"effort" json:"effort,omitempty"`

	// Image is what it runs in; empty is each target's own, in which tests run.
	Image    string   `yaml:"image" json:"image,omitempty"`
	Packages []string `yaml:"packages" json:"packages,omitempty"` // of the image's distribution
	Setup    []string `yaml:"setup" json:"setup,omitempty"`       // shell lines, network on, once an image
	Command  Command  `yaml:"command" json:"command"`
	Files    []Mount  `yaml:"files" json:"files,omitempty"`
	// Env names variables whose values are the caller's; Set gives values that are no secret.
	Env []string          `yaml:"env" json:"env,omitempty"`
	Set map[string]string `yaml:"set" json:"set,omitempty"`

	Timeout Duration `yaml:"timeout" json:"timeout,omitempty"`
	Memory  Size     `yaml:"memory" json:"memory,omitempty"`
	Disk    Size     `yaml:"disk" json:"disk,omitempty"`
	CPUs    float64  `yaml:"cpus" json:"cpus,omitempty"`
	Pids    int64    `yaml:"pids" json:"pids,omitempty"`

	Network Network `yaml:"network" json:"network"`
	// Trajectory are patterns of files that are kept, such as ~/.tool/**/*.jsonl.
	Trajectory []string `yaml:"trajectory" json:"trajectory,omitempty"`

	builtin string // gold or empty
	script  []byte // of shell:SCRIPT
}

// fileKeys are the keys that there are, for messages.
var fileKeys = []string{"name", "version", "model", "effort", "image", "packages", "setup", "command", "files", "from", "to", "env", "set", "timeout",
	"memory", "disk", "cpus", "pids", "network", "allow", "private", "base_urls", "carrier", "trajectory"}

// Command is a list of words, or a line for the shell.
type Command struct {
	Words []string `json:"words,omitempty"`
	Line  string   `json:"line,omitempty"`
}

// UnmarshalYAML reads either.
func (c *Command) UnmarshalYAML(read func(any) error) error {
	if read(&c.Words) == nil {
		return nil
	}
	c.Words = nil
	return read(&c.Line)
}

// Mount is a file or folder of this machine that is copied into the container.
type Mount struct {
	From string `yaml:"from" json:"from"`
	To   string `yaml:"to" json:"to"`
}

// Network says what an agent reaches: nothing, or what the proxy lets through.
type Network struct {
	// Allow are hosts of the internet, as api.example.org, *.example.org or HOST:PORT.
	Allow []string `yaml:"allow" json:"allow,omitempty"`
	// Private are hosts that may lie in a private network or on this machine.
	Private []string `yaml:"private" json:"private,omitempty"`
	// BaseURLs are variables that a client takes its API's address from; the proxy
	// stands at the address that the agent gets, and counts what the API says of usage.
	BaseURLs map[string]string `yaml:"base_urls" json:"base_urls,omitempty"`
	// Carrier is the image of the proxy's end beside the agent, where the agent's has no perl.
	Carrier string `yaml:"carrier" json:"carrier,omitempty"`
}

// UnmarshalYAML reads off, or the keys.
func (n *Network) UnmarshalYAML(read func(any) error) error {
	var word string
	if read(&word) == nil {
		if word != "off" && word != "false" { // YAML's older readers take off for a truth value
			return fmt.Errorf("network is %q; write off, or the keys allow, private, base_urls", word)
		}
		return nil
	}
	var off bool
	if read(&off) == nil && !off {
		return nil
	}
	type plain Network
	return read((*plain)(n))
}

// On says whether there is anything to reach.
func (n Network) On() bool { return len(n.Allow)+len(n.Private)+len(n.BaseURLs) > 0 }

// Duration is written as 90m, or in seconds.
type Duration time.Duration

// UnmarshalYAML reads it.
func (d *Duration) UnmarshalYAML(b []byte) error {
	text := strings.Trim(strings.TrimSpace(string(b)), `'"`)
	if n, err := strconv.Atoi(text); err == nil {
		text = fmt.Sprintf("%ds", n)
	}
	v, err := time.ParseDuration(text)
	if err != nil || v <= 0 {
		return fmt.Errorf("%q is not a duration such as 90m or 2h", text)
	}
	*d = Duration(v)
	return nil
}

// Size is written as 8g, 512m, or in bytes.
type Size int64

// UnmarshalYAML reads it.
func (s *Size) UnmarshalYAML(b []byte) error {
	text := strings.ToLower(strings.Trim(strings.TrimSpace(string(b)), `'"`))
	unit := int64(1)
	if i := strings.IndexAny("kmgt", text[max(0, len(text)-1):]); text != "" && i >= 0 {
		unit, text = 1<<(10*(i+1)), text[:len(text)-1]
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || n <= 0 || n*float64(unit) > 1<<50 {
		return fmt.Errorf("%q is not a size such as 8g or 512m", strings.TrimSpace(string(b)))
	}
	*s = Size(n * float64(unit))
	return nil
}

// ReadFile reads an agent's file strictly.
func ReadFile(name string) (*File, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, pipeline.Usage("the agent's file %s can't be read (%v); give a YAML file, or gold, empty or shell:SCRIPT", name, err)
	}
	f, err := Parse(text)
	if err != nil {
		return nil, pipeline.Usage("%s: %v", name, err)
	}
	for i, m := range f.Files {
		if !filepath.IsAbs(m.From) {
			f.Files[i].From = filepath.Join(filepath.Dir(name), m.From)
		}
		if _, err := os.Stat(f.Files[i].From); err != nil {
			return nil, pipeline.Usage("%s: files: %v", name, err)
		}
	}
	return f, nil
}

var unknownKey = regexp.MustCompile(`unknown field "([^"]*)"`)

// Parse reads the text of an agent's file.
func Parse(text []byte) (*File, error) {
	f := &File{}
	if err := pipeline.DecodeYAML(text, true, f); err != nil {
		var y *pipeline.YAMLError
		if m := unknownKey.FindStringSubmatch(err.Error()); m != nil && errors.As(err, &y) {
			return nil, fmt.Errorf("line %d: there is no key %q%s", y.Line, m[1], pipeline.DidYouMean(m[1], fileKeys))
		}
		return nil, err
	}
	return f, f.check()
}

var (
	agentName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._+:/@ -]{0,99}$`)
	envName   = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
)

// ours are variables that a run sets itself.
var ours = []string{"HOME", "WIDESWE_WORKSPACE", "WIDESWE_REPO", "WIDESWE_PROMPT_FILE", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy"}

func (f *File) check() error {
	switch {
	case !agentName.MatchString(f.Name):
		return fmt.Errorf("name is %q; it names the configuration in predictions and reports: letters, digits and . _ + : / @ -, at most 100", f.Name)
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
	for _, n := range slices.Concat(names, slices.Sorted(maps.Keys(f.Set)), slices.Sorted(maps.Keys(f.Network.BaseURLs))) {
		switch {
		case !envName.MatchString(n):
			return fmt.Errorf("%q is no name of a variable; env lists names, their values are the caller's (a ? at the end: where it is set), and set gives values", n)
		case slices.Contains(ours, n):
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
		if m.From == "" || !path.IsAbs(to) && !strings.HasPrefix(to, "~/") || to == "/" || to == "/workspace" || strings.HasPrefix(to, "/workspace/") {
			return fmt.Errorf("files: from %q to %q; from is a path of this machine, to an absolute path or ~/…, outside /workspace", m.From, m.To)
		}
	}
	for _, p := range f.Trajectory {
		if !path.IsAbs(p) && !strings.HasPrefix(p, "~/") || slices.Contains(strings.Split(p, "/"), "..") {
			return fmt.Errorf("trajectory: %q; write an absolute path or ~/…, with * and ** for parts of it", p)
		}
		if prefix, _ := splitPattern(p); len(strings.Split(strings.Trim(prefix, "/"), "/")) < 2 && !strings.HasPrefix(p, "~/") {
			return fmt.Errorf("trajectory: %q begins too high up: name at least two folders before the first *", p)
		}
	}
	return nil
}

func (n Network) check() error {
	for _, h := range slices.Concat(n.Allow, n.Private) {
		if err := CheckDestination(h); err != nil {
			return fmt.Errorf("network: %w", err)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(n.BaseURLs)) {
		u, err := url.Parse(n.BaseURLs[name])
		if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
			return fmt.Errorf("network: base_urls: %s is no address such as https://api.example.org/v1", name)
		}
		if u.Scheme == "http" && !NewPolicy(n.Allow, n.Private).CoversPrivate(u) {
			return fmt.Errorf("network: base_urls: %s is not https; that is for hosts listed under private alone", name)
		}
	}
	return nil
}

// baseURLs are the parsed addresses of BaseURLs, by the variable that names each.
func (n Network) baseURLs() map[string]*url.URL {
	bases := map[string]*url.URL{}
	for name, s := range n.BaseURLs {
		bases[name], _ = url.Parse(s) // checked when the file was read
	}
	return bases
}

// Digest tells one agent's file from another. Where the files to copy lie on this machine
// does not enter it.
func (f *File) Digest() string {
	plain := *f
	plain.Files = nil
	for _, m := range f.Files {
		plain.Files = append(plain.Files, Mount{To: m.To})
	}
	return pipeline.Hash(plain, f.builtin, f.script)
}
