// Package config reads wideswe.yaml, the configuration of a curator's folder. Which settings there are is for the
// stages and tools that have them: the struct [Config] puts their options together, and template.yaml is made of them.
package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/folder"
	"github.com/wideswe/wideswe/pipeline/git"
	"github.com/wideswe/wideswe/pipeline/github"
	"github.com/wideswe/wideswe/pipeline/sandbox/image"
	"github.com/wideswe/wideswe/pipeline/settings"
	"github.com/wideswe/wideswe/schema"
	"github.com/wideswe/wideswe/stages/crawl"
	"github.com/wideswe/wideswe/stages/export"
	"github.com/wideswe/wideswe/stages/group"
	"github.com/wideswe/wideswe/stages/inspect"
	"github.com/wideswe/wideswe/stages/rank"
	"github.com/wideswe/wideswe/stages/validate"
)

// Config is wideswe.yaml: the options of the stages and tools, in the file's order. template.yaml is made of their tags
// and comments; after a change, go test -update writes it.
type Config struct {
	// What to mine. An ecosystem is one product, platform or technology: organizations, single repositories, or both.
	Ecosystems []schema.EcosystemConfig `yaml:"ecosystems" default:"[]"`

	GitHub   github.Options   `yaml:"github"`
	Git      git.Options      `yaml:"git"`
	Rank     rank.Options     `yaml:"rank"`
	Crawl    crawl.Options    `yaml:"crawl"`
	Group    group.Options    `yaml:"group"`
	Review   inspect.Options  `yaml:"review"`
	Validate validate.Options `yaml:"validate"`
	// Base images by the name recipes use, where yours differ:  "debian:trixie": wideswe/base:trixie
	Images  map[string]string `yaml:"images" default:"{}"`
	Build   image.Options     `yaml:"build"`
	Export  export.Options    `yaml:"export"`
	Workers int               `yaml:"workers" default:"2"`
}

// DemoURL in github.api_url and git.url_template starts the in-process GitHub over the ecosystem the program carries.
const DemoURL = "demo"

// Read is [Load] for those who need something to mine.
func Read(path string) (*Config, error) {
	c, err := Load(path)
	if err != nil {
		return nil, err
	}
	return c, c.checkEcosystems(path)
}

// Load reads the file strictly over the defaults.
func Load(path string) (*Config, error) {
	b, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, pipeline.Usage("there is no %s; wideswe init DIR --ecosystem NAME=ORG writes one", path)
	}
	if err != nil {
		return nil, err
	}
	filled := settings.Fill(Config{})
	c := &filled
	if err := decodeConfig(b, c); err != nil {
		return nil, pipeline.Usage("%s: %v", path, err)
	}
	if err := c.check(); err != nil {
		return nil, pipeline.Usage("%s: %v", path, err)
	}
	return c, nil
}

// checkEcosystems wants something to mine: in the config, in ecosystems.yaml
// beside it, or in a ranking.
func (c *Config) checkEcosystems(path string) error {
	if len(c.Ecosystems) > 0 {
		return nil
	}
	f := folder.Folder{Dir: filepath.Dir(path)}
	listed, err := f.Ecosystems()
	if err != nil || len(listed) > 0 {
		return err
	}
	if _, err := os.Stat(filepath.Join(f.Dir, c.Rank.RankingFile)); c.Rank.RankingFile != "" && err == nil {
		return nil
	}
	return pipeline.Usage("%s: ecosystems is empty; add one, such as {name: ipfs, organizations: [ipfs]}, list some in "+
		"ecosystems.yaml, or make a ranking with wideswe rank --from search", path)
}

func decodeConfig(b []byte, c *Config) error {
	err := pipeline.DecodeYAML(b, false, c)
	if errors.Is(err, pipeline.ErrUntamed) {
		return err
	}
	// A key that is not there is the likelier reason of a value that does not fit.
	if err := unknownKeys(b, reflect.TypeFor[Config]()); err != nil {
		return err
	}
	if err != nil {
		return errors.New(strings.TrimSpace(yaml.FormatError(err, false, true)))
	}
	return nil
}

// check returns the first thing that is wrong with the values.
func (c *Config) check() error {
	options := []interface{ Check() error }{c.Rank, c.Validate, c.Build, c.Export, c.Git, c.Crawl}
	for _, o := range options {
		if err := o.Check(); err != nil && o != (git.Options{URLTemplate: DemoURL}) {
			return err
		}
	}
	seen := map[string]bool{}
	for _, e := range c.Ecosystems {
		if e.Name == "" || seen[e.Name] {
			return fmt.Errorf("ecosystem name %q is empty or there twice", e.Name)
		}
		seen[e.Name] = true
	}
	return nil
}
