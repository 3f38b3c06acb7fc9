// Package export is the stage that writes the release: the selected tasks with
// their prompts, patches, tests and pins, as files that evaluators and other
// tools read. The context repositories are fixed here, since they depend on which
// tasks a release holds.
//
// The format is pipeline/release's; which tasks are in is balance's decision.
package export

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/release"
	"github.com/wideswe/wideswe/pipeline/settings"
	"github.com/wideswe/wideswe/schema"
)

// Git is what the stage asks of repositories' mirrors; [Mirrors] adapts pipeline/git.
type Git interface {
	// Tree describes the tree of a commit.
	Tree(ctx context.Context, repository, commit string) (Tree, error)
	// CommitBefore gives the newest commit of the default branch that is not later
	// than t, '' where there is none.
	CommitBefore(ctx context.Context, repository string, t time.Time) (sha string, committed time.Time, err error)
	// Snapshot writes a commit's tree as tar. An [UnavailableError] says that
	// parts of it are nowhere to be had.
	Snapshot(ctx context.Context, repository, commit string, w io.Writer) error
}

// Tree is what a pin needs to know of a tree.
type Tree struct {
	ID           string
	Submodules   []schema.Gitlink
	LicenseFiles []string // at the root
}

// UnavailableError says that a repository, or an object of it, is nowhere to be had.
type UnavailableError struct{ What string }

func (e *UnavailableError) Error() string { return e.What }

// Stage writes the release.
type Stage struct {
	DB      pipeline.DB
	Git     Git
	Options        // those that are not set have their defaults
	Out     string // the release's folder
	// WithSources packs every repository's tree into the release; without, the
	// pins stand and wideswe release fetch brings the trees.
	WithSources bool
	// Selection reads the curator's selection.yaml, for its pins and sets; nil has none.
	Selection func(ctx context.Context) (schema.Selection, error)
	// Secrets are the credentials in use, which no release may hold.
	Secrets []string
}

// item is the one item of the stage.
const item = "release"

// config is everything that decides an export beside its tasks. Input hashes hold it:
// its fields keep their names and their order.
type config struct {
	Name, Version    string
	Out              string
	WithSources      bool
	Context          string
	ContextLimit     int // context repositories of a task
	AllowCredentials []string
	TimeLimit        schema.TimeLimit
	WebURL           string // where people find a repository, with {owner} and {name}
}

func (s Stage) config() config {
	o := settings.Fill(s.Options)
	return config{Name: o.Name, Version: o.Version, Out: s.Out, WithSources: s.WithSources, Context: o.Context,
		ContextLimit: 20, AllowCredentials: o.AllowCredentials,
		TimeLimit: schema.TimeLimit{Factor: o.TimeFactor, Floor: o.TimeFloor.Seconds()},
		WebURL:    "https://github.com/{owner}/{name}"}
}

// Name implements [pipeline.Stage].
func (s Stage) Name() string { return "export" }

// Version implements [pipeline.Stage].
func (s Stage) Version() string { return "2" }

// Plan implements [pipeline.Planner].
func (s Stage) Plan(ctx context.Context) ([]pipeline.Ref, error) {
	items, err := s.items(ctx)
	return pipeline.Refs(items), err
}

func (s Stage) items(ctx context.Context) ([]pipeline.Item[*content], error) {
	c, err := read(ctx, s.DB)
	if err != nil {
		return nil, fmt.Errorf("reading the selected tasks: %w", err)
	}
	if s.Selection != nil {
		if c.Curated, err = s.Selection(ctx); err != nil {
			return nil, err
		}
	}
	cfg := s.config()
	return []pipeline.Item[*content]{{ID: item, Hash: pipeline.Hash(cfg, c), Value: c}}, nil
}

