// Package rank is the stage that decides which ecosystems are crawled.
//
// Three lists meet here. The ecosystems of the curator's configuration are kept as
// they are, if they can hold a change of several repositories. The organizations
// of a ranking, a dated file, are screened by [Options]. Which of those are one
// product, platform or technology is a person's verdict, as are ecosystems that
// span organizations: the listed ones. Every one that drops out has its reason.
//
// [Search] and [Pages] make a ranking; they are asked for by name and are no part
// of the stage's run, which asks nobody. What belongs to an ecosystem is the
// crawl's to find out.
package rank

import (
	"context"
	"fmt"
	"log/slog"
	"regexp"
	"strings"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/schema"
)

// Stage is the stage. It writes the table ecosystems.
type Stage struct {
	DB         pipeline.DB
	Ecosystems []schema.EcosystemConfig
	Options

	// Listed gives the entries of ecosystems.yaml, nil none.
	Listed func(context.Context) ([]schema.ListedEcosystem, error)
	// Ranking gives the frozen ranking, false where there is none; nil none.
	Ranking func(context.Context) (schema.Ranking, bool, error)
}

// Name implements [pipeline.Stage].
func (Stage) Name() string { return "rank" }

// Version implements [pipeline.Stage].
func (Stage) Version() string { return "1" }

// Plan implements [pipeline.Planner].
func (s Stage) Plan(ctx context.Context) ([]pipeline.Ref, error) {
	items, err := s.items(ctx)
	return pipeline.Refs(items), err
}

// Run implements [pipeline.Stage].
func (s Stage) Run(ctx context.Context, run *pipeline.Run) error {
	items, err := s.items(ctx)
	if err != nil {
		return err
	}
	if n := waiting(items); n > 0 && run.Log != nil {
		run.Log.Warn("ranked organizations wait for a verdict in ecosystems.yaml; they are not crawled", "organizations", n,
			slog.String("list them", "SELECT * FROM ecosystems WHERE reason LIKE 'no verdict%'"))
	}
	return pipeline.Each(ctx, run, s, items, work, remove)
}

// entry is one row of the table.
type entry struct {
	schema.EcosystemConfig
	Source string
	Stars  int64
	Kept   bool
	Reason string
}

// items decides everything: the work is only to write it down.
func (s Stage) items(ctx context.Context) ([]pipeline.Item[entry], error) {
	listed, ranked, err := s.read(ctx)
	if err != nil {
		return nil, err
	}
	if len(s.Ecosystems)+len(listed)+len(ranked.Organizations) == 0 {
		return nil, pipeline.Usage("no ecosystem is configured: add one under ecosystems in wideswe.yaml, with its " +
			"organizations or repositories")
	}
	d := decider{options: s.Options, ranking: newRanked(ranked, s.Options), names: map[string]bool{},
		taken: map[string]bool{}}
	for i, e := range s.Ecosystems {
		if err := d.configured(e); err != nil {
			return nil, pipeline.Usage("ecosystems[%d] in wideswe.yaml: %v", i, err)
		}
	}
	own := len(d.entries)
	for _, l := range listed {
		if err := d.listed(l, d.entries[:own]); err != nil {
			return nil, pipeline.Usage("ecosystems.yaml: %v", err)
		}
	}
	d.rest()
	return items(d.entries), nil
}

func (s Stage) read(ctx context.Context) (listed []schema.ListedEcosystem, r schema.Ranking, err error) {
	if s.Listed != nil {
		if listed, err = s.Listed(ctx); err != nil {
			return nil, r, err
		}
	}
	if s.Ranking != nil {
		r, _, err = s.Ranking(ctx)
	}
	return listed, r, err
}

func items(entries []entry) []pipeline.Item[entry] {
	out := make([]pipeline.Item[entry], len(entries))
	for i, e := range entries {
		hash := pipeline.Hash(e)
		if e.Source == configSource && e.Stars == 0 {
			hash = pipeline.Hash(e.EcosystemConfig) // the rest follows from it
		}
		out[i] = pipeline.Item[entry]{ID: e.Name, Hash: hash, Value: e}
	}
	return out
}

func waiting(items []pipeline.Item[entry]) (n int) {
	for _, it := range items {
		if it.Value.Reason == noVerdict {
			n++
		}
	}
	return n
}

var (
	ecosystemName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)
	accountName   = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)
)

// check finds names that can't be one: they are the person's to correct.
func check(e schema.EcosystemConfig) error {
	if !ecosystemName.MatchString(e.Name) {
		return fmt.Errorf("the name %q must be letters, digits, dots, dashes and underscores", e.Name)
	}
	for _, o := range e.Organizations {
		if !accountName.MatchString(o) {
			return fmt.Errorf("organization %q of %s is no account name", o, e.Name)
		}
	}
	for _, r := range e.Repositories {
		owner, name, ok := schema.SplitRepository(r)
		if !ok || !accountName.MatchString(owner) || strings.ContainsAny(name, " \t?#%") {
			return fmt.Errorf("repository %q of %s must be written owner/name", r, e.Name)
		}
	}
	return nil
}

// distinct drops names that differ from an earlier one in case only.
func distinct(names []string) []string {
	out, seen := []string{}, map[string]bool{}
	for _, n := range names {
		if k := strings.ToLower(n); !seen[k] {
			seen[k] = true
			out = append(out, n)
		}
	}
	return out
}

func work(_ context.Context, e entry) (pipeline.Write, error) {
	if e.Kept {
		return write(e), nil
	}
	return write(e), pipeline.Skip("%s", e.Reason)
}

func write(e entry) pipeline.Write {
	return func(ctx context.Context, tx pipeline.Tx) error {
		if err := remove(e.Name)(ctx, tx); err != nil {
			return err
		}
		return tx.Append(ctx, "ecosystems", [][]any{{e.Name, e.Organizations, e.Repositories, e.Source, e.Stars, e.Kept,
			e.Reason}})
	}
}

func remove(name string) pipeline.Write {
	return func(ctx context.Context, tx pipeline.Tx) error {
		return tx.Exec(ctx, "DELETE FROM ecosystems WHERE ecosystem = ?", name)
	}
}
