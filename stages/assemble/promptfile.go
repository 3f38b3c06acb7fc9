package assemble

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/wideswe/wideswe/pipeline"
)

// prompt is a task's prompt: our draft, or what a person made of it.
type prompt struct {
	text       string
	state      string // draft, edited
	paragraphs []paragraph
}

// sourcesFile is prompt_sources.yaml. The digests tell a draft from a person's text,
// even where the database was built anew: the present draft's and the one before,
// so that a kill between the two files makes no draft a person's.
type sourcesFile struct {
	DraftSHA256 []string       `yaml:"draft_sha256"`
	Paragraphs  []sourceOfText `yaml:"paragraphs"`
}

type sourceOfText struct {
	Paragraph int    `yaml:"paragraph"`
	Source    string `yaml:"source"`
	Edited    bool   `yaml:"edited"`
}

// maxPrompt bounds the file a person may have made.
const maxPrompt = 1 << 20

func itoa(n int) string { return strconv.Itoa(n) }

func join(list []paragraph) string {
	texts := make([]string, len(list))
	for i, p := range list {
		texts[i] = p.text
	}
	return strings.Join(texts, "\n\n") + "\n"
}

func (s Stage) promptPath(task, name string) string { return filepath.Join(s.Prompts, task, name) }

// personsPrompt is the prompt file's text where a person wrote it, "" where there
// is none or it is still the draft.
func (s Stage) personsPrompt(task string) (string, error) {
	text, err := readBounded(s.promptPath(task, "prompt.md"))
	if err != nil || text == "" {
		return "", err
	}
	sources, err := s.sources(task)
	if err != nil || slices.Contains(sources.DraftSHA256, sum([]byte(text))) {
		return "", err
	}
	return text, nil
}

func readBounded(path string) (string, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err == nil && info.Size() > maxPrompt {
		return "", pipeline.Usage("%s is larger than %d bytes; a prompt is read by people, shorten it", path, maxPrompt)
	}
	if err != nil {
		return "", fmt.Errorf("reading the prompt: %w", err)
	}
	b, err := os.ReadFile(path)
	return string(b), err
}

func (s Stage) sources(task string) (sourcesFile, error) {
	var f sourcesFile
	path := s.promptPath(task, "prompt_sources.yaml")
	text, err := readBounded(path)
	if err != nil || text == "" {
		return f, err
	}
	if err := pipeline.DecodeYAML([]byte(text), false, &f); err != nil {
		return f, pipeline.Usage("%s can't be read (%v); mend it, or delete it together with prompt.md to get a new draft",
			path, err)
	}
	return f, nil
}

// promptOf gives the task's prompt and writes its files: the draft where no person
// has written; a person's text wins and only its sources are noted beside it.
func (s Stage) promptOf(task string, draft []paragraph) (prompt, error) {
	text := join(draft)
	persons, err := s.personsPrompt(task)
	if err != nil {
		return prompt{}, err
	}
	p := prompt{text: text, state: "draft", paragraphs: draft}
	if persons != "" {
		p = prompt{text: persons, state: "edited", paragraphs: attribute(persons, draft)}
	}
	return p, s.store(task, p, sum([]byte(text)))
}

// store writes the files, the sources first.
func (s Stage) store(task string, p prompt, draftSum string) error {
	if s.Prompts == "" {
		return nil
	}
	old, err := s.sources(task)
	if err != nil {
		return err
	}
	f := sourcesFile{DraftSHA256: []string{draftSum}, Paragraphs: []sourceOfText{}}
	for _, was := range old.DraftSHA256 {
		if was != draftSum && len(f.DraftSHA256) < 2 {
			f.DraftSHA256 = append(f.DraftSHA256, was)
		}
	}
	for i, q := range p.paragraphs {
		f.Paragraphs = append(f.Paragraphs, sourceOfText{i + 1, q.source, q.edited})
	}
	out, err := yaml.Marshal(f)
	if err != nil {
		return fmt.Errorf("writing the prompt's sources: %w", err)
	}
	head := "# Where each paragraph of prompt.md comes from. Written by wideswe; edit prompt.md, not this file.\n"
	if err := writePrompt(s.promptPath(task, "prompt_sources.yaml"), head+string(out)); err != nil {
		return err
	}
	if p.state == "edited" {
		return nil
	}
	return writePrompt(s.promptPath(task, "prompt.md"), p.text)
}

// attribute finds the sources of a person's paragraphs: those that stand in the
// draft keep theirs.
func attribute(text string, draft []paragraph) []paragraph {
	known := map[string]string{}
	for _, p := range draft {
		known[normal(p.text)] = p.source
	}
	var out []paragraph
	for _, t := range strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n\n") {
		if t = strings.TrimSpace(t); t == "" {
			continue
		}
		p := paragraph{text: t, source: "person", edited: true}
		if source, ok := known[normal(t)]; ok {
			p.source, p.edited = source, false
		}
		out = append(out, p)
	}
	return out
}

// writePrompt writes a file of a prompt whole or not at all.
func writePrompt(path, text string) error {
	if err := pipeline.WriteFile(path, []byte(text)); err != nil {
		return fmt.Errorf("writing the prompt: %w", err)
	}
	return nil
}

// restorePrompts writes the drafts whose files a person deleted: deleting them asks
// for the draft.
func (s Stage) restorePrompts(ctx context.Context) error {
	if s.Prompts == "" {
		return nil
	}
	rows, err := s.DB.Query(ctx, "SELECT task_id, prompt FROM task_list WHERE prompt_state = 'draft' ORDER BY task_id")
	if err != nil {
		return err
	}
	type row struct{ task, text string }
	list, err := pipeline.Scan(rows, func(r *row) []any { return []any{&r.task, &r.text} })
	if err != nil {
		return err
	}
	for _, r := range list {
		if _, err := os.Stat(s.promptPath(r.task, "prompt.md")); !errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err := s.restore(ctx, r.task, r.text); err != nil {
			return err
		}
	}
	return nil
}

func (s Stage) restore(ctx context.Context, task, text string) error {
	rows, err := s.DB.Query(ctx, "SELECT text, source, edited FROM prompt_paragraphs WHERE task_id = ? ORDER BY paragraph",
		task)
	if err != nil {
		return err
	}
	list, err := pipeline.Scan(rows, func(p *paragraph) []any { return []any{&p.text, &p.source, &p.edited} })
	if err != nil {
		return err
	}
	return s.store(task, prompt{text: text, state: "draft", paragraphs: list}, sum([]byte(text)))
}
