package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/folder"
	"github.com/wideswe/wideswe/schema"
	"github.com/wideswe/wideswe/stages/crawl"
)

// config is wideswe.yaml. The comments in [configTemplate] explain each key.
type Config struct {
	Ecosystems []schema.EcosystemConfig `yaml:"ecosystems"`
	GitHub     struct {
		APIURL string `yaml:"api_url"`
	} `yaml:"github"`
	Git struct {
		URLTemplate string `yaml:"url_template"`
	} `yaml:"git"`
	Rank struct {
		Ranking          string `yaml:"ranking"`
		Organizations    int    `yaml:"organizations"`
		TopRepositories  int    `yaml:"top_repositories"`
		MinRepositories  int    `yaml:"min_repositories"`
		ActiveMonths     int    `yaml:"active_months"`
		SearchMinStars   int64  `yaml:"search_min_stars"`
		SearchCandidates int    `yaml:"search_candidates"`
		PagesURL         string `yaml:"pages_url"`
	} `yaml:"rank"`
	Crawl struct {
		Since       Date            `yaml:"since"`
		Refresh     Duration        `yaml:"refresh"`
		FullPass    Duration        `yaml:"full_pass"`
		LandedByBot []crawl.Landing `yaml:"landed_by_bot"`
	} `yaml:"crawl"`
	Group struct {
		WindowDays      int `yaml:"window_days"`
		MaxPulls        int `yaml:"max_pulls"`
		MaxRepositories int `yaml:"max_repositories"`
		MaxSpanDays     int `yaml:"max_span_days"`
		HubRepositories int `yaml:"hub_repositories"`
		TrackerPulls    int `yaml:"tracker_pulls"`
	} `yaml:"group"`
	Review struct {
		LatestMergeSince Date `yaml:"latest_merge_since"`
	} `yaml:"review"`
	Validate struct {
		Sandbox string   `yaml:"sandbox"`
		Repeats int      `yaml:"repeats"`
		Stress  bool     `yaml:"stress"`
		Workers int      `yaml:"workers"`
		Timeout Duration `yaml:"timeout"`
		Memory  Size     `yaml:"memory"`
		CPUs    float64  `yaml:"cpus"`
		PIDs    int64    `yaml:"pids"`
		Disk    Size     `yaml:"disk"`
	} `yaml:"validate"`
	Images map[string]string `yaml:"images"`
	Build  struct {
		Env         []string `yaml:"env"`
		Files       []string `yaml:"files"`
		ImageBudget Size     `yaml:"image_budget"`
		OverBudget  string   `yaml:"over_budget"`
	} `yaml:"build"`
	Export struct {
		Name             string   `yaml:"name"`
		Version          string   `yaml:"version"`
		Context          string   `yaml:"context"`
		AllowCredentials []string `yaml:"allow_credentials"`
		TimeFactor       float64  `yaml:"time_factor"`
		TimeFloor        Duration `yaml:"time_floor"`
	} `yaml:"export"`
	Workers int `yaml:"workers"`
}

// configTemplate is what init writes: every key with its default.
const configTemplate = `# The configuration of this curator's folder. Commit it; .wideswe/ is derived and ignored by git.

# What to mine. An ecosystem is one product, platform or technology: organizations, single repositories, or both.
ecosystems:
%s
github:
  # Anything that answers like the GitHub REST API. Tokens come from GITHUB_TOKEN, GITHUB_TOKENS
  # (several, separated by commas or spaces) or gh auth token; they are never written anywhere.
  api_url: %s
git:
  # Where histories are fetched from; {owner} and {name} are filled in.
  url_template: '%s'
rank:
  # The organizations of a ranking are screened, and those of one product, platform or technology get a verdict in
  # ecosystems.yaml. wideswe rank --from search, or pages, makes the file; without it there is no ranking.
  ranking: ranking.yaml
  organizations: 200         # of the ranking that are looked at, from the first
  top_repositories: 10       # the most starred ones of an organization are its top group
  min_repositories: 2        # of the top group that must not be archived
  active_months: 24          # before the ranking's date in which one of those must have been pushed to
  search_min_stars: 1000     # repositories with fewer do not choose which organizations are added up exactly
  search_candidates: 400     # organizations that are added up exactly
  pages_url: https://gitstar-ranking.com/
crawl:
  since: 2024-01-01          # pulls merged from this day on
  refresh: 24h               # a repository list younger than this is not asked for again
  full_pass: 168h            # look at a repository's newest pulls this often although nothing was pushed: texts, labels and blocks change (0 never)
  # Where a bot pushes the change and closes the pull, GitHub shows it as not merged. A rule makes such pulls merged ones,
  # at the commit of the default branch whose trailer names them; the views mark them as landed. The paper has no such rule:
  #   - {repositories: [owner/*], labels: [Merged], bots: [the-bot], trailers: [Pull Request resolved]}
  landed_by_bot: []
group:
  window_days: 90            # weak links between merges further apart than this do not join
  max_pulls: 8               # limits of one candidate; what exceeds them is kept as a refused edge
  max_repositories: 6
  max_span_days: 120         # for weak links only
  hub_repositories: 6        # a pull linked with more repositories than this is a campaign
  tracker_pulls: 5           # an issue that more pulls than this name is a tracker and joins nothing
review:
  latest_merge_since: ''     # only candidates whose newest merge is on or after this day ('' all)
validate:
  sandbox: %-17s # docker, or process for code you trust (the demo)
  repeats: 3                 # runs of base and of gold
  stress: false              # gold also in another order, on one CPU, in another time zone, with a shifted clock; what breaks is unstable
  workers: 0                 # tasks at once; 0 is as many as fit. Runs share the machine's CPUs and memory: one waits for its part
  timeout: 30m               # of one run of one target
  memory: 8g
  cpus: 2
  pids: 4096
  disk: 20g                  # a run that has written more is ended
# Base images by the name recipes use, where yours differ:  "debian:trixie": wideswe/base:trixie
images: {}
build:
  # Names of environment variables and host files that image builds may see (proxies, package mirrors,
  # certificates); they are in no image and in no test run.
  env: []
  files: []
  image_budget: 60g          # what the images made here and elsewhere by wideswe may take of the disk
  over_budget: warn          # or prune: the least recently used ones go
export:
  name: wideswe
  version: '1'
  context: targets           # context repositories: targets of the ecosystem's other tasks, or nearest
  allow_credentials: []      # sha256 of strings that the credential scan may let pass
  time_factor: 5             # an evaluation's tests may take so many times as long as gold's longest run took here,
  time_floor: 2m             # and never less than this
workers: 2
`

