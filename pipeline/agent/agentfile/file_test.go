package agentfile

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/wideswe/wideswe/pipeline"
)

const whole = `name: my-agent
version: "1.2"
model: m-1
effort: high
image: debian:trixie
packages: [git]
setup:
  - npm install tool
command: [tool, --print, "a b"]
files:
  - {from: tool, to: /opt/tool}
env: [API_KEY, OPTIONAL?]
set: {LEVEL: "3"}
timeout: 90m
memory: 8g
disk: 512m
cpus: 1.5
pids: 100
network:
  allow: [github.com, "*.example.org:8443"]
  private: [127.0.0.1:8080]
  base_urls: {API_URL: https://api.example.org/v1}
trajectory: ["~/.tool/**/*.jsonl"]
`

func TestParse(t *testing.T) {
	f, err := Parse([]byte(whole))
	if err != nil {
		t.Fatal(err)
	}
	want := &File{Name: "my-agent", Version: "1.2", Model: "m-1", Effort: "high", Image: "debian:trixie",
		Packages: []string{"git"}, Setup: []string{"npm install tool"},
		Command: Command{Words: []string{"tool", "--print", "a b"}}, Files: []Mount{{"tool",
			"/opt/tool"}}, Env: []string{"API_KEY", "OPTIONAL?"}, Set: map[string]string{"LEVEL": "3"},
		Timeout: Duration(90 * time.Minute), Memory: 8 << 30, Disk: 512 << 20, CPUs: 1.5, Pids: 100,
		Trajectory: []string{"~/.tool/**/*.jsonl"},
		Network: Network{Allow: []string{"github.com", "*.example.org:8443"}, Private: []string{"127.0.0.1:8080"},
			BaseURLs: map[string]string{"API_URL": "https://api.example.org/v1"}}}
	if d := cmp.Diff(want, f, cmpopts.IgnoreUnexported(File{})); d != "" {
		t.Error(d)
	}
	f, err = Parse([]byte("name: a\ncommand: echo 'x' > y\nnetwork: off\ntimeout: 60\n"))
	if err != nil || f.Command.Line != "echo 'x' > y" || f.Network.On() || f.Timeout != Duration(time.Minute) {
		t.Errorf("%+v %v", f, err)
	}
}

func TestParseRefuses(t *testing.T) {
	const least = "name: a\ncommand: x\n"
	for text, want := range map[string]string{
		"command: x\n":             "name is",
		"name: gold\ncommand: x\n": "built-in",
		"name: a\n":                "command is missing",
		least + "comand: y\n": `line 3: there is no key "comand" (did you mean ` +
			`"command"?)`,
		least + "network: {alow: [x]}\n":                           `there is no key "alow" (did you mean "allow"?)`,
		least + "files: [{form: a}]\n":                             `there is no key "form" (did you mean "from"?)`,
		least + "network: on\n":                                    "network is",
		least + "network: {allow: ['https://x']}\n":                "no host",
		least + "network: {base_urls: {U: 'ftp://x'}}\n":           "no address",
		least + "network: {base_urls: {U: 'http://x.org'}}\n":      "not https",
		least + "network: {base_urls: {U: 'https://k:s@x.org'}}\n": "no address",
		least + "env: [A=b]\n":                                     "no name of a variable",
		least + "env: [HOME]\n":                                    "set by the run itself",
		least + "env: [A]\nset: {A: b}\n":                          "twice",
		least + "files: [{from: a, to: b}]\n":                      "absolute path",
		least + "files: [{from: a, to: /workspace/o/r}]\n":         "outside /workspace",
		least + "files: [{from: a, to: /x/../workspace/o}]\n":      "outside /workspace",
		least + "trajectory: [x]\n":                                "absolute path",
		least + "trajectory: ['/**']\n":                            "too high up",
		least + "trajectory: ['~/../x']\n":                         "absolute path",
		least + "timeout: soon\n":                                  "not a duration",
		least + "memory: much\n":                                   "not a size",
		least + "memory: 0\n":                                      "not a size",
		least + "cpus: -1\n":                                       "negative",
		least + "env: &a [X]\nset: *a\n":                           "aliases",
	} {
		if _, err := Parse([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

func TestReadFileFindsFilesBesideIt(t *testing.T) {
	dir := t.TempDir()
	text := []byte("name: a\ncommand: x\nfiles: [{from: tool, to: /opt/tool}]\n")
	name := filepath.Join(dir, "a.yaml")
	if err := os.WriteFile(name, text, 0o644); err != nil {
		t.Fatal(err)
	}
	var usage *pipeline.UsageError
	if _, err := ReadFile(name); !errors.As(err, &usage) {
		t.Errorf("a file that is not there: %v", err)
	}
	if err := os.Mkdir(filepath.Join(dir, "tool"), 0o755); err != nil {
		t.Fatal(err)
	}
	if f, err := ReadFile(name); err != nil || f.Files[0].From != filepath.Join(dir, "tool") {
		t.Errorf("%+v %v", f, err)
	}
	if _, err := ReadFile(filepath.Join(dir, "none.yaml")); !errors.As(err, &usage) {
		t.Errorf("got %v", err)
	}
}

func TestSplitPattern(t *testing.T) {
	for _, c := range []struct {
		pattern, prefix string
		yes, no         []string
	}{
		{"~/.t/**/*.jsonl", "~/.t", []string{"a.jsonl", "b/c/a.jsonl"}, []string{"a.json", "b/c"}},
		{"/var/log/tool/x?.log", "/var/log/tool", []string{"xa.log"}, []string{"x.log", "a/xa.log", "xa-log"}},
		{"~/a/**", "~/a", []string{"x", "x/y/z"}, []string{""}},
		{"/opt/a/b.txt", "/opt/a/b.txt", nil, nil},
	} {
		prefix, below := SplitPattern(c.pattern)
		if prefix != c.prefix || (below == nil) != (c.yes == nil) {
			t.Errorf("%s: %q %v", c.pattern, prefix, below)
		}
		for _, s := range c.yes {
			if !below.MatchString(s) {
				t.Errorf("%s does not cover %q", c.pattern, s)
			}
		}
		for _, s := range c.no {
			if below.MatchString(s) {
				t.Errorf("%s covers %q", c.pattern, s)
			}
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(whole))
	f.Fuzz(func(t *testing.T, b []byte) { _, _ = Parse(b) })
}