// Run implements [pipeline.Stage].
func (s Stage) Run(ctx context.Context, run *pipeline.Run) error {
	items, err := s.items(ctx)
	if err != nil {
		return err
	}
	there, err := s.there(ctx)
	if err != nil {
		return err
	}
	inner := *run
	// A release that was moved away, changed or replaced is written again, and one whose
	// last task was withdrawn is told of each time, while it lies there.
	inner.Redo = run.Redo || !there || len(items[0].Value.Tasks) == 0 && s.stands()
	err = pipeline.Each(ctx, &inner, s, items, func(ctx context.Context, c *content) (pipeline.Write, error) {
		return s.export(ctx, run, c)
	}, nil)
	run.Counts = inner.Counts
	return err
}

// there says whether the release of the last export still lies in its folder.
func (s Stage) there(ctx context.Context) (bool, error) {
	rows, err := s.DB.Query(ctx, "SELECT sha256 FROM exports WHERE folder = ? ORDER BY rowid DESC LIMIT 1", s.Out)
	if err != nil {
		return false, err
	}
	sums, err := pipeline.Scan[string](rows, nil)
	if err != nil || len(sums) == 0 {
		// Nothing was ever exported there; a recorded skip stands by its hash.
		return err == nil, err
	}
	b, err := os.ReadFile(filepath.Join(s.Out, "release.json"))
	if err != nil {
		return false, nil
	}
	// Releases of earlier versions lack it, and are refused by those who read them.
	if _, err := os.Stat(filepath.Join(s.Out, "release.json.sha256")); err != nil {
		return false, nil
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:]) == sums[0], nil
}

// stands says whether a release lies in the folder.
func (s Stage) stands() bool {
	_, err := os.Stat(filepath.Join(s.Out, "release.json"))
	return err == nil
}

// withdraw forgets what was exported: people's files are theirs to remove, but the
// database says of no task that it is released.
func withdraw(out string) pipeline.Write {
	return func(ctx context.Context, tx pipeline.Tx) error {
		if err := tx.Exec(ctx, "DELETE FROM context_repositories"); err != nil {
			return err
		}
		return tx.Exec(ctx, "DELETE FROM exports WHERE folder = ?", out)
	}
}

func (s Stage) export(ctx context.Context, run *pipeline.Run, c *content) (pipeline.Write, error) {
	if len(c.Tasks) == 0 {
		if s.stands() {
			return withdraw(s.Out), pipeline.Skip("no task is selected; what stands in %s is an earlier release, of tasks "+
				"that were withdrawn since: remove it, or select tasks again", s.Out)
		}
		return withdraw(s.Out), pipeline.Skip("no task is selected; validate and balance choose them")
	}
	if len(c.Stale) > 0 {
		return nil, pipeline.Need("%s was assembled anew since it was validated, so its tests may be another task's; run "+
			"wideswe run --from validate", strings.Join(c.Stale, ", "))
	}
	cfg := s.config()
	w, err := release.Create(cfg.Out, release.Guard{Allow: cfg.AllowCredentials, Secrets: s.Secrets})
	if err != nil {
		return nil, err
	}
	defer w.Abort()
	p := &plan{cfg: cfg, git: s.Git, content: c, writer: w, pins: map[string]*pin{}}
	if err := p.choose(ctx); err != nil {
		return nil, err
	}
	if err := p.packSources(ctx); err != nil {
		return nil, err
	}
	if p.funnel, err = funnel(ctx, s.DB); err != nil {
		return nil, fmt.Errorf("counting the funnel: %w", err)
	}
	rel, err := p.write(ctx)
	if err != nil {
		return nil, err
	}
	sum, err := w.Finish(rel)
	if err != nil {
		return nil, err
	}
	name := cfg.Name + " " + cfg.Version
	return func(ctx context.Context, tx pipeline.Tx) error {
		if err := tx.Exec(ctx, "DELETE FROM context_repositories"); err != nil {
			return err
		}
		if err := tx.Exec(ctx, "DELETE FROM exports WHERE folder = ?", cfg.Out); err != nil {
			return err
		}
		if err := tx.Append(ctx, "context_repositories", p.contextRows()); err != nil {
			return err
		}
		return tx.Append(ctx, "exports", [][]any{{name, cfg.Out, int32(len(c.Tasks)), sum, run.Now().UTC()}})
	}, nil
}
