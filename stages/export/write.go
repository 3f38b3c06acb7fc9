package export

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sort"
	"strings"

	"github.com/wideswe/wideswe/schema"
)

// write adds every file and gives what release.json says of them.
func (p *plan) write(ctx context.Context) (schema.Release, error) {
	rel := schema.Release{Name: p.cfg.Name, Version: p.cfg.Version, TimeLimit: &p.cfg.TimeLimit,
		Rules: map[string]string{"export": Stage{}.Version(), "context": p.cfg.Context}}
	for stage, version := range p.content.Rules {
		rel.Rules[stage] = version
	}
	ecosystems := map[string]bool{}
	for _, t := range p.content.Tasks {
		if err := ctx.Err(); err != nil {
			return rel, err
		}
		if err := p.writeTask(t); err != nil {
			return rel, fmt.Errorf("%s: %w", t.ID, err)
		}
		line := schema.ReleaseTask{ID: t.ID, Ecosystem: t.Ecosystem, Kind: t.Kind}
		for _, x := range t.Targets {
			line.Targets = append(line.Targets, x.Repository)
			rel.Counts.F2P += len(x.Tests.F2P)
			rel.Counts.PassedBefore += len(x.Tests.PassedBefore)
			rel.Counts.P2P += len(x.Tests.P2P)
		}
		rel.Tasks = append(rel.Tasks, line)
		rel.Counts.Targets += len(t.Targets)
		ecosystems[t.Ecosystem] = true
		switch t.Kind {
		case schema.Bugfix:
			rel.Counts.Bugfixes++
		case schema.Feature:
			rel.Counts.Features++
		}
	}
	for _, key := range sortedKeys(p.pins) {
		rel.Sources = append(rel.Sources, p.pins[key].Source)
	}
	rel.Counts.Tasks, rel.Counts.Ecosystems, rel.Counts.Sources = len(p.content.Tasks), len(ecosystems), len(rel.Sources)
	return rel, errors.Join(
		p.writer.YAML("selection.yaml", "Which tasks the release holds, and why.", p.selection()),
		p.writer.JSON("funnel.json", p.funnel),
		p.writer.Bytes("README.md", p.card(rel)))
}

func (p *plan) selection() schema.Selection {
	s := p.content.Curated
	s.Tasks = p.content.Reasons
	return s
}

func (p *plan) writeTask(t *task) error {
	dir := "tasks/" + t.ID + "/"
	file := schema.TaskFile{Format: schema.ReleaseFormat, Task: t.ID, Ecosystem: t.Ecosystem, Kind: t.Kind,
		Pattern: t.Pattern,
		Title:   t.Title, Languages: t.Languages, ChangeType: t.ChangeType, ContextRule: p.cfg.Context}
	for _, x := range t.Targets {
		if err := p.writeTarget(dir+"hidden/"+schema.FileName(x.Repository)+"/", x); err != nil {
			return fmt.Errorf("%s: %w", x.Repository, err)
		}
		file.Targets = append(file.Targets, schema.TaskTarget{Repository: x.Repository, BaseCommit: x.BaseCommit,
			BaseTree: x.BaseTree,
			GoldTree: x.GoldTree, Pulls: x.Pulls, License: p.license(x.Repository, x.License), GoldFiles: x.GoldFiles,
			HiddenFiles: x.HiddenFiles,
			F2P:         len(x.Tests.F2P), P2P: len(x.Tests.P2P), Limits: x.Limits, GoldSeconds: x.GoldSeconds,
			Platform: x.Image.Platform})
	}
	for _, c := range p.context[t.ID] {
		if c.commit != "" {
			file.Context = append(file.Context, schema.TaskContext{Repository: c.repository, Commit: c.commit, Reason: c.reason})
		}
	}
	prompt := strings.TrimRight(t.Prompt, "\n") + "\n"
	sources := schema.PromptSources{Format: schema.ReleaseFormat, Task: t.ID, Paragraphs: t.Paragraphs}
	return errors.Join(
		p.writer.Bytes(dir+"prompt.md", []byte(prompt)),
		p.writer.YAML(dir+"prompt_sources.yaml", "Where each paragraph of prompt.md came from.", sources),
		p.writer.YAML(dir+"task.yaml", "The task, for evaluators. It names the targets: no agent may see it.", file),
		p.writer.JSON(dir+"workspace.json", p.workspace(t)),
		p.writer.YAML(dir+"record.yaml", "How the task came about, and whose work it is.", p.record(t)))
}

