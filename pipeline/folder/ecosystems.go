package folder

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/schema"
)

const ecosystemsFile = "ecosystems.yaml"

// Ecosystems reads ecosystems.yaml.
func (f Folder) Ecosystems() ([]schema.ListedEcosystem, error) {
	text, ok, err := f.read(ecosystemsFile)
	if err != nil || !ok {
		return nil, err
	}
	return parseEcosystems(text)
}

func parseEcosystems(text []byte) ([]schema.ListedEcosystem, error) {
	var file struct {
		Dated      string                   `yaml:"dated"` // when the list was made, for people
		Ecosystems []schema.ListedEcosystem `yaml:"ecosystems"`
	}
	if err := decode(ecosystemsFile, text, &file,
		"ecosystems: a list of name, organizations, repositories, verdict, reason"); err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for i, e := range file.Ecosystems {
		if e.Name == "" {
			return nil, problem(ecosystemsFile, 0, "entry %d has no name", i+1)
		}
		if key := strings.ToLower(e.Name); seen[key] {
			return nil, problem(ecosystemsFile, 0, "%q is listed twice; put its organizations and repositories into one entry",
				e.Name)
		} else {
			seen[key] = true
		}
		if err := checkListed(e); err != nil {
			return nil, problem(ecosystemsFile, 0, "ecosystem %s: %s", e.Name, err)
		}
	}
	return file.Ecosystems, nil
}

func checkListed(e schema.ListedEcosystem) error {
	for _, r := range e.Repositories {
		if err := CheckRepository(r); err != nil {
			return err
		}
	}
	switch e.Verdict {
	case "":
		return nil
	case schema.VerdictKeep, schema.VerdictDrop:
		if strings.TrimSpace(e.Reason) == "" {
			return fmt.Errorf("verdict %s has no reason; say why it is, or is not, one product, platform or technology",
				e.Verdict)
		}
		return nil
	}
	return fmt.Errorf("verdict is %q; write keep or drop", e.Verdict)
}

// WriteEcosystems stores a list that was made elsewhere, where the folder's own
// list is empty.
func (f Folder) WriteEcosystems(text []byte) error {
	if _, err := parseEcosystems(text); err != nil {
		return err
	}
	have, err := f.Ecosystems()
	if err != nil {
		return err
	}
	if len(have) > 0 {
		return pipeline.Usage("%s has %d entries already; they are left as they are", ecosystemsFile, len(have))
	}
	return f.write(ecosystemsFile, text)
}

const rankingKeys = "source, date, note, organizations: a list of name, stars, repositories, top (name, stars, " +
	"state, pushed)"

// Ranking reads a frozen ranking, false where there is none of that name, or no
// name.
func (f Folder) Ranking(name string) (schema.Ranking, bool, error) {
	var r schema.Ranking
	if name == "" {
		return r, false, nil
	}
	text, ok, err := f.read(name)
	if err != nil || !ok {
		return r, false, err
	}
	if err := decode(name, text, &r, rankingKeys); err != nil {
		return r, false, err
	}
	if err := checkRanking(r); err != nil {
		return r, false, problem(name, 0, "%s", err)
	}
	return r, true, nil
}

// WriteRanking freezes a ranking. One that is there is not replaced: it can't be
// made again.
func (f Folder) WriteRanking(name string, r schema.Ranking) error {
	if err := checkRanking(r); err != nil {
		return fmt.Errorf("the ranking made: %w", err)
	}
	if err := f.NoRanking(name); err != nil {
		return err
	}
	text, err := encode(rankingHead, r)
	if err != nil {
		return err
	}
	return f.write(name, text)
}

const rankingHead = "# Organizations by their total stars on one day. Keep this file: no later question brings it " +
	"back.\n"

// NoRanking is an error where a ranking of that name is there.
func (f Folder) NoRanking(name string) error {
	_, ok, err := f.read(name)
	if err == nil && ok {
		err = pipeline.Usage("%s is there and is not replaced; set another name under rank.ranking in wideswe.yaml, or "+
			"move it away", name)
	}
	return err
}

func checkRanking(r schema.Ranking) error {
	if _, err := time.Parse(time.DateOnly, r.Date); err != nil {
		return fmt.Errorf("date is %q; write the day the ranking was made, such as 2026-06-05", r.Date)
	}
	if strings.TrimSpace(r.Source) == "" {
		return fmt.Errorf("it has no source; say how the ranking was made")
	}
	seen := map[string]bool{}
	for i, o := range r.Organizations {
		if key := strings.ToLower(o.Name); o.Name == "" || seen[key] {
			return fmt.Errorf("organization %d: the name %q is empty or there twice", i+1, o.Name)
		} else {
			seen[key] = true
		}
		if i > 0 && o.Stars > r.Organizations[i-1].Stars {
			return fmt.Errorf("%s has more stars than %s before it; list the most starred first", o.Name,
				r.Organizations[i-1].Name)
		}
		for _, t := range o.Top {
			if err := checkRanked(t); err != nil {
				return fmt.Errorf("%s: %w", o.Name, err)
			}
		}
	}
	return nil
}

var rankedStates = []string{schema.RankedLive, schema.RankedArchived, schema.RankedDisabled, schema.RankedMoved,
	schema.RankedMissing}

func checkRanked(t schema.RankedRepository) error {
	if !slices.Contains(rankedStates, t.State) {
		return fmt.Errorf("the state of %s is %q; write %s", t.Name, t.State, strings.Join(rankedStates, ", "))
	}
	if _, err := time.Parse(time.DateOnly, t.Pushed); t.Pushed != "" && err != nil {
		return fmt.Errorf("%s was pushed on %q; write a day such as 2026-06-01", t.Name, t.Pushed)
	}
	return nil
}
