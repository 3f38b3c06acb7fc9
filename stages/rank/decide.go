package rank

import (
	"fmt"
	"strings"

	"github.com/wideswe/wideswe/schema"
)

const (
	configSource = "config"
	listedSource = "ecosystems.yaml"
	noVerdict    = "no verdict yet: list it in ecosystems.yaml with verdict keep or drop, and the reason"
)

// decider goes through the three lists in their order: what one of them names, the
// later ones leave alone.
type decider struct {
	options Options
	ranking ranked
	names   map[string]bool // of ecosystems, lower case
	taken   map[string]bool // organizations that an ecosystem names, lower case
	entries []entry
}

func (d *decider) take(e entry) {
	d.names[strings.ToLower(e.Name)] = true
	for _, o := range e.Organizations {
		d.taken[strings.ToLower(o)] = true
	}
	d.entries = append(d.entries, e)
}

// configured takes an ecosystem of the configuration as it is.
func (d *decider) configured(e schema.EcosystemConfig) error {
	if err := check(e); err != nil {
		return err
	}
	if d.names[strings.ToLower(e.Name)] {
		return fmt.Errorf("the name %q is taken by an earlier one; join the two", e.Name)
	}
	e.Organizations, e.Repositories = distinct(e.Organizations), distinct(e.Repositories)
	reason := few(e)
	row := entry{EcosystemConfig: e, Source: configSource, Kept: reason == "", Reason: reason,
		Stars: d.ranking.stars(e.Organizations)}
	if row.Kept {
		row.Reason = "configured"
	}
	d.take(row)
	return nil
}

// few says why an ecosystem can't hold a change of several repositories.
func few(e schema.EcosystemConfig) string {
	switch {
	case len(e.Organizations) > 0 || len(e.Repositories) > 1:
		return ""
	case len(e.Repositories) == 0:
		return "no organization and no repository"
	}
	return "fewer than two repositories and no organization"
}

// listed takes an entry of ecosystems.yaml. A name that the configuration has is
// the configuration's.
func (d *decider) listed(l schema.ListedEcosystem, configured []entry) error {
	e := l.Config()
	if err := check(e); err != nil {
		return err
	}
	for _, c := range configured {
		if strings.EqualFold(c.Name, e.Name) {
			return nil
		}
	}
	if d.names[strings.ToLower(e.Name)] {
		return fmt.Errorf("%q is listed twice; join the two", e.Name)
	}
	e.Organizations, e.Repositories = distinct(e.Organizations), distinct(e.Repositories)
	row := entry{EcosystemConfig: e, Source: listedSource}
	found := d.ranking.find(e.Organizations)
	if len(found) > 0 {
		row.Source, row.Stars = d.ranking.source, d.ranking.stars(e.Organizations)
	}
	row.Kept, row.Reason = d.judge(l, e, found)
	d.take(row)
	return nil
}

// judge lays a person's verdict beside what the ranking knows. An ecosystem is
// screened as a whole, so that one that spans organizations is not torn apart;
// where the ranking knows none of them the verdict stands alone.
func (d *decider) judge(l schema.ListedEcosystem, e schema.EcosystemConfig, found []schema.RankedOrganization) (bool,
	string) {
	if l.Verdict == schema.VerdictDrop {
		return false, "dropped by a person (" + l.Reason + ")"
	}
	if reason := few(e); reason != "" {
		return false, reason
	}
	if l.Verdict == "" {
		return true, "listed"
	}
	if len(found) > 0 && len(found) == len(e.Organizations) {
		if reason := d.options.screen(d.ranking.date, found, e.Repositories); reason != "" {
			return false, reason
		}
	}
	return true, "kept by a person (" + l.Reason + ")"
}

// rest are the ranked organizations that nobody named.
func (d *decider) rest() {
	for _, o := range d.ranking.organizations {
		if d.taken[strings.ToLower(o.Name)] {
			continue
		}
		row := entry{EcosystemConfig: schema.EcosystemConfig{Name: o.Name, Organizations: []string{o.Name},
			Repositories: []string{}},
			Source: d.ranking.source, Stars: o.Stars, Reason: noVerdict}
		if d.names[strings.ToLower(o.Name)] {
			row.Name += " (organization)" // an ecosystem of other organizations has the name
		}
		if reason := d.options.screen(d.ranking.date, []schema.RankedOrganization{o}, nil); reason != "" {
			row.Reason = reason
		}
		d.take(row)
	}
}
