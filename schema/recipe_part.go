package schema

import "time"

// RecipePart is one part of a recipe file: what a person sets, for base commits of
// a range of dates.
//
// A part's range is of committer dates and not of commits. The base commit's date is
// in the database, so what applies is known without history, also where a mirror is
// gone; a person reads it off any log; and bases lie on the line that is merged into,
// where dates hold. Pulls of other branches, backports, make no tasks.
type RecipePart struct {
	// From and Until bound the committer date of the base commit: a day, or a moment
	// as 2025-03-01T12:00:00Z. From is within the range, Until is not; empty is open.
	From  string `yaml:"from,omitempty" json:"-"`
	Until string `yaml:"until,omitempty" json:"-"`
	// Number counts the file's parts from 1.
	Number int `yaml:"-" json:"-"`

	Recipe `yaml:",inline"`
	// Add goes on with the lists that are detected, or set by earlier parts.
	Add RecipeLists `yaml:"add,omitempty" json:"add"`
}

// RecipeLists are the lists of a recipe that can be added to.
type RecipeLists struct {
	Packages []string `yaml:"packages,omitempty" json:"packages,omitempty"`
	Setup    []string `yaml:"setup,omitempty" json:"setup,omitempty"`
	Warm     []string `yaml:"warm,omitempty" json:"warm,omitempty"`
	Build    []string `yaml:"build,omitempty" json:"build,omitempty"`
	Path     []string `yaml:"path,omitempty" json:"path,omitempty"`
}

// Lay lays parts over a recipe, in order: what a part sets replaces, what it adds
// follows.
func (r Recipe) Lay(parts ...RecipePart) Recipe {
	for _, p := range parts {
		r = r.Merge(p.Recipe)
		r.Packages = more(r.Packages, p.Add.Packages)
		r.Setup = more(r.Setup, p.Add.Setup)
		r.Warm = more(r.Warm, p.Add.Warm)
		r.Build = more(r.Build, p.Add.Build)
		r.Path = more(r.Path, p.Add.Path)
	}
	return r
}

func more(list, add []string) []string {
	if len(add) == 0 {
		return list
	}
	return append(append([]string{}, list...), add...)
}

// RecipeDate reads the bound of a part's range; empty is the zero time.
func RecipeDate(s string) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	if t, err := time.Parse(time.DateOnly, s); err == nil {
		return t, nil
	}
	return time.Parse(time.RFC3339, s)
}

// RecipeParts are a recipe file's parts, in its order.
type RecipeParts []RecipePart

// At gives the parts for a base commit of that date.
func (parts RecipeParts) At(t time.Time) (list []RecipePart) {
	for _, p := range parts {
		from, err := RecipeDate(p.From)
		if err != nil || from.After(t) {
			continue
		}
		if until, err := RecipeDate(p.Until); err != nil || p.Until != "" && !t.Before(until) {
			continue
		}
		list = append(list, p)
	}
	return list
}
