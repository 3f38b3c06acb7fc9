package export

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/schema"
)

// content is everything of the database that a release is made of. All of it is
// hashed, so what changes it makes the release anew.
type content struct {
	Tasks   []*task
	Rules   map[string]string
	Curated schema.Selection
	// Stale are the tasks that were assembled anew since they were validated.
	Stale []string `json:",omitempty"`
	// Reasons are balance's, for every eligible task.
	Reasons []schema.SelectedTask
	// Linked counts the references between repositories of one ecosystem.
	Linked map[string]int // "owner/a owner/b" → occurrences
	// Licenses are the hosts' words, by repository.
	Licenses map[string]string
	// Inventory lists the repositories of each ecosystem.
	Inventory map[string][]string
}

type task struct {
	ID, Candidate, Ecosystem, Kind, Pattern, Title, Prompt, ChangeType string
	Languages                                                          pipeline.List
	Targets                                                            []*target
	Paragraphs                                                         []schema.PromptParagraph
	Verdicts                                                           []schema.RecordVerdict
	Pulls                                                              []schema.RecordPull
	Links                                                              []schema.RecordLink
}

type target struct {
	Repository, BaseCommit, BaseTree, GoldTree, License string
	Pulls                                               ints
	BaseTime                                            time.Time
	HiddenFiles, GoldFiles                              pipeline.List
	Gold                                                []byte
	Layers                                              []layer
	Tests                                               schema.TestsFile
	Image                                               schema.ImageFile
	Recipe                                              string
	Limits                                              schema.RunLimits
	GoldSeconds                                         float64
}

type layer struct {
	Number int
	Name   string
	Patch  []byte
}

// ints scans an INTEGER[] column.
type ints []int

// Scan implements [sql.Scanner].
func (l *ints) Scan(v any) error {
	*l = nil
	if items, ok := v.([]any); ok {
		for _, it := range items {
			if n, ok := it.(int32); ok {
				*l = append(*l, int(n))
			}
		}
	}
	return nil
}

// query reads rows of one shape.
func query[T any](ctx context.Context, db pipeline.Queryer, fields func(*T) []any, q string, args ...any) ([]T, error) {
	rows, err := db.Query(ctx, q, args...)
	if err != nil {
		return nil, err
	}
	return pipeline.Scan(rows, fields)
}

// selected is the condition that a task is in the release.
const selected = "task_id IN (SELECT task_id FROM selections WHERE selected)"

func read(ctx context.Context, db pipeline.Queryer) (*content, error) {
	c := &content{}
	tasks, err := query(ctx, db, func(t *task) []any {
		return []any{&t.ID, &t.Candidate, &t.Ecosystem, &t.Kind, &t.Pattern, &t.Title, &t.Prompt, &t.ChangeType, &t.Languages}
	}, `SELECT task_id, candidate_id, ecosystem, kind, pattern, title, prompt, change_type, languages
		FROM task_list WHERE `+selected+` ORDER BY task_id`)
	if err != nil {
		return nil, err
	}
	byID := map[string]*task{}
	for i := range tasks {
		c.Tasks = append(c.Tasks, &tasks[i])
		byID[tasks[i].ID] = &tasks[i]
	}
	if c.Reasons, err = query(ctx, db, func(s *schema.SelectedTask) []any {
		return []any{&s.Task, &s.Selected,
			&s.Reason}
	},
		"SELECT task_id, selected, reason FROM selections ORDER BY task_id"); err != nil {
		return nil, err
	}
	for _, s := range c.Reasons {
		if s.Selected && byID[s.Task] == nil {
			return nil, fmt.Errorf("the task %s is selected and no longer assembled; run wideswe balance", s.Task)
		}
	}
	if c.Stale, err = query(ctx, db, func(id *string) []any { return []any{id} },
		`SELECT DISTINCT n.task_id FROM task_inputs n JOIN task_images g ON g.task_id = n.task_id AND g.repository = n.repository
		WHERE g.input <> n.input AND n.`+selected+` ORDER BY n.task_id`); err != nil {
		return nil, err
	}
	for _, part := range []func(context.Context, pipeline.Queryer, map[string]*task) error{
		readTargets, readPatches, readImages, readRuns, readTests, readParagraphs, readVerdicts, readPulls, readLinks,
	} {
		if err := part(ctx, db, byID); err != nil {
			return nil, err
		}
	}
	return c, c.readAround(ctx, db)
}

func readTargets(ctx context.Context, db pipeline.Queryer, tasks map[string]*task) error {
	type row struct {
		task string
		target
	}
	rows, err := query(ctx, db, func(r *row) []any {
		return []any{&r.task, &r.Repository, &r.Pulls, &r.BaseCommit, &r.BaseTree, &r.GoldTree, &r.BaseTime, &r.License,
			&r.HiddenFiles, &r.GoldFiles}
	}, `SELECT task_id, repository, pulls, base_commit, base_tree, gold_tree, base_time, license, hidden_files, gold_files
		FROM task_targets WHERE `+selected+` ORDER BY task_id, repository`)
	for _, r := range rows {
		tasks[r.task].Targets = append(tasks[r.task].Targets, &r.target)
	}
	return err
}

