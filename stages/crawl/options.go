package crawl

import (
	"fmt"

	"github.com/wideswe/wideswe/pipeline/settings"
)

// Options are the settings under crawl in wideswe.yaml.
type Options struct {
	// pulls merged from this day on
	Since settings.Date `yaml:"since" default:"2024-01-01"`
	// a repository list younger than this is not asked for again
	Refresh settings.Duration `yaml:"refresh" default:"24h"`
	// look at a repository's newest pulls this often although nothing was pushed: texts, labels and blocks change
	// (0 never)
	FullPass settings.Duration `yaml:"full_pass" default:"168h"`
	// Where a bot pushes the change and closes the pull, GitHub shows it as not merged. A rule makes such pulls merged
	// ones, at the commit of the default branch whose trailer names them; the views mark them as landed. The paper has
	// no such rule:
	//   - {repositories: [owner/*], labels: [Merged], bots: [the-bot], trailers: [Pull Request resolved]}
	LandedByBot []Landing `yaml:"landed_by_bot" default:"[]"`
}

// defaults are the options of a folder that sets none.
var defaults = settings.Fill(Options{})

// Check returns what is wrong with the settings.
func (o Options) Check() error {
	for _, l := range o.LandedByBot {
		if err := l.Check(); err != nil {
			return fmt.Errorf("crawl.landed_by_bot: %w", err)
		}
	}
	return nil
}
