package ruby

import (
	"regexp"
	"slices"
	"strings"

	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
)

// rubyguard knows what rspec, minitest and bundler load before the tests.
func guard(c kit.Change) kit.Guard {
	switch base := c.Name(); {
	case c.Before == nil && rubyStandIn.MatchString(c.Path), rubyVendored.MatchString(c.Path):
		return kit.Whole
	case base == "gemfile", strings.HasSuffix(base, ".gemspec"):
		return kit.Guard{Touched: !slices.Equal(kit.MatchingLines(c.Before, rubyTestGems), kit.MatchingLines(c.After,
			rubyTestGems))}
	case slices.Contains([]string{".rspec", ".rspec-local", "spec_helper.rb", "rails_helper.rb", "test_helper.rb",
		"minitest_helper.rb", "helper.rb", "rakefile", ".simplecov"}, base) &&
		(base != "helper.rb" || strings.HasPrefix(c.Path, "test/") || strings.Contains(c.Path, "/test/")),
		strings.HasSuffix(c.Path, ".bundle/config"), strings.HasSuffix(c.Path, "config/environments/test.rb"),
		minitestPlugin.MatchString(c.Path):
		return kit.Whole
	}
	return kit.Guard{}
}

var (
	// rubyStandIn are files by the names that test libraries have for theirs, in folders
	// of the load path.
	rubyStandIn = regexp.MustCompile(`(^|/)(lib|test|spec)/(minitest(/(autorun|assertions|test|unit|spec|mock|` +
		`benchmark|pride))?|rspec(/(core|expectations|mocks|autorun|support|matchers)(/.*)?)?|test/unit(/.*)?)\.rb$`)
	rubyVendored = kit.VendoredFolder(`minitest|rspec([-_]\w+)?`)
	// rubyTestGems are the gems that tests run and decide by, and gems that the tree
	// itself puts in the place of others; a sibling's folder lies outside.
	rubyTestGems = regexp.MustCompile(`(?i)rspec|minitest|test-unit|mocha|webmock|vcr|simplecov|path(:|` +
		`\s*=>)\s*["']([^.]|\./)|eval_gemfile|\beval\b|system|exec|` + "`")
	// minitestPlugin are files that minitest loads wherever they lie on the load path.
	minitestPlugin = regexp.MustCompile(`(^|/)minitest/.*_plugin\.rb$`)
)
