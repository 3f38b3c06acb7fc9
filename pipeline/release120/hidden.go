package release120

import (
	"fmt"
	"maps"
	"path"
	"slices"
)

// harnessFile is harness.yaml.
type harnessFile struct {
	Layers []harnessLayer `yaml:"hidden_test_patches"`
}

type harnessLayer struct {
	Repo    string   `yaml:"repo"` // the short name
	Patch   string   `yaml:"patch"`
	Profile string   `yaml:"test_profile"`
	Origin  string   `yaml:"origin"`
	Source  []string `yaml:"source_file"`
	Hidden  []string `yaml:"hidden_file"`
	Changes any      `yaml:"semantic_changes"` // none, a sentence, or a list of them
}

// profilesFile is environment/test_profiles.yaml.
type profilesFile struct {
	Profiles map[string]struct {
		Repo string `yaml:"repo"`
	} `yaml:"profiles"`
}

// manifestFile is oracles/scoring_manifest.json.
type manifestFile struct {
	Schema string `json:"schema_version"`
	Oracle struct {
		Path   string `json:"path"`
		SHA256 string `json:"sha256"`
	} `json:"oracle"`
	Repos []manifestRepo `json:"repos"`
}

type manifestRepo struct {
	Repo    string `json:"repo"`
	F2P     int    `json:"fail_to_pass"`
	P2P     int    `json:"pass_to_pass"`
	Missing int    `json:"missing_to_pass"`
	Tests   struct {
		F2P     []Test `json:"fail_to_pass"`
		P2P     []Test `json:"pass_to_pass"`
		Missing []Test `json:"missing_to_pass"`
	} `json:"test_ids"`
}

// manifestSchema is the one that is read.
const manifestSchema = "ecosyncbench.scoring_manifest.v2"

// hidden reads the layers of hidden tests.
func (f caseFiles) hidden(c *Case) error {
	const name = "harness.yaml"
	var h harnessFile
	if err := f.yaml(name, &h); err != nil {
		return err
	}
	for i, l := range h.Layers {
		at := fmt.Sprintf("hidden_test_patches[%d].", i)
		x, err := f.targetNamed(c, name, at+"repo", l.Repo)
		if err != nil {
			return err
		}
		layer, err := f.layer(name, at, l)
		if err != nil {
			return err
		}
		x.Layers = append(x.Layers, layer)
	}
	return nil
}

func (f caseFiles) layer(name, at string, l harnessLayer) (out Layer, err error) {
	out = Layer{Name: path.Base(l.Patch), Profile: l.Profile, Origin: l.Origin, Relocated: map[string]string{}}
	if out.Patch, err = f.patch(name, at+"patch", l.Patch); err != nil {
		return out, err
	}
	if len(l.Source) != len(l.Hidden) {
		return out, f.problem(name, at+"hidden_file", "%d files, and source_file has %d", len(l.Hidden), len(l.Source))
	}
	for i, source := range l.Source {
		if l.Hidden[i] != source {
			out.Relocated[source] = l.Hidden[i]
		}
	}
	switch changes := l.Changes.(type) {
	case nil:
	case string:
		if changes != "none" {
			out.Changes = []string{changes}
		}
	case []any:
		for _, s := range changes {
			out.Changes = append(out.Changes, fmt.Sprint(s))
		}
	default:
		return out, f.problem(name, at+"semantic_changes", "neither text nor a list of it")
	}
	return out, nil
}

// targetNamed finds a target by its name without the owner.
func (f caseFiles) targetNamed(c *Case, file, field, short string) (*Target, error) {
	var found []*Target
	for i := range c.Targets {
		if path.Base(c.Targets[i].Repository) == short {
			found = append(found, &c.Targets[i])
		}
	}
	if len(found) != 1 {
		return nil, f.problem(file, field, "%q names %d targets of the case", short, len(found))
	}
	return found[0], nil
}

// scoring reads the lists of tests, and checks them against the profiles and the oracle.
func (f caseFiles) scoring(c *Case) error {
	const name = "oracles/scoring_manifest.json"
	var p profilesFile
	if err := f.yaml("environment/test_profiles.yaml", &p); err != nil {
		return err
	}
	var m manifestFile
	if _, err := f.json(name, &m); err != nil {
		return err
	}
	if m.Schema != manifestSchema {
		return f.problem(name, "schema_version", "%q; what is read is %s", m.Schema, manifestSchema)
	}
	for i, r := range m.Repos {
		at := fmt.Sprintf("repos[%d].", i)
		x, err := f.targetNamed(c, name, at+"repo", r.Repo)
		if err != nil {
			return err
		}
		x.F2P, x.P2P, x.MissingOnBase = r.Tests.F2P, r.Tests.P2P, r.Tests.Missing
		if err := f.counts(name, at, r); err != nil {
			return err
		}
		if err := f.lists(*x, name, at+"test_ids.", p); err != nil {
			return err
		}
	}
	for _, x := range c.Targets {
		if len(x.F2P) == 0 {
			return f.problem(name, "repos", "no fail_to_pass test of %s", x.Repository)
		}
	}
	return f.checkOracle(c, m)
}

// counts checks the lists of a target against the counts beside them.
func (f caseFiles) counts(name, at string, r manifestRepo) error {
	for _, x := range []struct {
		field string
		said  int
		list  []Test
	}{{"fail_to_pass", r.F2P, r.Tests.F2P}, {"pass_to_pass", r.P2P, r.Tests.P2P},
		{"missing_to_pass", r.Missing, r.Tests.Missing}} {
		if x.said != len(x.list) {
			return f.problem(name, at+x.field, "%d, and test_ids has %d", x.said, len(x.list))
		}
	}
	return nil
}

// lists checks the lists of a target against each other and against the profiles.
func (f caseFiles) lists(x Target, name, at string, p profilesFile) error {
	f2p := map[Test]bool{}
	for _, t := range x.F2P {
		f2p[t] = true
	}
	for _, t := range x.MissingOnBase {
		if !f2p[t] {
			return f.problem(name, at+"missing_to_pass", "%s is not in fail_to_pass", t.ID)
		}
	}
	for _, t := range x.P2P {
		if f2p[t] {
			return f.problem(name, at+"pass_to_pass", "%s is in fail_to_pass, too", t.ID)
		}
	}
	for _, t := range slices.Concat(x.F2P, x.P2P) {
		if profile, ok := p.Profiles[t.Profile]; !ok || profile.Repo != path.Base(x.Repository) {
			return f.problem(name, at+"profile", "%s is in the profile %q, and test_profiles.yaml has none of that name for %s",
				t.ID, t.Profile, x.Repository)
		}
	}
	return nil
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
