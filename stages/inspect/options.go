package inspect

import "github.com/wideswe/wideswe/pipeline/settings"

// Options are the settings under review in wideswe.yaml: which candidates come to review.
type Options struct {
	// only candidates whose newest merge is on or after this day ('' all)
	LatestMergeSince settings.Date `yaml:"latest_merge_since" default:"''"`
	// list the files of every pull of the paper's records, so that funnel_paper can count to its end; a request each
	PaperFiles bool `yaml:"paper_files" default:"true"`
	// read the manifests of every merged pull for commits of siblings, which proposals lists; fetches every repository's
	// history
	Manifests bool `yaml:"manifests" default:"false"`
}
