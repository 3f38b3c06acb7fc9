package folder

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/schema"
)

// recipeKeys are what a part of a recipe file may set.
var recipeKeys = []string{"from", "until", "toolchain", "image", "runtime", "packages", "env", "setup", "warm", "build",
	"path",
	"test", "report", "select", "wider", "narrower", "relocate", "services", "timeout", "accept_gold", "add"}

// RecipeFile is where a repository's recipe is kept, under the folder.
func RecipeFile(repository string) string {
	return "recipes/" + schema.FileName(repository) + ".yaml"
}

// Recipe gives what a person set for a base commit of a repository, by the commit's
// date: the parts to lay over the detected recipe, in order.
func (f Folder) Recipe(repository string, at time.Time) ([]schema.RecipePart, error) {
	parts, err := f.RecipeParts(repository)
	return parts.At(at), err
}

// RecipeParts reads a repository's recipe file: one part, or a list of parts. There
// are none where there is no file.
func (f Folder) RecipeParts(repository string) (schema.RecipeParts, error) {
	if err := CheckRepository(repository); err != nil {
		return nil, err
	}
	name := RecipeFile(repository)
	text, ok, err := f.read(name)
	if err != nil || !ok {
		return nil, err
	}
	parts, err := decodeParts(name, text)
	if err != nil {
		return nil, err
	}
	for i := range parts {
		p := &parts[i]
		p.Number = i + 1
		if err := checkPart(*p, repository); err != nil {
			return nil, problem(name, partLine(text, i, len(parts)), "%s%s", partName(i, len(parts)), err)
		}
		p.Repository = repository
	}
	return parts, checkRanges(name, text, parts)
}

// addKeys are what add may go on with, entryKeys what an entry of a list may set.
var (
	addKeys   = []string{"packages", "setup", "warm", "build", "path"}
	entryKeys = []struct {
		in   string
		keys []string
	}{
		{"services", []string{"name", "image", "command", "env", "ready", "port", "tmpfs"}},
		{"relocate", []string{"from", "to", "rename"}},
	}
)

// decodeParts reads a list of parts, or one part that stands alone.
func decodeParts(name string, text []byte) (schema.RecipeParts, error) {
	var shape any
	if err := decode(name, text, &shape, strings.Join(recipeKeys, ", ")); err != nil {
		return nil, err
	}
	if _, list := shape.([]any); list {
		var parts schema.RecipeParts
		err := decodePart(name, text, shape, &parts)
		return parts, err
	}
	var part schema.RecipePart
	err := decodePart(name, text, shape, &part)
	return schema.RecipeParts{part}, err
}

var unknownKey = regexp.MustCompile(`unknown field "([^"]*)"`)

// decodePart reads what the shape is of, and where a key is there that there is not,
// asks whether another of its place was meant.
func decodePart(name string, text []byte, shape, v any) error {
	err := pipeline.DecodeYAML(text, true, v)
	var y *pipeline.YAMLError
	if !errors.As(err, &y) {
		return err
	}
	m := unknownKey.FindStringSubmatch(y.Message)
	if m == nil {
		return problem(name, y.Line, "%s; the file has: %s", y.Message, strings.Join(recipeKeys, ", "))
	}
	where, keys := keysBeside(shape, m[1])
	return problem(name, y.Line, "there is no key %q%s%s; there is: %s", m[1], where, pipeline.DidYouMean(m[1], keys),
		strings.Join(keys, ", "))
}

// keysBeside gives the keys that there are where an unknown one stands: in an entry
// of a list, in add, or else in a part.
func keysBeside(shape any, key string) (where string, keys []string) {
	parts, list := shape.([]any)
	if !list {
		parts = []any{shape}
	}
	for _, p := range parts {
		part, _ := p.(map[string]any)
		if _, there := part[key]; there && !slices.Contains(recipeKeys, key) {
			return "", recipeKeys
		}
	}
	for _, p := range parts {
		part, _ := p.(map[string]any)
		if add, _ := part["add"].(map[string]any); has(add, key) {
			return " in add", addKeys
		}
		for _, e := range entryKeys {
			list, _ := part[e.in].([]any)
			for _, s := range list {
				if one, _ := s.(map[string]any); has(one, key) && !slices.Contains(e.keys, key) {
					return " in " + e.in, e.keys
				}
			}
		}
	}
	return "", recipeKeys
}

func has(m map[string]any, key string) bool {
	_, ok := m[key]
	return ok
}

func partName(i, of int) string {
	if of == 1 {
		return ""
	}
	return fmt.Sprintf("part %d: ", i+1)
}