func (p *plan) license(repository, atBase string) string {
	if atBase != "" {
		return atBase
	}
	return p.content.Licenses[repository]
}

// workspace lists the task's repositories by name, so that nothing tells targets
// from context.
func (p *plan) workspace(t *task) schema.WorkspaceFile {
	w := schema.WorkspaceFile{Format: schema.ReleaseFormat, Task: t.ID}
	add := func(repository, commit string) {
		if commit != "" {
			w.Repositories = append(w.Repositories, schema.WorkspaceRepository{Repository: repository, Commit: commit,
				Tree: p.pins[repository+"@"+commit].Tree})
		}
	}
	for _, x := range t.Targets {
		add(x.Repository, x.BaseCommit)
	}
	for _, c := range p.context[t.ID] {
		add(c.repository, c.commit)
	}
	sort.Slice(w.Repositories, func(i, j int) bool { return w.Repositories[i].Repository < w.Repositories[j].Repository })
	return w
}

func (p *plan) record(t *task) schema.Record {
	r := schema.Record{Format: schema.ReleaseFormat, Task: t.ID, Candidate: t.Candidate, Verdicts: t.Verdicts,
		Pulls: t.Pulls, Links: t.Links}
	for _, w := range p.workspace(t).Repositories {
		pin := p.pins[w.Repository+"@"+w.Commit]
		owner, name, _ := schema.SplitRepository(w.Repository)
		r.Repositories = append(r.Repositories, schema.RecordRepository{Repository: w.Repository, Commit: w.Commit,
			License:      pin.License,
			LicenseFiles: pin.licenseFiles, URL: strings.NewReplacer("{owner}", owner, "{name}", name).Replace(p.cfg.WebURL)})
	}
	return r
}

func (p *plan) writeTarget(dir string, x *target) error {
	var recipe schema.Recipe
	if x.Recipe == "" || len(x.Tests.F2P) == 0 || len(x.Gold) == 0 || len(x.Layers) == 0 {
		return errors.New("selected without a validated image, gold patch, hidden tests and F2P; run wideswe validate and " +
			"balance")
	}
	if err := json.Unmarshal([]byte(x.Recipe), &recipe); err != nil {
		return fmt.Errorf("its recipe: %w", err)
	}
	if len(x.Layers) > 99 {
		return fmt.Errorf("%d layers of hidden tests; 99 are the most", len(x.Layers))
	}
	for i, l := range x.Layers {
		if err := p.writer.Bytes(fmt.Sprintf("%stests/%02d-%s.patch", dir, i+1, plainName(l.Name)), l.Patch); err != nil {
			return err
		}
	}
	return errors.Join(
		p.writer.Bytes(dir+"gold.patch", x.Gold),
		p.writer.JSON(dir+"tests.json", x.Tests),
		p.writer.YAML(dir+"recipe.yaml", "How the repository is built and tested.", recipe),
		p.writer.Bytes(dir+"Dockerfile", dockerfile(x.Repository, x.Image, recipe)),
		p.writer.YAML(dir+"image.yaml", "The image that validation ran in.", x.Image))
}

// plainName makes a layer's name one that every file system takes.
func plainName(s string) string {
	s = strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' {
			return r
		}
		return '-'
	}, s)
	if s = strings.Trim(s, "-"); s == "" {
		return "tests"
	}
	return s[:min(len(s), 60)]
}
