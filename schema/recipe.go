package schema

// Recipe says how one repository is built and tested. A toolchain detects one
// from the tree; a file recipes/OWNER__NAME.yaml overrides any part of it.
type Recipe struct {
	Repository string `yaml:"repository,omitempty" json:"repository,omitempty"`
	// Toolchain names the package of pipeline/toolchain that made it, such as go or python.
	Toolchain string `yaml:"toolchain,omitempty" json:"toolchain,omitempty"`
	// Image is the name of the base image, looked up in the config's images first.
	Image string `yaml:"image,omitempty" json:"image,omitempty"`
	// Runtime is the language version the repository asks for, from its manifests and CI files.
	Runtime string `yaml:"runtime,omitempty" json:"runtime,omitempty"`
	// Packages are system packages, installed in the image with the network on.
	Packages []string `yaml:"packages,omitempty" json:"packages,omitempty"`
	// Env is set in setup, build and test.
	Env map[string]string `yaml:"env,omitempty" json:"env,omitempty"`
	// Setup fetches dependencies: shell lines, in the image, network on, once at base and once at gold.
	Setup []string `yaml:"setup,omitempty" json:"setup,omitempty"`
	// Warm fills build caches: shell lines, in the image, offline, at base only, so that no cache holds the gold change.
	Warm []string `yaml:"warm,omitempty" json:"warm,omitempty"`
	// Build runs after patches, offline, before every test run.
	Build []string `yaml:"build,omitempty" json:"build,omitempty"`
	// Path lists folders of the repository that go in front of PATH for tests.
	Path []string `yaml:"path,omitempty" json:"path,omitempty"`
	// Test overrides the toolchain's test command; it reads $WIDESWE_TESTS and writes reports into $WIDESWE_OUT.
	Test string `yaml:"test,omitempty" json:"test,omitempty"`
	// Report is the format the test command writes, one of pipeline/testreport/formats: gotest, junit, tap.
	// It counts only together with Test; otherwise the toolchain's own format is used.
	Report string `yaml:"report,omitempty" json:"report,omitempty"`
	// Select replaces the test selection made from the hidden tests' files, in the
	// syntax of the toolchain.
	Select []string `yaml:"select,omitempty" json:"select,omitempty"`
	// Wider names test files that run beside the hidden ones, and Narrower hidden
	// files that select nothing: files, folders, or patterns such as pkg/**/*_test.go.
	Wider    []string `yaml:"wider,omitempty" json:"wider,omitempty"`
	Narrower []string `yaml:"narrower,omitempty" json:"narrower,omitempty"`
	// Relocate installs hidden test files at other paths, before they choose what runs.
	Relocate []Relocation `yaml:"relocate,omitempty" json:"relocate,omitempty"`
	// Services are containers that the tests reach by name.
	Services []Service `yaml:"services,omitempty" json:"services,omitempty"`
	// Timeout is the limit of one test run in seconds; 0 means the configured limit.
	Timeout int `yaml:"timeout,omitempty" json:"timeout,omitempty"`
	// AcceptGold is a person's reason to accept a target whose gold run is unhealthy: it
	// crashes, a selected file has no result, or most of its tests fail.
	AcceptGold string `yaml:"accept_gold,omitempty" json:"accept_gold,omitempty"`
	// Why lists the reason for each detected part, for recipe show.
	Why []string `yaml:"why,omitempty" json:"why,omitempty"`
}

// Merge returns the recipe with the fields that the override sets.
func (r Recipe) Merge(over Recipe) Recipe {
	set := func(dst *string, src string) {
		if src != "" {
			*dst = src
		}
	}
	list := func(dst *[]string, src []string) {
		if src != nil {
			*dst = src
		}
	}
	set(&r.Toolchain, over.Toolchain)
	set(&r.Image, over.Image)
	set(&r.Runtime, over.Runtime)
	set(&r.Test, over.Test)
	set(&r.Report, over.Report)
	set(&r.AcceptGold, over.AcceptGold)
	list(&r.Packages, over.Packages)
	list(&r.Setup, over.Setup)
	list(&r.Warm, over.Warm)
	list(&r.Build, over.Build)
	list(&r.Path, over.Path)
	list(&r.Select, over.Select)
	list(&r.Wider, over.Wider)
	list(&r.Narrower, over.Narrower)
	if over.Relocate != nil {
		r.Relocate = over.Relocate
	}
	if over.Services != nil {
		r.Services = over.Services
	}
	if over.Timeout > 0 {
		r.Timeout = over.Timeout
	}
	if len(over.Env) > 0 {
		env := map[string]string{}
		for k, v := range r.Env {
			env[k] = v
		}
		for k, v := range over.Env {
			env[k] = v
		}
		r.Env = env
	}
	r.Why = append(append([]string{}, r.Why...), over.Why...)
	return r
}
