package agentfile

import (
	"github.com/wideswe/wideswe/pipeline"
)

// File is an agent's file: the command that is run, its image, its limits and its network.
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

// fileKeys lists the known keys, for messages.
var fileKeys = []string{"name", "version", "model", "effort", "image", "packages", "setup", "command", "files",
	"from", "to", "env", "set", "timeout",
	"memory", "disk", "cpus", "pids", "network", "allow", "private", "base_urls", "carrier", "trajectory"}

// Mount is a file or folder of this machine that is copied into the container.
type Mount struct {
	From string `yaml:"from" json:"from"`
	To   string `yaml:"to" json:"to"`
}

// The built-in agents, for checks: Gold applies the gold patches, Empty changes nothing. A third, shell:SCRIPT, runs
// a script.
const (
	Gold     = "gold"
	Empty    = "empty"
	scripted = "shell:"
)

// Runs tells whether the agent runs a command, as all but the built-in ones do.
func (f *File) Runs() bool { return f.builtin == "" }

// Script returns the text of the script that shell:SCRIPT names, nil for other agents.
func (f *File) Script() []byte { return f.script }

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
