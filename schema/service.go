package schema

// Service is a container that a repository's tests need, such as a database. The tests
// reach it by name, on a network that has no other members and no way out. Every run
// starts its services afresh.
type Service struct {
	Name  string `yaml:"name" json:"name"`
	Image string `yaml:"image" json:"image"`
	// Pinned is the image content that validation ran with: a registry's digest, or the
	// image's id where there is none. Validation records it; people do not write it.
	Pinned  string            `yaml:"pinned,omitempty" json:"pinned,omitempty"`
	Command []string          `yaml:"command,omitempty" json:"command,omitempty"`
	Env     map[string]string `yaml:"env,omitempty" json:"env,omitempty"`
	// Ready is a shell line that exits with 0 in the service's container once the service
	// is ready. Without one, wideswe waits for Port.
	Ready string `yaml:"ready,omitempty" json:"ready,omitempty"`
	Port  int    `yaml:"port,omitempty" json:"port,omitempty"`
	// Tmpfs lists folders of the service that are in memory.
	Tmpfs []string `yaml:"tmpfs,omitempty" json:"tmpfs,omitempty"`
}
