// Package rank is the stage that decides which ecosystems are crawled. It takes
// the ecosystems of the curator's configuration and keeps those that can hold a
// change of several repositories; what belongs to them is the crawl's to find out.
package rank

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/schema"
)

// Stage is the stage. It writes the table ecosystems.
type Stage struct {
	DB         pipeline.DB
	Ecosystems []schema.EcosystemConfig
}

// Name implements [pipeline.Stage].
func (Stage) Name() string { return "rank" }

// Version implements [pipeline.Stage].
func (Stage) Version() string { return "1" }

// Plan implements [pipeline.Planner].
func (s Stage) Plan(context.Context) ([]pipeline.Ref, error) {
	items, err := s.items()
	return pipeline.Refs(items), err
}

// Run implements [pipeline.Stage].
func (s Stage) Run(ctx context.Context, run *pipeline.Run) error {
	items, err := s.items()
	if err != nil {
		return err
	}
	return pipeline.Each(ctx, run, s, items, rank, remove)
}

var (
	ecosystemName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)
	accountName   = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)
)

// items checks the configuration: a name that can't be one is the person's to correct.
func (s Stage) items() ([]pipeline.Item[schema.EcosystemConfig], error) {
	if len(s.Ecosystems) == 0 {
		return nil, pipeline.Usage("no ecosystem is configured: add one under ecosystems in wideswe.yaml, with its organizations or repositories")
	}
	seen := map[string]bool{}
	items := make([]pipeline.Item[schema.EcosystemConfig], 0, len(s.Ecosystems))
	for i, e := range s.Ecosystems {
		if err := check(e); err != nil {
			return nil, pipeline.Usage("ecosystems[%d] in wideswe.yaml: %v", i, err)
		}
		if seen[strings.ToLower(e.Name)] {
			return nil, pipeline.Usage("ecosystems[%d] in wideswe.yaml: the name %q is taken by an earlier one; join the two", i, e.Name)
		}
		seen[strings.ToLower(e.Name)] = true
		e.Organizations, e.Repositories = distinct(e.Organizations), distinct(e.Repositories)
		items = append(items, pipeline.Item[schema.EcosystemConfig]{ID: e.Name, Hash: pipeline.Hash(e), Value: e})
	}
	return items, nil
}

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

func rank(_ context.Context, e schema.EcosystemConfig) (pipeline.Write, error) {
	switch {
	case len(e.Organizations) > 0:
		return write(e, true, "configured"), nil
	case len(e.Repositories) == 0:
		return drop(e, "no organization and no repository")
	case len(e.Repositories) < 2:
		return drop(e, "fewer than two repositories and no organization")
	}
	return write(e, true, "configured"), nil
}

func drop(e schema.EcosystemConfig, reason string) (pipeline.Write, error) {
	return write(e, false, reason), pipeline.Skip("%s", reason)
}

func write(e schema.EcosystemConfig, kept bool, reason string) pipeline.Write {
	return func(ctx context.Context, tx pipeline.Tx) error {
		if err := remove(e.Name)(ctx, tx); err != nil {
			return err
		}
		// Stars stay 0: a configured ecosystem takes part in no ranking.
		return tx.Append(ctx, "ecosystems", [][]any{{e.Name, e.Organizations, e.Repositories, "config", int64(0), kept, reason}})
	}
}

func remove(name string) pipeline.Write {
	return func(ctx context.Context, tx pipeline.Tx) error {
		return tx.Exec(ctx, "DELETE FROM ecosystems WHERE ecosystem = ?", name)
	}
}
