package report

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/wideswe/wideswe/pipeline"
)

// annotations is a folder of people's words on unresolved runs:
//
//	CONFIGURATION/TASK[@ATTEMPT]/evidence.md     what the run did, for reading
//	CONFIGURATION/TASK[@ATTEMPT]/ANNOTATOR.yaml  one annotator's category
//	CONFIGURATION/TASK[@ATTEMPT]/decision.yaml   the common one, after a disagreement
type annotations struct {
	sheets map[string]map[string]sheet // by folder of the run, then annotator
}

// sheet is one file of an annotator.
type sheet struct {
	Configuration string `yaml:"configuration"`
	Task          string `yaml:"task"`
	Attempt       int    `yaml:"attempt"`
	Category      string `yaml:"category"`
	Note          string `yaml:"note,omitempty"`
}

// decision is the file of the common decision.
const decision = "decision"

const (
	maxSheet  = 1 << 20
	maxSheets = 100_000
)

// readAnnotations reads every sheet of a folder; an error names the file.
func readAnnotations(dir string) (*annotations, error) {
	a := &annotations{sheets: map[string]map[string]sheet{}}
	files, err := fs.Glob(os.DirFS(dir), "*/*/*.yaml")
	if err != nil || len(files) > maxSheets {
		return nil, errors.Join(err, pipeline.Usage("%s holds %d sheets; it is no folder of annotations", dir, len(files)))
	}
	if _, err := os.Stat(dir); err != nil {
		return nil, pipeline.Usage("there is no folder %s; wideswe report annotate --annotations %s --annotator NAME makes "+
			"it", dir, dir)
	}
	for _, name := range files {
		s, err := readSheet(filepath.Join(dir, filepath.FromSlash(name)))
		if err != nil {
			return nil, err
		}
		run := path.Dir(name)
		if a.sheets[run] == nil {
			a.sheets[run] = map[string]sheet{}
		}
		a.sheets[run][strings.TrimSuffix(path.Base(name), ".yaml")] = s
	}
	return a, nil
}

func readSheet(name string) (s sheet, err error) {
	f, err := os.Open(name)
	if err != nil {
		return s, fmt.Errorf("reading annotations: %w", err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxSheet))
	if err != nil {
		return s, fmt.Errorf("reading annotations: %w", err)
	}
	if err := pipeline.DecodeYAML(text, true, &s); err != nil {
		return s, pipeline.Usage("%s: %v", name, err)
	}
	var keys []string
	for _, c := range categories {
		keys = append(keys, c.key)
	}
	if s.Category != "" && !slices.Contains(keys, s.Category) {
		return s, pipeline.Usage("%s: there is no category %q%s; the categories are %s", name, s.Category,
			pipeline.DidYouMean(s.Category, keys), strings.Join(keys, ", "))
	}
	return s, nil
}

// decide puts the annotators' words to a failure.
func (a *annotations) decide(f Failure, warn func(string, ...any)) Failure {
	if a == nil {
		return f
	}
	run := runFolder(f)
	f.Answers = map[string]string{}
	for name, s := range a.sheets[run] {
		if s.Configuration != f.Configuration || s.Task != f.Task || s.Attempt != f.Attempt {
			warn("annotations: %s/%s.yaml is of another run (%s, %s, attempt %d); it is not counted", run, name,
				line(s.Configuration, maxTitle), line(s.Task, maxTitle), s.Attempt)
			continue
		}
		if name != decision && s.Category != "" {
			f.Answers[name] = s.Category
		}
		if s.Category == PostEdit && f.Proposed != PostEdit && !f.Unread {
			warn("annotations: %s/%s.yaml says post-edit, and not every target has a substantive code change", run, name)
		}
	}
	f.Category = a.sheets[run][decision].Category
	if f.Category == "" && len(f.Answers) >= 2 {
		f.Category = agreed(f.Answers)
	}
	return f
}

// agreed is the category that all give, "" where they differ.
func agreed(answers map[string]string) string {
	first := ""
	for _, c := range answers {
		if first == "" {
			first = c
		}
		if c != first {
			return ""
		}
	}
	return first
}

// runFolder is where a run's sheets lie, under the folder of annotations.
func runFolder(f Failure) string {
	task := f.Task
	if f.Attempt > 1 {
		task += fmt.Sprintf("@%d", f.Attempt)
	}
	return path.Join(plainName(f.Configuration), plainName(task))
}

// plainName makes a name a file may have of one that may hold anything; what it
// changes it tells apart by a digest.
func plainName(s string) string {
	plain := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_.@", r) {
			return r
		}
		return '-'
	}, s)
	plain = strings.TrimLeft(plain[:min(len(plain), 100)], ".")
	if plain != s {
		plain += "-" + pipeline.Hash(s)[:8]
	}
	return plain
}