// find gives a task's target, nil for rows of a repository that is none any more.
func find(tasks map[string]*task, id, repository string) *target {
	for _, t := range tasks[id].Targets {
		if t.Repository == repository {
			return t
		}
	}
	return nil
}

func readPatches(ctx context.Context, db pipeline.Queryer, tasks map[string]*task) error {
	type row struct {
		task, repository, kind string
		layer
	}
	rows, err := query(ctx, db, func(r *row) []any {
		return []any{&r.task, &r.repository, &r.kind, &r.Number, &r.Name,
			&r.Patch}
	},
		`SELECT task_id, repository, kind, layer, name, patch FROM task_patches WHERE `+selected+
			` ORDER BY task_id, repository, kind, layer`)
	for _, r := range rows {
		t := find(tasks, r.task, r.repository)
		switch {
		case t == nil:
		case r.kind == "gold":
			t.Gold = append(t.Gold, r.Patch...)
		default:
			t.Layers = append(t.Layers, r.layer)
		}
	}
	return err
}

func readImages(ctx context.Context, db pipeline.Queryer, tasks map[string]*task) error {
	type row struct{ task, repository, image, id, base, recipe string }
	rows, err := query(ctx, db, func(r *row) []any {
		return []any{&r.task, &r.repository, &r.image, &r.id, &r.base,
			&r.recipe}
	},
		`SELECT task_id, repository, image, image_id, base_image, recipe FROM task_images WHERE `+selected+
			` ORDER BY task_id, repository`)
	for _, r := range rows {
		if t := find(tasks, r.task, r.repository); t != nil {
			t.Image = schema.ImageFile{Format: schema.ReleaseFormat, Image: r.image, ID: r.id, BaseImage: r.base}
			t.Recipe = r.recipe
		}
	}
	return err
}

// readRuns takes limits, platform and the longest whole gold run: reruns that fill
// in what a crash hid belong to it.
func readRuns(ctx context.Context, db pipeline.Queryer, tasks map[string]*task) error {
	type row struct {
		task, repository, limits, platform string
		seconds                            float64
	}
	rows, err := query(ctx, db, func(r *row) []any {
		return []any{&r.task, &r.repository, &r.seconds, &r.limits,
			&r.platform}
	},
		`SELECT task_id, repository, max(seconds), max(limits), max(platform) FROM (
			SELECT task_id, repository, repeat, sum(seconds) AS seconds, max(limits) AS limits, max(platform) AS platform
			FROM test_runs WHERE state = 'gold' AND `+selected+` GROUP BY task_id, repository, repeat)
		GROUP BY task_id, repository ORDER BY task_id, repository`)
	if err != nil {
		return err
	}
	for _, r := range rows {
		t := find(tasks, r.task, r.repository)
		if t == nil {
			continue
		}
		t.GoldSeconds, t.Image.Platform = r.seconds, r.platform
		if t.Limits, err = limits(r.limits); err != nil {
			return fmt.Errorf("limits of %s: %w", r.task, err)
		}
	}
	return nil
}

// limits reads the limits that validate stored.
func limits(text string) (schema.RunLimits, error) {
	var l struct {
		Memory  int64         `json:"memory"`
		CPUs    float64       `json:"cpus"`
		Pids    int64         `json:"pids"`
		Timeout time.Duration `json:"timeout"`
	}
	err := json.Unmarshal([]byte(text), &l)
	return schema.RunLimits{Seconds: int(l.Timeout / time.Second), Memory: l.Memory, CPUs: l.CPUs, Pids: l.Pids}, err
}

func readTests(ctx context.Context, db pipeline.Queryer, tasks map[string]*task) error {
	type row struct {
		task, repository, id, class string
		missing, before             bool
	}
	rows, err := query(ctx, db, func(r *row) []any {
		return []any{&r.task, &r.repository, &r.id, &r.class, &r.missing, &r.before}
	},
		`SELECT task_id, repository, test_id, class, missing_on_base, passed_before FROM test_transitions
		WHERE `+selected+` ORDER BY task_id, repository, test_id`)
	if err != nil {
		return err
	}
	for _, t := range tasks {
		for _, x := range t.Targets {
			x.Tests = schema.TestsFile{Format: schema.ReleaseFormat, Repository: x.Repository, F2P: []string{}, P2P: []string{},
				MissingOnBase: []string{}, Unstable: []string{}, Others: []string{}}
		}
	}
	for _, r := range rows {
		t := find(tasks, r.task, r.repository)
		if t == nil {
			continue
		}
		switch schema.Class(r.class) {
		case schema.F2P:
			t.Tests.F2P = append(t.Tests.F2P, r.id)
			if r.missing {
				t.Tests.MissingOnBase = append(t.Tests.MissingOnBase, r.id)
			}
			if r.before {
				t.Tests.PassedBefore = append(t.Tests.PassedBefore, r.id)
			}
		case schema.P2P:
			t.Tests.P2P = append(t.Tests.P2P, r.id)
		case schema.Unstable, schema.Unsettled:
			t.Tests.Unstable = append(t.Tests.Unstable, r.id)
		default:
			t.Tests.Others = append(t.Tests.Others, r.id)
		}
	}
	return readRepeats(ctx, db, tasks)
}

