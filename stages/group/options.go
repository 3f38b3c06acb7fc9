package group

// Options are the settings under group in wideswe.yaml: the limits of grouping.
type Options struct {
	// weak links between merges further apart than this do not join
	WindowDays int `yaml:"window_days" default:"90"`
	// limits of one candidate; what exceeds them is kept as a refused edge
	MaxPulls        int `yaml:"max_pulls" default:"8"`
	MaxRepositories int `yaml:"max_repositories" default:"6"`
	// for weak links only
	MaxSpanDays int `yaml:"max_span_days" default:"120"`
	// a pull linked with more repositories than this is a campaign
	HubRepositories int `yaml:"hub_repositories" default:"6"`
	// an issue that more pulls than this name is a tracker and joins nothing
	TrackerPulls int `yaml:"tracker_pulls" default:"5"`
}
