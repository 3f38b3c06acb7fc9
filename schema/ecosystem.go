package schema

// EcosystemConfig names an ecosystem and what belongs to it, as wideswe.yaml and
// ecosystems.yaml list it.
type EcosystemConfig struct {
	Name string `yaml:"name" json:"name"`
	// Organizations are owners all of whose repositories belong.
	Organizations []string `yaml:"organizations,omitempty" json:"organizations,omitempty"`
	// Repositories are single repositories, owner/name.
	Repositories []string `yaml:"repositories,omitempty" json:"repositories,omitempty"`
}