func readRepeats(ctx context.Context, db pipeline.Queryer, tasks map[string]*task) error {
	type row struct {
		task, repository string
		repeats          int
	}
	rows, err := query(ctx, db, func(r *row) []any { return []any{&r.task, &r.repository, &r.repeats} },
		`SELECT task_id, repository, count(DISTINCT repeat) FROM test_runs WHERE state = 'gold' AND `+selected+`
		GROUP BY task_id, repository ORDER BY task_id, repository`)
	for _, r := range rows {
		if t := find(tasks, r.task, r.repository); t != nil {
			t.Tests.Repeats = r.repeats
		}
	}
	return err
}

func readParagraphs(ctx context.Context, db pipeline.Queryer, tasks map[string]*task) error {
	type row struct {
		task string
		schema.PromptParagraph
	}
	rows, err := query(ctx, db, func(r *row) []any { return []any{&r.task, &r.Paragraph, &r.Source, &r.Edited} },
		`SELECT task_id, paragraph, source, edited FROM prompt_paragraphs WHERE `+selected+` ORDER BY task_id, paragraph`)
	for _, r := range rows {
		tasks[r.task].Paragraphs = append(tasks[r.task].Paragraphs, r.PromptParagraph)
	}
	return err
}

func readVerdicts(ctx context.Context, db pipeline.Queryer, tasks map[string]*task) error {
	type row struct {
		task string
		schema.RecordVerdict
	}
	rows, err := query(ctx, db, func(r *row) []any {
		return []any{&r.task, &r.Reviewer, &r.Verdict, &r.Kind, &r.Pattern, &r.Reason, &r.Note}
	}, `SELECT task_id, r.reviewer, r.verdict, r.kind, r.pattern, r.reason, r.note
		FROM task_list JOIN reviews r USING (candidate_id) WHERE `+selected+` ORDER BY task_id, r.reviewer`)
	for _, r := range rows {
		tasks[r.task].Verdicts = append(tasks[r.task].Verdicts, r.RecordVerdict)
	}
	return err
}

func readPulls(ctx context.Context, db pipeline.Queryer, tasks map[string]*task) error {
	type row struct {
		task, repository string
		number           int
		merged           time.Time
		schema.RecordPull
	}
	rows, err := query(ctx, db, func(r *row) []any {
		return []any{&r.task, &r.repository, &r.number, &r.Title, &r.Author, &r.merged}
	}, `SELECT t.task_id, t.repository, t.number, p.title, p.author, p.merged_at
		FROM (SELECT task_id, repository_id, repository, unnest(pulls) AS number FROM task_targets WHERE `+selected+`) t
		JOIN all_pulls p ON p.repository_id = t.repository_id AND p.number = t.number
		WHERE p.merged_at IS NOT NULL ORDER BY t.task_id, p.merged_at, t.repository, t.number`)
	for _, r := range rows {
		r.Pull, r.MergedAt = schema.PullName(r.repository, r.number), r.merged.UTC().Format(time.RFC3339)
		tasks[r.task].Pulls = append(tasks[r.task].Pulls, r.RecordPull)
	}
	return err
}

// readLinks takes the references between the task's own pulls.
func readLinks(ctx context.Context, db pipeline.Queryer, tasks map[string]*task) error {
	type row struct {
		task string
		schema.RecordLink
	}
	rows, err := query(ctx, db, func(r *row) []any { return []any{&r.task, &r.Source, &r.Target, &r.Form, &r.Relation} },
		`WITH members AS (SELECT task_id, repository || '#' || number AS pull
			FROM (SELECT task_id, repository, unnest(pulls) AS number FROM task_targets WHERE `+selected+`))
		SELECT DISTINCT a.task_id, l.source, l.target, l.form, l.relation
		FROM links l JOIN members a ON a.pull = l.source JOIN members b ON b.pull = l.target AND b.task_id = a.task_id
		ORDER BY ALL`)
	for _, r := range rows {
		tasks[r.task].Links = append(tasks[r.task].Links, r.RecordLink)
	}
	return err
}
