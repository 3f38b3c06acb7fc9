package trial

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/store"
	"github.com/wideswe/wideswe/schema"
	"github.com/wideswe/wideswe/stages/assemble"
	"github.com/wideswe/wideswe/stages/crawl"
	"github.com/wideswe/wideswe/stages/export"
	"github.com/wideswe/wideswe/stages/group"
	"github.com/wideswe/wideswe/stages/inspect"
	"github.com/wideswe/wideswe/stages/review"
	"github.com/wideswe/wideswe/stages/validate"
)

// Pulls makes a throwaway task of crawled pulls (owner/name#N) of a curator's database and brings it through assemble
// and validate. The recipes work where every target has a test that fails on base and passes on gold.
func (t Trial) Pulls(ctx context.Context, from pipeline.Queryer, names []string) (Finding, error) {
	a, begun := &attempt{Trial: t}, time.Now()
	db, err := store.Open(ctx, "", store.Options{})
	if err != nil {
		return a.found, err
	}
	defer db.Close()
	candidate, err := storeCandidate(ctx, from, db, names)
	if err != nil {
		return a.found, err
	}
	if err := a.makeLogs(candidate); err != nil {
		return a.found, err
	}
	return a.finish(begun, a.walk(ctx, db))
}

// pull is a merged pull of the curator's database.
type pull struct {
	schema.PullKey
	repository string
	ecosystem  string
	merged     bool
}

// storeCandidate makes one accepted candidate of the pulls and returns its id. What assemble reads of them is copied;
// that inspect would let them pass is taken as given.
func storeCandidate(ctx context.Context, from pipeline.Queryer, db pipeline.DB, names []string) (string, error) {
	var pulls []pull
	for _, name := range names {
		p, err := findPull(ctx, from, name)
		if err != nil {
			return "", err
		}
		if !slices.Contains(pulls, p) {
			pulls = append(pulls, p)
		}
	}
	c := candidateOf("try-"+pipeline.Hash(names)[:12], pulls)
	return c.ID, db.InTx(ctx, func(ctx context.Context, tx pipeline.Tx) error {
		for _, p := range pulls {
			if err := crawl.CopyPull(ctx, from, tx, p.PullKey); err != nil {
				return fmt.Errorf("copying %s: %w", schema.PullName(p.repository, p.Number), err)
			}
		}
		return errors.Join(group.StoreNamed(ctx, tx, c, time.Now()), inspect.StorePassing(ctx, tx, c.Pulls),
			review.StoreAccepted(ctx, tx, c.ID, "tried"))
	})
}

func candidateOf(id string, pulls []pull) group.Named {
	c := group.Named{ID: id, Ecosystem: pulls[0].ecosystem, Anchor: schema.PullName(pulls[0].repository, pulls[0].Number)}
	for _, p := range pulls {
		c.Pulls, c.Repositories = append(c.Pulls, p.PullKey), append(c.Repositories, p.repository)
	}
	slices.Sort(c.Repositories)
	c.Repositories = slices.Compact(c.Repositories)
	return c
}

func findPull(ctx context.Context, db pipeline.Queryer, name string) (p pull, err error) {
	repository, number, err := schema.ParsePullName(name)
	if err != nil {
		return p, pipeline.Usage("%v", err)
	}
	rows, err := db.Query(ctx, `SELECT repository_id, repository, number, ecosystem, merged_at IS NOT NULL FROM all_pulls
		WHERE lower(repository) = lower(?) AND number = ?`, repository, number)
	if err != nil {
		return p, err
	}
	list, err := pipeline.Scan(rows, func(p *pull) []any {
		return []any{&p.RepositoryID, &p.repository, &p.Number, &p.ecosystem, &p.merged}
	})
	switch {
	case err != nil:
		return p, err
	case len(list) == 0:
		return p, pipeline.Usage("pull %s is not in the database; wideswe crawl brings the pulls of the ecosystems in "+
			"wideswe.yaml", name)
	case !list[0].merged:
		return p, pipeline.Usage("pull %s is not merged; there is no gold to try", name)
	}
	return list[0], nil
}

// walk runs assemble and validate. The error is a skip where the task did not work out; what was found by then is in
// the finding.
func (a *attempt) walk(ctx context.Context, db *store.DB) error {
	temp, remove, err := pipeline.Scratch("", "recipe-test")
	if err != nil {
		return fmt.Errorf("making a temporary folder: %w", err)
	}
	defer remove()
	prompts := filepath.Join(temp, "prompts")
	if err := a.runStage(ctx, db, assemble.Stage{DB: db, Mirrors: a.Mirrors, Prompts: prompts, Alone: true}); err != nil {
		return err
	}
	if err := a.readAssembled(ctx, db); err != nil {
		return err
	}
	if err := a.checkBaseImages(ctx); err != nil {
		return err
	}
	tried := a.runStage(ctx, db, validate.Stage{DB: db, Trees: &export.Mirrors{Mirrors: a.Mirrors}, Runner: a.Runner,
		Recipe: a.Folder.Recipe, Options: validate.Options{Repeats: a.Repeats, Stress: a.Stress}, Logs: a.found.Logs,
		TempDir: temp})
	if _, skip := pipeline.SkipReason(tried); tried != nil && !skip {
		return tried
	}
	return errors.Join(a.readValidated(ctx, db), tried)
}

// checkBaseImages looks for the recipes' base images: a missing one is for the person to bring, and no finding about
// the recipe.
func (a *attempt) checkBaseImages(ctx context.Context) error {
	for _, t := range a.found.Targets {
		if t.Recipe == nil {
			continue
		}
		if _, err := a.Runner.Base(ctx, t.Recipe.Image); err != nil {
			return fmt.Errorf("the image of %s: %w", t.Repository, err)
		}
	}
	return nil
}

// runStage runs one stage over the only item there is and returns its outcome: an error with the reason where it is not
// done.
func (a *attempt) runStage(ctx context.Context, db *store.DB, s pipeline.Stage) error {
	err := pipeline.Execute(ctx, s, a.NewRun(db))
	var items *pipeline.FailedItems
	if err != nil && !errors.As(err, &items) {
		return err
	}
	latest, err := db.Latest(ctx, s.Name())
	if err != nil {
		return err
	}
	for _, o := range latest {
		switch o.Status {
		case schema.Skipped:
			return pipeline.Skip("%s", o.Reason)
		case schema.Failed:
			return fmt.Errorf("%s: %s", s.Name(), o.Reason)
		}
	}
	return nil
}
