package image

import "github.com/wideswe/wideswe/pipeline/settings"

// Options are the settings under build in wideswe.yaml: how images are built, and what they may take of the disk.
type Options struct {
	// Names of environment variables and host files that image builds may see (proxies, package mirrors,
	// certificates); they are in no image and in no test run.
	Env   []string `yaml:"env" default:"[]"`
	Files []string `yaml:"files" default:"[]"`
	// what the images made here and elsewhere by wideswe may take of the disk
	Budget settings.Size `yaml:"image_budget" default:"60g"`
	// or prune: the least recently used ones go
	OverBudget string `yaml:"over_budget" default:"warn"`
}

// Check returns what is wrong with the settings.
func (o Options) Check() error {
	return settings.OneOf("build.over_budget", o.OverBudget, "warn", "prune")
}
