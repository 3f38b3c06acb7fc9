package schema

// Ranking is a dated list of organizations by their total stars, the most starred
// first. It is kept as a file because stars of a past day cannot be asked for again.
type Ranking struct {
	Source        string               `yaml:"source" json:"source"` // search, pages, or a person's words
	Date          string               `yaml:"date" json:"date"`     // 2026-06-05
	Note          string               `yaml:"note,omitempty" json:"note,omitempty"`
	Organizations []RankedOrganization `yaml:"organizations" json:"organizations"`
}

// RankedOrganization is one organization of a ranking.
type RankedOrganization struct {
	Name         string `yaml:"name" json:"name"`
	Stars        int64  `yaml:"stars" json:"stars"`               // of all its public repositories
	Repositories int    `yaml:"repositories" json:"repositories"` // their number, 0 where unknown
	// Top are its most starred repositories, the most starred first.
	Top []RankedRepository `yaml:"top,omitempty" json:"top,omitempty"`
}

// The states of a ranked repository.
const (
	RankedLive     = "live"
	RankedArchived = "archived"
	RankedDisabled = "disabled"
	RankedMoved    = "moved"   // to another owner
	RankedMissing  = "missing" // no repository of that name can be read
)

// RankedRepository is one repository of an organization's top group.
type RankedRepository struct {
	Name   string `yaml:"name" json:"name"` // without its owner
	Stars  int64  `yaml:"stars" json:"stars"`
	State  string `yaml:"state" json:"state"`
	Pushed string `yaml:"pushed,omitempty" json:"pushed,omitempty"` // the day of the newest push, "" where unknown
}
