package assemble

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/filerole"
	"github.com/wideswe/wideswe/pipeline/git"
)

// Stage is the stage; its fields are what it needs.
type Stage struct {
	DB      pipeline.DB
	Mirrors *git.Mirrors
	Prompts string // the curator's folder prompts/
	// Alone lets one repository make a task: no task of the benchmark, but one on
	// which a recipe can be tried.
	Alone bool
}

// Name is the stage's name.
func (Stage) Name() string { return "assemble" }

// Version changes with the rules.
func (Stage) Version() string { return "3+" + filerole.Version }

// Plan lists the accepted candidates.
func (s Stage) Plan(ctx context.Context) ([]pipeline.Ref, error) {
	items, err := s.items(ctx)
	return pipeline.Refs(items), err
}

// Run assembles the tasks, then gives back prompt files that are gone.
func (s Stage) Run(ctx context.Context, run *pipeline.Run) error {
	items, err := s.items(ctx)
	if err != nil {
		return err
	}
	err = pipeline.Each(ctx, run, s, items, func(ctx context.Context, c candidate) (pipeline.Write, error) {
		t, err := s.assemble(ctx, c)
		if err != nil {
			return t.leave(), err
		}
		return t.write(run), nil
	}, remove)
	if err != nil {
		return err
	}
	return s.restorePrompts(ctx)
}

// task is what is known of a task once it is assembled.
type task struct {
	candidate  candidate
	id         string
	title      string
	prompt     prompt
	languages  []string
	changeType string
	targets    []target
	notes      [][3]string // repository, subject, note
	differs    [][]any     // rows of split_differences: the task is not made
}

type target struct {
	repository
	split Split
}

// assemble is the work on one candidate.
func (s Stage) assemble(ctx context.Context, c candidate) (task, error) {
	t := task{candidate: c, id: taskID(c)}
	if len(c.Repositories) < 2 && !s.Alone {
		return t, pipeline.Skip("fewer than two repositories whose pulls pass the checks")
	}
	c.Repositories = slices.Clone(c.Repositories)
	for i, r := range c.Repositories {
		split, err := s.split(ctx, r)
		for _, d := range split.Differences {
			t.differs = append(t.differs, []any{c.ID, r.ID, d.Number, d.Path, d.Host, d.Change})
		}
		if err != nil {
			return t, err
		}
		c.Repositories[i].Pulls = slices.DeleteFunc(slices.Clone(r.Pulls),
			func(p pull) bool { return !slices.Contains(split.Pulls, p.Number) })
		t.targets = append(t.targets, target{r, split})
		if split.Note != "" {
			t.notes = append(t.notes, [3]string{r.Name, "base", split.Note})
		}
	}
	t.title = title(c)
	t.languages = t.families()
	var why string
	t.changeType, why = changeType(t.targets)
	t.notes = append(t.notes, [3]string{"", "change_type", why})
	var err error
	t.prompt, err = s.promptOf(t.id, draft(c))
	return t, err
}

// split finds, divides and proves one target.
func (s Stage) split(ctx context.Context, r repository) (Split, error) {
	repo, err := s.Mirrors.Mirror(ctx, r.Name)
	var gone *git.GoneError
	if errors.As(err, &gone) {
		return Split{}, pipeline.Skip("%s", gone.Error())
	}
	if err != nil {
		return Split{}, err
	}
	split, err := prove(ctx, repo, r.Pulls)
	switch {
	case len(split.Differences) > 0 && err == nil:
		return split, pipeline.Skip("%s", differing(r.Name, split.Differences))
	case err != nil:
		return split, err
	case !split.Proved():
		return split, pipeline.Skip("%s: base with both patches is not the gold tree", r.Name)
	case len(split.TestPatch) == 0:
		return split, pipeline.Skip("%s: no test change", r.Name)
	case len(split.GoldPatch) == 0:
		return split, pipeline.Skip("%s: no change outside tests", r.Name)
	}
	split.Families, err = families(ctx, repo, split)
	return split, err
}

// prove takes all pulls of the repository together. Where that can't be, those that
// go along without passing the checks themselves are left out, and a note says so.
func prove(ctx context.Context, repo *git.Repo, pulls []pull) (Split, error) {
	var all, passing []Pull
	var commits []string
	var numbers []int
	left := ""
	for _, p := range pulls {
		all = append(all, p.Pull)
		numbers = append(numbers, p.Number)
		commits = append(commits, nonEmpty(p.MergeCommit, p.Head)...)
		if p.Failed == "" {
			passing = append(passing, p.Pull)
		} else {
			left += fmt.Sprintf("#%d (%s) is left out. ", p.Number, p.Failed)
		}
	}
	if err := tolerateMissing(repo.Ensure(ctx, commits, numbers)); err != nil {
		return Split{}, err
	}
	split, err := ProveAll(ctx, repo, all)
	reason, skip := pipeline.SkipReason(err)
	if !skip || left == "" {
		return split, err
	}
	split, err = ProveAll(ctx, repo, passing)
	split.Note += left + "With it: " + reason + ". "
	return split, err
}

