package schema

// Service is a container that a repository's tests need beside them, such as a
// database. It runs on a network of its own with the tests, who reach it by its name;
// the network leads nowhere else. Every run has fresh ones.
type Service struct {
	Name  string `yaml:"name" json:"name"`
	Image string `yaml:"image" json:"image"`
	// Pinned is the content that validation ran with: a registry's digest, or an
	// image's id where there is none. It is recorded, not written by people.
	Pinned  string            `yaml:"pinned,omitempty" json:"pinned,omitempty"`
	Command []string          `yaml:"command,omitempty" json:"command,omitempty"`
	Env     map[string]string `yaml:"env,omitempty" json:"env,omitempty"`
	// Ready is a shell line in the service's container that ends with 0 once it is
	// ready; without one, Port is waited for.
	Ready string `yaml:"ready,omitempty" json:"ready,omitempty"`
	Port  int    `yaml:"port,omitempty" json:"port,omitempty"`
	// Tmpfs are folders of the service that lie in memory.
	Tmpfs []string `yaml:"tmpfs,omitempty" json:"tmpfs,omitempty"`
}
