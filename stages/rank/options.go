package rank

import (
	"errors"
	"fmt"
	"path/filepath"
)

// Options are the settings under rank in wideswe.yaml: where a ranking is kept, the screening of the paper's appendix
// A.1, and how a ranking is made.
type Options struct {
	// The organizations of a ranking are screened, and those of one product, platform or technology get a verdict in
	// ecosystems.yaml. wideswe rank --from search, or pages, makes the file; without it there is no ranking.
	RankingFile string `yaml:"ranking" default:"ranking.yaml"`
	// of the ranking that are looked at, from the first
	Organizations int `yaml:"organizations" default:"200"`
	// the most starred ones of an organization are its top group
	TopRepositories int `yaml:"top_repositories" default:"10"`
	// of the top group that must not be archived
	MinRepositories int `yaml:"min_repositories" default:"2"`
	// before the ranking's date in which one of those must have been pushed to
	ActiveMonths int `yaml:"active_months" default:"24"`
	// repositories with fewer do not choose which organizations are added up exactly
	SearchMinStars int64 `yaml:"search_min_stars" default:"1000"`
	// organizations that are added up exactly
	SearchCandidates int    `yaml:"search_candidates" default:"400"`
	PagesURL         string `yaml:"pages_url" default:"https://gitstar-ranking.com/"`
}

// Check returns what is wrong with the settings.
func (o Options) Check() error {
	switch {
	case min(o.Organizations, o.TopRepositories, o.MinRepositories, o.ActiveMonths, o.SearchCandidates) < 1,
		o.SearchMinStars < 1:
		return errors.New("the numbers under rank must be at least 1")
	case o.SearchCandidates < o.Organizations:
		return fmt.Errorf("rank.search_candidates is %d; it must be at least rank.organizations, %d",
			o.SearchCandidates, o.Organizations)
	case o.RankingFile != "" && !filepath.IsLocal(o.RankingFile):
		return fmt.Errorf("rank.ranking is %q; write the name of a file in the folder", o.RankingFile)
	}
	return nil
}
