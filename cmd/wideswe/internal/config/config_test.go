package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/wideswe/wideswe/pipeline/git"
	"github.com/wideswe/wideswe/pipeline/github"
	"github.com/wideswe/wideswe/schema"
)

func writeConfig(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "wideswe.yaml")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestInitWritesEveryKeyWithItsDefault(t *testing.T) {
	list := []schema.EcosystemConfig{{Name: "two", Organizations: []string{"a", "b-c"}, Repositories: []string{"d/e.js"}}}
	c, err := Read(writeConfig(t, NewText(list)))
	if err != nil {
		t.Fatal(err)
	}
	if got := c.Ecosystems[0]; got.Name != "two" || got.Organizations[1] != "b-c" || got.Repositories[0] != "d/e.js" {
		t.Errorf("ecosystem: %+v", got)
	}
	if c.Crawl.Since.Time != time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC) || c.Validate.Memory != 8<<30 ||
		c.Crawl.FullPass.Duration != 7*24*time.Hour || len(c.Crawl.LandedByBot) != 0 ||
		c.Validate.Timeout.Duration != 30*time.Minute || c.Group.WindowDays != 90 || c.Validate.Repeats != 3 {
		t.Errorf("defaults: %+v", c)
	}
}

func TestTheDemoHasItsOwnGitHub(t *testing.T) {
	list := []schema.EcosystemConfig{{Name: "lanternworks", Organizations: []string{"lanternworks"}}}
	c, err := Read(writeConfig(t, NewDemoText(list, "process")))
	if err != nil {
		t.Fatal(err)
	}
	if c.GitHub.BaseURL != DemoURL || c.Git.URLTemplate != DemoURL || c.Validate.Sandbox != "process" {
		t.Errorf("got %+v", c)
	}
}

func TestLeftOutKeysKeepTheirDefaults(t *testing.T) {
	c, err := Read(writeConfig(t, "ecosystems:\n  - {name: e, organizations: [o]}\nvalidate:\n  repeats: 5\n"))
	if err != nil {
		t.Fatal(err)
	}
	if c.Validate.Repeats != 5 || c.Validate.PIDs != 4096 || c.GitHub.BaseURL != github.DefaultURL ||
		c.Git.URLTemplate != git.DefaultURL {
		t.Errorf("got %+v", c)
	}
}

func TestConfigMistakesNameTheNextStep(t *testing.T) {
	const eco = "ecosystems: [{name: e, organizations: [o]}]\n"
	for _, test := range []struct{ name, text, want string }{
		{"top key", eco + "crawll: {}\n", `line 2: there is no key "crawll" (did you mean "crawl"?)`},
		{"inner key", eco + "validate:\n  repeat: 3\n",
			`line 3: there is no key "repeat" in validate (did you mean "repeats"?)`},
		{"key in a list", "ecosystems:\n  - name: e\n    organisations: [o]\n", `did you mean "organizations"?`},
		{"nothing to mine", "ecosystems: []\n", "ecosystems is empty"},
		{"numbers of rank", eco + "rank: {active_months: 0}\n", "must be at least 1"},
		{"candidates of rank", eco + "rank: {organizations: 500}\n", "must be at least rank.organizations, 500"},
		{"a ranking elsewhere", eco + "rank: {ranking: ../top.yaml}\n", "a file in the folder"},
		{"size", eco + "validate: {memory: lots}\n", `"lots" is not a size such as 8g`},
		{"day", eco + "crawl: {since: yesterday}\n", `"yesterday" is not a day such as 2024-01-01`},
		{"a rule without repositories", eco + "crawl: {landed_by_bot: [{labels: [Merged]}]}\n",
			"crawl.landed_by_bot: a rule names no repositories"},
		{"a key of a rule", eco + "crawl:\n  landed_by_bot:\n    - repository: [o/n]\n", `did you mean "repositories"?`},
		{"duration", eco + "validate: {timeout: -3m}\n", `is not a duration such as 30m`},
		{"sandbox", eco + "validate: {sandbox: chroot}\n", "write docker or process"},
		{"template", eco + "git: {url_template: 'https://h/x.git'}\n", "must hold {owner} and {name}"},
		{"type", eco + "workers: [many]\n", "workers"},
		{"no YAML", "ecosystems: [\n", ""},
		{"a tag of nothing", "ecosystems:\n  - name: e\n    organizations: !0000… \n", "wideswe.yaml: this is not YAML"},
		{"an alias", "workers: &a 2\nvalidate: {repeats: *a}\n", "line 2: aliases are not read here"},
		{"brackets", "workers: " + strings.Repeat("[", 1<<16), "more than 100 levels"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := Read(writeConfig(t, test.text))
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
}