// partLine is the line on which a part of a list begins; 0 where it can't be told.
func partLine(text []byte, part, of int) int {
	if of == 1 {
		return 0
	}
	seen := -1
	for i, line := range strings.Split(string(text), "\n") {
		if line == "-" || strings.HasPrefix(line, "- ") {
			if seen++; seen == part {
				return i + 1
			}
		}
	}
	return 0
}

func checkPart(p schema.RecipePart, repository string) error {
	if p.Repository != "" && !strings.EqualFold(p.Repository, repository) {
		return fmt.Errorf("repository is %q; the file's name says %q", p.Repository, repository)
	}
	if p.Timeout < 0 {
		return fmt.Errorf("timeout is %d; write seconds", p.Timeout)
	}
	if err := checkServices(p.Services); err != nil {
		return err
	}
	for _, m := range p.Relocate {
		if err := m.Check(); err != nil {
			return err
		}
	}
	for _, bound := range []struct{ key, value string }{{"from", p.From}, {"until", p.Until}} {
		if _, err := schema.RecipeDate(bound.value); err != nil {
			return fmt.Errorf("%s is %q; write the base commit's date, such as 2025-03-01 or 2025-03-01T12:00:00Z", bound.key,
				bound.value)
		}
	}
	if from, until := span(p); !from.Before(until) {
		return fmt.Errorf("from %s until %s holds no moment; until is the first that the part is not for", p.From, p.Until)
	}
	return nil
}

// serviceName is a name that can stand in an address.
var serviceName = regexp.MustCompile(`^[a-z][a-z0-9-]{0,62}$`)

func checkServices(list []schema.Service) error {
	seen := map[string]bool{}
	for i, s := range list {
		switch {
		case !serviceName.MatchString(s.Name):
			return fmt.Errorf("service %d has the name %q; write the host name that the tests use, in small letters", i+1,
				s.Name)
		case seen[s.Name]:
			return fmt.Errorf("two services are called %s", s.Name)
		case s.Image == "":
			return fmt.Errorf("the service %s has no image", s.Name)
		case s.Port < 0 || s.Port > 65535:
			return fmt.Errorf("the service %s has the port %d", s.Name, s.Port)
		}
		seen[s.Name] = true
	}
	return nil
}

// endless stands for an open end.
var endless = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)

// span is a part's range.
func span(p schema.RecipePart) (from, until time.Time) {
	from, _ = schema.RecipeDate(p.From)
	until, _ = schema.RecipeDate(p.Until)
	if p.Until == "" {
		until = endless
	}
	return from, until
}

// checkRanges lets a later part be an exception within an earlier one, or stand
// beside it. Ranges that cross, or a later part that hides an earlier one, are
// mistakes: a date was written wrong, or the parts are in the wrong order.
func checkRanges(name string, text []byte, parts schema.RecipeParts) error {
	for j := range parts {
		for i := range j {
			if why := crossing(parts[i], parts[j]); why != "" {
				return problem(name, partLine(text, j, len(parts)), "parts %d and %d %s", i+1, j+1, why)
			}
		}
	}
	return nil
}

func crossing(a, b schema.RecipePart) string {
	af, au := span(a)
	bf, bu := span(b)
	switch {
	case !af.Before(bu) || !bf.Before(au):
		return "" // apart
	case af.Equal(bf) && au.Equal(bu):
		return "are for the same dates; make one of them"
	case !af.After(bf) && !au.Before(bu):
		return "" // an exception within a
	case !bf.After(af) && !bu.Before(au):
		return "are in the wrong order: the later holds all dates of the earlier and would override it; put the wider one " +
			"first"
	}
	first, last := later(af, bf), earlier(au, bu)
	return fmt.Sprintf("both are for %s until %s; end the one where the other begins", day(first), day(last))
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

// day writes a bound as a person would.
func day(t time.Time) string {
	if t.Equal(t.Truncate(24 * time.Hour)) {
		return t.Format(time.DateOnly)
	}
	return t.UTC().Format(time.RFC3339)
}

// WriteRecipe stores a recipe for a person to edit.
func (f Folder) WriteRecipe(r schema.Recipe) (file string, err error) {
	if err := CheckRepository(r.Repository); err != nil {
		return "", err
	}
	text, err := encode("# How "+r.Repository+" is built and tested; what stands here overrides what is detected.\n", r)
	if err != nil {
		return "", err
	}
	return RecipeFile(r.Repository), f.write(RecipeFile(r.Repository), text)
}