// families are the language families of the production files the gold patches touch.
func (t task) families() []string {
	list := []string{}
	for _, g := range t.targets {
		list = append(list, g.split.Families...)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// maxScript is the longest script that is read for its first line.
const maxScript = 1 << 20

// families are those of one target's files. A script without an extension says in
// its first line what it is written in.
func families(ctx context.Context, repo *git.Repo, s Split) ([]string, error) {
	var list []string
	for _, p := range s.GoldFiles {
		var text []byte
		if filerole.Nameless(p) {
			var err error
			if text, err = readEither(ctx, repo, p, s.GoldTree, s.BaseTree); err != nil {
				return nil, err
			}
		}
		if f := filerole.FamilyIn(p, text); f != "" {
			list = append(list, f)
		}
	}
	return list, nil
}

// readEither reads a file from the first tree that has it; one that no tree gives
// for the reading is empty.
func readEither(ctx context.Context, repo *git.Repo, p string, trees ...string) ([]byte, error) {
	for _, tree := range trees {
		text, err := repo.ReadFile(ctx, tree, p, maxScript)
		if err == nil {
			return text, nil
		}
		if tolerateMissing(err) != nil && !errors.Is(err, git.ErrNoFile) && !errors.Is(err, git.ErrTooLarge) {
			return nil, err
		}
	}
	return nil, nil
}

var tables = []string{"task_targets", "task_patches", "prompt_paragraphs", "task_notes"}

// remove removes the rows of the task made from a candidate.
func remove(candidate string) pipeline.Write {
	return func(ctx context.Context, tx pipeline.Tx) error {
		for _, table := range tables {
			if err := tx.Exec(ctx, "DELETE FROM "+table+
				" WHERE task_id IN (SELECT task_id FROM task_list WHERE candidate_id = ?)", candidate); err != nil {
				return err
			}
		}
		if err := tx.Exec(ctx, "DELETE FROM split_differences WHERE candidate_id = ?", candidate); err != nil {
			return err
		}
		return tx.Exec(ctx, "DELETE FROM task_list WHERE candidate_id = ?", candidate)
	}
}

// leave stores why a task was not made, and nothing of it.
func (t task) leave() pipeline.Write {
	return func(ctx context.Context, tx pipeline.Tx) error {
		if err := remove(t.candidate.ID)(ctx, tx); err != nil {
			return err
		}
		return tx.Append(ctx, "split_differences", t.differs)
	}
}

func (t task) write(run *pipeline.Run) pipeline.Write {
	return func(ctx context.Context, tx pipeline.Tx) error {
		if err := remove(t.candidate.ID)(ctx, tx); err != nil {
			return err
		}
		c := t.candidate
		rows := map[string][][]any{"task_list": {{t.id, c.ID, c.Ecosystem, c.Kind, c.Pattern, t.title, t.prompt.text,
			t.prompt.state,
			t.languages, t.changeType, run.Now().UTC()}}}
		for _, g := range t.targets {
			s := g.split
			rows["task_targets"] = append(rows["task_targets"], []any{t.id, g.ID, g.Name, ints(s.Pulls), s.Base, s.Gold, s.Merge,
				s.HostBase,
				s.BaseTree, s.GoldTree, s.Composed, s.BaseTime.UTC(), g.License, s.HiddenFiles, s.GoldFiles})
			rows["task_patches"] = append(rows["task_patches"],
				[]any{t.id, g.Name, "gold", 0, "gold", s.GoldPatch, sum(s.GoldPatch)},
				[]any{t.id, g.Name, "tests", 1, "pull-tests", s.TestPatch, sum(s.TestPatch)})
		}
		for i, p := range t.prompt.paragraphs {
			rows["prompt_paragraphs"] = append(rows["prompt_paragraphs"], []any{t.id, i + 1, p.text, p.source, p.edited})
		}
		for _, n := range t.notes {
			rows["task_notes"] = append(rows["task_notes"], []any{t.id, n[0], n[1], n[2]})
		}
		for _, table := range append([]string{"task_list"}, tables...) {
			if err := tx.Append(ctx, table, rows[table]); err != nil {
				return fmt.Errorf("storing %s: %w", t.id, err)
			}
		}
		return nil
	}
}

func ints(list []int) []int32 {
	out := make([]int32, len(list))
	for i, n := range list {
		out[i] = int32(n)
	}
	return out
}

func sum(b []byte) string {
	h := sha256.Sum256(b)
	return hex.EncodeToString(h[:])
}
