package data

import (
	"bytes"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/goccy/go-yaml"
)

// Script is what the demo does with its ecosystem and what must come of it.
type Script struct {
	Reviews     []Review
	Decoys      []Decoy
	Predictions []Prediction
}

// Review is a person's verdict on the candidate of exactly these pulls.
type Review struct {
	Pulls    []string `yaml:"pulls"`   // owner/name#N
	Verdict  string   `yaml:"verdict"` // accept
	Kind     string   `yaml:"kind"`    // bugfix feature
	Pattern  string   `yaml:"pattern"` // producer-consumer parallel
	Reviewer string   `yaml:"reviewer"`
	Note     string   `yaml:"note"`
}

// Decoy is one pull, or a few that belong together, that must not reach review.
type Decoy struct {
	Pulls []string `yaml:"pulls"`
	// Stage is where it drops out: link (no link that may join), group, dedupe or inspect.
	Stage  string `yaml:"stage"`
	Reason string `yaml:"reason"`
}

// Prediction is one set of patches for the task made of Task's pulls.
type Prediction struct {
	Name string   `yaml:"name"`
	Task []string `yaml:"task"`
	// Builtin is gold or empty for the predictions that evaluate knows itself.
	Builtin string `yaml:"builtin"`
	What    string `yaml:"what"`
	Expect  Expect `yaml:"expect"`
	// Patches are diffs by repository, from predictions/NAME/OWNER__NAME.patch.
	Patches map[string]string `yaml:"-"`
}

// Expect is the verdict a prediction must get.
type Expect struct {
	Resolved bool `yaml:"resolved"`
	// Status lists the statuses that are right, the usual one first.
	Status []string `yaml:"status"`
	// Targets says for each repository whether it is resolved.
	Targets map[string]bool `yaml:"targets"`
}

// DemoScript reads the script that belongs to [Demo].
func DemoScript() (Script, error) { return readScript(Demo()) }

func readScript(fsys fs.FS) (Script, error) {
	var s Script
	for name, into := range map[string]any{"reviews.yaml": &s.Reviews, "decoys.yaml": &s.Decoys,
		"predictions.yaml": &s.Predictions} {
		data, err := fs.ReadFile(fsys, name)
		if err != nil {
			return Script{}, fmt.Errorf("reading the demo: %w", err)
		}
		if err := yaml.NewDecoder(bytes.NewReader(data), yaml.Strict()).Decode(into); err != nil {
			return Script{}, fmt.Errorf("%s: %w", name, err)
		}
	}
	for i := range s.Predictions {
		if err := s.Predictions[i].read(fsys); err != nil {
			return Script{}, err
		}
	}
	return s, nil
}

func (p *Prediction) read(fsys fs.FS) error {
	names, err := fs.Glob(fsys, path.Join("predictions", p.Name, "*.patch"))
	if err != nil {
		return fmt.Errorf("prediction %s: %w", p.Name, err)
	}
	if (p.Builtin == "") == (len(names) == 0) {
		return fmt.Errorf("prediction %s: needs patches in predictions/%s, or the key builtin, and not both", p.Name, p.Name)
	}
	p.Patches = map[string]string{}
	for _, name := range names {
		patch, err := fs.ReadFile(fsys, name)
		if err != nil {
			return fmt.Errorf("prediction %s: %w", p.Name, err)
		}
		file := strings.TrimSuffix(path.Base(name), ".patch")
		p.Patches[strings.Replace(file, "__", "/", 1)] = string(patch)
	}
	return nil
}