func NewText(ecosystems []schema.EcosystemConfig, apiURL, urlTemplate, sandbox string) string {
	var b strings.Builder
	for _, e := range ecosystems {
		fmt.Fprintf(&b, "  - name: %s\n", quoteYAML(e.Name))
		fmt.Fprintf(&b, "    organizations: [%s]\n", joinYAML(e.Organizations))
		fmt.Fprintf(&b, "    repositories: [%s]\n", joinYAML(e.Repositories))
	}
	if len(ecosystems) == 0 {
		b.WriteString("  []\n")
	}
	return fmt.Sprintf(configTemplate, b.String(), apiURL, urlTemplate, sandbox)
}

func joinYAML(list []string) string {
	quoted := make([]string, len(list))
	for i, s := range list {
		quoted[i] = quoteYAML(s)
	}
	return strings.Join(quoted, ", ")
}

func quoteYAML(s string) string {
	b, err := yaml.Marshal(s)
	if err != nil {
		return strconv.Quote(s)
	}
	return strings.TrimSpace(string(b))
}

// readConfig is [loadConfig] for those who need something to mine.
func Read(path string) (*Config, error) {
	c, err := Load(path)
	if err != nil {
		return nil, err
	}
	return c, c.checkEcosystems(path)
}

// loadConfig reads the file strictly over the defaults of the template.
func Load(path string) (*Config, error) {
	b, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, pipeline.Usage("there is no %s; wideswe init DIR --ecosystem NAME=ORG writes one", path)
	}
	if err != nil {
		return nil, err
	}
	c := &Config{}
	if err := decodeConfig([]byte(NewText(nil, DefaultAPI, DefaultGit, DefaultSandbox)), c); err != nil {
		return nil, fmt.Errorf("the program's own defaults: %w", err)
	}
	c.Ecosystems = nil
	if err := decodeConfig(b, c); err != nil {
		return nil, pipeline.Usage("%s: %v", path, err)
	}
	if err := c.check(); err != nil {
		return nil, pipeline.Usage("%s: %v", path, err)
	}
	return c, nil
}

// checkEcosystems wants something to mine: in the config, in ecosystems.yaml
// beside it, or in a ranking.
func (c *Config) checkEcosystems(path string) error {
	if len(c.Ecosystems) > 0 {
		return nil
	}
	f := folder.Folder{Dir: filepath.Dir(path)}
	listed, err := f.Ecosystems()
	if err != nil || len(listed) > 0 {
		return err
	}
	if _, err := os.Stat(filepath.Join(f.Dir, c.Rank.Ranking)); c.Rank.Ranking != "" && err == nil {
		return nil
	}
	return pipeline.Usage("%s: ecosystems is empty; add one, such as {name: ipfs, organizations: [ipfs]}, list some in ecosystems.yaml, or make a ranking with wideswe rank --from search", path)
}

const (
	DefaultAPI     = "https://api.github.com/"
	DefaultGit     = "https://github.com/{owner}/{name}.git"
	DefaultSandbox = "docker"
	// demoURL in github.api_url and git.url_template starts the in-process GitHub
	// over the ecosystem the program carries.
	DemoURL = "demo"
)

