package ruby

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
)

// distroRuby is the distribution's Ruby.
const distroRuby = "3.3"

// rubyVersions are those tried where the distribution's does not fit, the nearest first.
var rubyVersions = []string{distroRuby, "3.4", "3.2", "3.1", "3.0", "4.0", "2.7", "2.6", "2.5", "2.4", "2.3"}

var (
	rubyNumber = regexp.MustCompile(`(\d+)\.(\d+)`)
	rubyBound  = regexp.MustCompile(`(~>|>=|<=|!=|>|<|=|)\s*(\d+)(?:\.(\d+))?(?:\.(\d+))?`)
)

// rubyVersion is the distribution's where gemspec and Gemfile admit it, and the
// version file does not ask for one before 3.0.
func rubyVersion(t kit.Tree, p rubyPackage) (version, from string) {
	from = "nothing rules it out"
	wants := p.requires
	if wants != "" {
		from = "required_ruby_version " + wants
	}
	if p.ruby != "" {
		from = p.manifest + " says ruby " + p.ruby
	}
	admits := func(v string) bool { return rubyAdmits(wants, v) && rubyAdmits(rubySame(p.ruby), v) }
	for _, name := range []string{".ruby-version", ".tool-versions"} {
		text := kit.Read(t, path.Join(p.dir, name))
		if name == ".tool-versions" {
			_, text, _ = strings.Cut(text, "ruby ")
		}
		text, _, _ = strings.Cut(text, "\n")
		m := rubyNumber.FindStringSubmatch(text)
		if m == nil || strings.Contains(text, "jruby") || strings.Contains(text, "truffle") {
			continue
		}
		from += fmt.Sprintf("; %s says %s.%s", name, m[1], m[2])
		if v := m[1] + "." + m[2]; kit.LeadingInt(m[1]) < 3 && slices.Contains(rubyVersions, v) {
			return v, from
		}
		break
	}
	for _, v := range rubyVersions {
		if admits(v) {
			return v, from
		}
	}
	return distroRuby, from + ", which no version known here meets"
}

// rubySame makes of a Gemfile's exact version its series: any patch of it will do, and
// within Ruby 3 any that the distribution has.
func rubySame(wants string) string {
	if m := regexp.MustCompile(`^\s*(?:~>\s*)?(\d+)\.(\d+)(?:\.\d+)?\s*$`).FindStringSubmatch(wants); m != nil {
		if m[1] == "3" {
			return ">= 3.0"
		}
		return "~> " + m[1] + "." + m[2] + ".0"
	}
	return wants
}

// rubyAdmits checks a version against the requirements of a gem, all of which hold.
func rubyAdmits(requirements, version string) bool {
	n := rubyNumber.FindStringSubmatch(version)
	v := kit.LeadingInt(n[1])*1000 + kit.LeadingInt(n[2])
	for _, m := range rubyBound.FindAllStringSubmatch(requirements, 20) {
		major, minor := kit.LeadingInt(m[2]), kit.LeadingInt(m[3])
		want, patch := major*1000+minor, m[4] != "" && m[4] != "0"
		ok := true
		switch m[1] {
		case "~>":
			ok = v >= want && (m[3] == "" || m[4] == "" && v/1000 == major || m[4] != "" && v == want)
		case ">=":
			ok = v >= want
		case ">":
			ok = v > want || patch && v == want
		case "<":
			ok = v < want || patch && v == want
		case "<=":
			ok = v <= want
		case "!=":
			ok = patch || v != want
		default:
			ok = v == want
		}
		if !ok {
			return false
		}
	}
	return true
}

// rubyLibraries are the distribution's packages that gems with native parts are built
// with.
var rubyLibraries = map[string][]string{
	"charlock_holmes": {"libicu-dev"}, "curb": {"libcurl4-openssl-dev"}, "dnssd": {"libavahi-compat-libdnssd-dev"},
	"ffi-geos": {"libgeos-dev"}, "gpgme": {"libgpgme-dev"},
	"idn-ruby": {"libidn-dev"}, "libxml-ruby": {"libxml2-dev"}, "mini_magick": {"imagemagick"},
	"mysql2": {"default-libmysqlclient-dev"}, "nokogiri": {"libxml2-dev", "libxslt1-dev"},
	"pg": {"libpq-dev"}, "rmagick": {"libmagickwand-dev"}, "rugged": {"cmake", "libssh2-1-dev"},
	"ruby-vips": {"libvips42t64"}, "snappy": {"libsnappy-dev"}, "sqlite3": {"libsqlite3-dev"},
	"taglib-ruby": {"libtag1-dev"}, "typhoeus": {"libcurl4"}, "execjs": {"nodejs"}, "rbtree": nil,
	"ruby-ldap": {"libldap-dev"}, "unf_ext": nil, "xmlparser": {"libexpat1-dev"},
}

type rubyLibrary struct{ name, why string }

// rubyNative are the packages that gems named by manifests or lock files need.
func rubyNative(list []rubyPackage, t kit.Tree) (found []rubyLibrary) {
	for _, p := range list {
		text := p.text + kit.Read(t, p.lock)
		gems := make([]string, 0, len(rubyLibraries))
		for gem := range rubyLibraries {
			gems = append(gems, gem)
		}
		slices.Sort(gems)
		for _, gem := range gems {
			if !regexp.MustCompile(`(?m)["']` + gem + `["']|^\s+` + gem + ` \(`).MatchString(text) {
				continue
			}
			for _, name := range rubyLibraries[gem] {
				found = append(found, rubyLibrary{name, "the gem " + gem + " of " + p.manifest})
			}
		}
	}
	return found
}

// rubyStandIns are gems that tests often need beside the runners, and that the
// distribution has: where bundler can fetch nothing, they stand in.
var rubyStandIns = map[string]string{
	"activesupport": "ruby-activesupport", "addressable": "ruby-addressable", "base64": "ruby-base64",
	"concurrent-ruby": "ruby-concurrent", "hashie": "ruby-hashie", "i18n": "ruby-i18n",
	"minitest-around": "ruby-minitest-around", "minitest-global_expectations": "ruby-minitest-global-expectations",
	"minitest-hooks": "ruby-minitest-hooks", "mocha": "ruby-mocha",
	"multi_json": "ruby-multi-json", "rack": "ruby-rack", "rack-test": "ruby-rack-test", "rackup": "ruby-rackup",
	"rr": "ruby-rr", "rspec-its": "ruby-rspec-its",
	"shoulda-context": "ruby-shoulda-context", "simplecov": "ruby-simplecov", "test-unit-rr": "ruby-test-unit-rr",
	"test-unit-ruby-core": "ruby-test-unit-ruby-core", "thor": "ruby-thor",
	"timecop": "ruby-timecop", "tzinfo": "ruby-tzinfo", "warning": "ruby-warning", "webmock": "ruby-webmock",
	"webrick": "ruby-webrick", "zeitwerk": "ruby-zeitwerk",
}

// rubyBeside are the distribution's packages of those that manifests name.
func rubyBeside(list []rubyPackage) (packages []string) {
	for gem, name := range rubyStandIns {
		if slices.ContainsFunc(list, func(p rubyPackage) bool { return rubyAsks(p.text, gem) }) {
			packages = append(packages, name)
		}
	}
	return packages
}
