package schema

import "time"

// RecipePart is one part of a recipe file: settings by a person for base commits in
// a range of dates.
//
// The range is one of committer dates rather than commits. The database has the base
// commit's date, so no mirror is needed to tell whether a part applies, and people see
// the date in any log. Base commits are on the branch that pulls are merged into, where
// dates are in order.
type RecipePart struct {
	// From and Until bound the committer date of the base commit: a day, or a time
	// such as 2025-03-01T12:00:00Z. From is in the range and Until is not; an empty
	// bound is open.
	From  string `yaml:"from,omitempty" json:"-"`
	Until string `yaml:"until,omitempty" json:"-"`
	// Number is the part's position in the file, from 1.
	Number int `yaml:"-" json:"-"`

	Recipe `yaml:",inline"`
	// Add extends the lists that are detected or set by earlier parts.
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

// Lay returns the recipe with parts applied in order: fields that a part sets replace
// earlier ones, lists that it adds follow them.
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

// RecipeDate parses a bound of a part's range; the zero time stands for an empty bound.
func RecipeDate(s string) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	if t, err := time.Parse(time.DateOnly, s); err == nil {
		return t, nil
	}
	return time.Parse(time.RFC3339, s)
}

// RecipeParts holds the parts of a recipe file, in order.
type RecipeParts []RecipePart

// At returns the parts for a base commit of that date.
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
