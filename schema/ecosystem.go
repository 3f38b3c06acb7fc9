package schema

// EcosystemConfig names an ecosystem and its repositories, as wideswe.yaml and
// ecosystems.yaml list it.
type EcosystemConfig struct {
	Name string `yaml:"name" json:"name"`
	// Organizations are owners; all their repositories belong to the ecosystem.
	Organizations []string `yaml:"organizations,omitempty" json:"organizations,omitempty"`
	// Repositories are single repositories, owner/name.
	Repositories []string `yaml:"repositories,omitempty" json:"repositories,omitempty"`
}

// The verdicts of ecosystems.yaml.
const (
	VerdictKeep = "keep"
	VerdictDrop = "drop"
)

// ListedEcosystem is an entry of ecosystems.yaml: an ecosystem with a person's
// verdict on whether it is one product, platform or technology. An entry without a
// verdict counts like an ecosystem of wideswe.yaml.
type ListedEcosystem struct {
	Name          string   `yaml:"name" json:"name"`
	Organizations []string `yaml:"organizations,omitempty" json:"organizations,omitempty"`
	Repositories  []string `yaml:"repositories,omitempty" json:"repositories,omitempty"`
	Verdict       string   `yaml:"verdict,omitempty" json:"verdict,omitempty"` // keep, drop or ""
	Reason        string   `yaml:"reason,omitempty" json:"reason,omitempty"`
}

// Config returns the entry without its verdict.
func (l ListedEcosystem) Config() EcosystemConfig {
	return EcosystemConfig{Name: l.Name, Organizations: l.Organizations, Repositories: l.Repositories}
}
