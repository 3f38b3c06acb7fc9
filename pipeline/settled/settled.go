// Package settled reads and writes people's decisions on verdicts that the program can't
// reach: targets that resolve as submitted and not in the second run. They are one file
// in an evaluation's folder.
//
// Which verdicts a person may decide is the evaluate stage's matter, and how decisions
// are counted the report stage's.
package settled

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/goccy/go-yaml"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/schema"
)

// FileName is the file in an evaluation's folder.
const FileName = "settled.yaml"

const header = `# People's decisions on disputed and unbuilt verdicts. wideswe evaluate settle writes this file, and
# wideswe report counts it apart. A decision holds for the patches that it was made on.
`

// Decision is one person's decision on one target in one run of an evaluation.
type Decision struct {
	Task     string `yaml:"task"`
	Target   string `yaml:"target"` // owner/name
	Model    string `yaml:"model"`
	Mode     string `yaml:"mode"`
	Attempt  int    `yaml:"attempt"`
	Resolved bool   `yaml:"resolved"`
	Reason   string `yaml:"reason"`
	By       string `yaml:"by"`
	// Verdict is the state that was settled, and Rules the version of the rules it follows.
	Verdict string `yaml:"verdict"`
	Rules   string `yaml:"rules"`
	// Patches is the digest of the patches that the verdict is about, see [Digest].
	Patches string `yaml:"patches"`
	Date    string `yaml:"date"`
}

// decisions is the file.
type decisions struct {
	Settled []Decision `yaml:"settled"`
}

// Of finds the decision on a target in a run; nil where there is none.
func Of(list []Decision, run schema.RunKey, task, target string) *Decision {
	i := slices.IndexFunc(list, func(d Decision) bool {
		return d.Task == task && d.Target == target && d.run() == run
	})
	if i < 0 {
		return nil
	}
	return &list[i]
}

func (d Decision) run() schema.RunKey {
	return schema.RunKey{Model: d.Model, Mode: d.Mode, Attempt: d.Attempt}
}

// Read reads the decisions in an evaluation's folder; none where there is no file.
func Read(folder string) ([]Decision, error) {
	name := filepath.Join(folder, FileName)
	b, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading decisions: %w", err)
	}
	var f decisions
	err = yaml.NewDecoder(bytes.NewReader(b), yaml.Strict()).Decode(&f)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, pipeline.Usage("%s can't be read (%v); mend it, or move it away", name, err)
	}
	return f.Settled, nil
}

// Put adds a decision to those in an evaluation's folder. It replaces an earlier one on
// the same target in the same run.
func Put(folder string, d Decision) error {
	list, err := Read(folder)
	if err != nil {
		return err
	}
	if old := Of(list, d.run(), d.Task, d.Target); old != nil {
		*old = d
	} else {
		list = append(list, d)
	}
	slices.SortFunc(list, func(a, b Decision) int {
		return cmp.Or(cmp.Compare(a.Task, b.Task), cmp.Compare(a.Target, b.Target), cmp.Compare(a.Model, b.Model),
			cmp.Compare(a.Mode, b.Mode), cmp.Compare(a.Attempt, b.Attempt))
	})
	b, err := yaml.Marshal(decisions{list})
	if err != nil {
		return err
	}
	return pipeline.WriteFile(filepath.Join(folder, FileName), append([]byte(header), b...))
}

// Digest digests the patches that a target's verdict is about, as they are kept in an
// evaluation's folder.
func Digest(folder string, kept []schema.KeptPatch, target string) (string, error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return "", err
	}
	defer root.Close()
	var parts []any
	for _, k := range kept {
		if k.Target != "" && k.Target != target {
			continue
		}
		b, err := root.ReadFile(filepath.FromSlash(k.File))
		if err != nil {
			return "", fmt.Errorf("reading the patch of %s: %w", k.Repository, err)
		}
		parts = append(parts, k.Repository, b)
	}
	return pipeline.Hash(parts...), nil
}