func decodeConfig(b []byte, c *Config) error {
	err := pipeline.DecodeYAML(b, false, c)
	if errors.Is(err, pipeline.ErrUntamed) {
		return err
	}
	// A key that is not there is the likelier reason of a value that does not fit.
	if err := unknownKeys(b, reflect.TypeFor[Config]()); err != nil {
		return err
	}
	if err != nil {
		return errors.New(strings.TrimSpace(yaml.FormatError(err, false, true)))
	}
	return nil
}

func (c *Config) check() error {
	switch {
	case c.Rank.Organizations < 1, c.Rank.TopRepositories < 1, c.Rank.MinRepositories < 1, c.Rank.ActiveMonths < 1,
		c.Rank.SearchMinStars < 1, c.Rank.SearchCandidates < 1:
		return errors.New("the numbers under rank must be at least 1")
	case c.Rank.SearchCandidates < c.Rank.Organizations:
		return fmt.Errorf("rank.search_candidates is %d; it must be at least rank.organizations, %d", c.Rank.SearchCandidates, c.Rank.Organizations)
	case c.Rank.Ranking != "" && !filepath.IsLocal(c.Rank.Ranking):
		return fmt.Errorf("rank.ranking is %q; write the name of a file in the folder", c.Rank.Ranking)
	case c.Validate.Sandbox != "docker" && c.Validate.Sandbox != "process":
		return fmt.Errorf("validate.sandbox is %q; write docker or process", c.Validate.Sandbox)
	case c.Validate.Repeats < 1:
		return errors.New("validate.repeats must be at least 1")
	case c.Validate.Workers < 0:
		return errors.New("validate.workers must not be negative")
	case c.Build.OverBudget != "warn" && c.Build.OverBudget != "prune":
		return fmt.Errorf("build.over_budget is %q; write warn or prune", c.Build.OverBudget)
	case c.Export.Context != "targets" && c.Export.Context != "nearest":
		return fmt.Errorf("export.context is %q; write targets or nearest", c.Export.Context)
	case c.Export.TimeFactor < 1 || c.Export.TimeFloor.Duration <= 0:
		return errors.New("export.time_factor must be 1 or more, and export.time_floor a duration as 2m")
	case c.Git.URLTemplate != DemoURL && (!strings.Contains(c.Git.URLTemplate, "{owner}") || !strings.Contains(c.Git.URLTemplate, "{name}")):
		return errors.New("git.url_template must hold {owner} and {name}")
	}
	for _, l := range c.Crawl.LandedByBot {
		if err := l.Check(); err != nil {
			return fmt.Errorf("crawl.landed_by_bot: %w", err)
		}
	}
	seen := map[string]bool{}
	for _, e := range c.Ecosystems {
		if e.Name == "" || seen[e.Name] {
			return fmt.Errorf("ecosystem name %q is empty or there twice", e.Name)
		}
		seen[e.Name] = true
	}
	return nil
}

// date is a day, or empty.
type Date struct{ time.Time }

// UnmarshalYAML reads 2006-01-02 or an RFC 3339 time.
func (d *Date) UnmarshalYAML(b []byte) error {
	s := strings.Trim(strings.TrimSpace(string(b)), `'"`)
	if s == "" || s == "null" {
		d.Time = time.Time{}
		return nil
	}
	for _, layout := range []string{time.DateOnly, time.RFC3339} {
		if t, err := time.Parse(layout, s); err == nil {
			d.Time = t.UTC()
			return nil
		}
	}
	return fmt.Errorf("%q is not a day such as 2024-01-01", s)
}

// duration is 30m, 24h, or a number of seconds.
type Duration struct{ time.Duration }

// UnmarshalYAML reads a Go duration or seconds.
func (d *Duration) UnmarshalYAML(b []byte) error {
	s := strings.Trim(strings.TrimSpace(string(b)), `'"`)
	if n, err := strconv.Atoi(s); err == nil {
		d.Duration = time.Duration(n) * time.Second
		return nil
	}
	v, err := time.ParseDuration(s)
	if err != nil || v < 0 {
		return fmt.Errorf("%q is not a duration such as 30m or 24h", s)
	}
	d.Duration = v
	return nil
}

// size is a number of bytes with an optional k, m, g or t.
type Size int64

// UnmarshalYAML reads 8g, 512m or bytes.
func (s *Size) UnmarshalYAML(b []byte) error {
	text := strings.ToLower(strings.Trim(strings.TrimSpace(string(b)), `'"`))
	number := strings.TrimRight(text, "kmgtib")
	n, err := strconv.ParseFloat(number, 64)
	unit, ok := map[string]float64{"": 1, "b": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}[strings.TrimRight(strings.TrimPrefix(text, number), "ib")]
	if err != nil || !ok || n <= 0 {
		return fmt.Errorf("%q is not a size such as 8g or 512m", text)
	}
	*s = Size(n * unit)
	return nil
}
