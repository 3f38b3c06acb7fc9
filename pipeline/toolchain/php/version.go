package php

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
)

// distroPHP is the distribution's PHP.
const distroPHP = "8.4"

var (
	phpNumber   = regexp.MustCompile(`(\^|~|>=|<=|>|<|!=|==?|)\s*v?(\d{1,2})(?:\.(\d{1,3}|\*))?(?:\.(?:\d{1,5}|\*))*`)
	phpHyphen   = regexp.MustCompile(`^\s*v?(\d{1,2})(?:\.(\d{1,3}))?[\d.]*\s+-\s+v?(\d{1,2})(?:\.(\d{1,3}))?[\d.]*\s*$`)
	phpCI       = regexp.MustCompile(`php(?:[-_]?versions?)?["']?:[ \t]*(\[[^\]]*\]|(?:\n\s*-\s*[^\n]+)+|["'\d][^\n]*)`)
	phpCINumber = regexp.MustCompile(`\b([578]\.\d)\b`)
)

// phpWanted says what the tree asks for, and what becomes of it: the distribution's
// PHP runs everything; a bound above is no reason not to try.
func phpWanted(t kit.Tree, p phpPackage) string {
	wants := p.require["php"]
	from := "nothing rules it out"
	switch {
	case wants != "" && phpAdmits(wants, 8, 4):
		from = p.manifest + " says " + wants
	case wants != "":
		from = p.manifest + " says " + wants + ", which rules it out: the bound is left unheeded (an image: with another " +
			"PHP and composer would be asked)"
	}
	if p.php != "" {
		from += "; composer resolves for " + p.php
	}
	for _, name := range t.Files() {
		if !strings.HasPrefix(name, ".github/workflows/") && name != ".gitlab-ci.yml" && name != ".travis.yml" {
			continue
		}
		var seen []string
		for _, m := range phpCI.FindAllStringSubmatch(kit.Read(t, name), 30) {
			for _, n := range phpCINumber.FindAllString(m[1], 30) {
				if !slices.Contains(seen, n) {
					seen = append(seen, n)
				}
			}
		}
		if len(seen) > 0 {
			slices.Sort(seen)
			return from + "; " + name + " uses " + strings.Join(seen, ", ")
		}
	}
	return from
}

// phpAdmits checks a version against a constraint of composer's.
func phpAdmits(constraint string, major, minor int) bool {
	for alternative := range strings.SplitSeq(strings.ReplaceAll(constraint, "||", "|"), "|") {
		if phpAll(alternative, major*1000+minor) {
			return true
		}
	}
	return false
}

func phpAll(text string, v int) bool {
	if m := phpHyphen.FindStringSubmatch(text); m != nil {
		top := kit.LeadingInt(m[3])*1000 + kit.LeadingInt(m[4])
		if m[4] == "" {
			top = kit.LeadingInt(m[3])*1000 + 999
		}
		return v >= kit.LeadingInt(m[1])*1000+kit.LeadingInt(m[2]) && v <= top
	}
	for _, m := range phpNumber.FindAllStringSubmatch(text, 20) {
		major, minor, given := kit.LeadingInt(m[2]), kit.LeadingInt(m[3]), m[3] != "" && m[3] != "*"
		n, patch := major*1000+minor, strings.Count(m[0], ".") > 1
		end := n // the last minor that the number names
		if !given {
			end = major*1000 + 999
		}
		ok := true
		switch m[1] {
		case "^":
			ok = v >= n && v <= major*1000+999
		case "~":
			ok = v >= n && (v <= major*1000+999 && !patch || v <= end)
		case ">=":
			ok = v >= n
		case ">":
			ok = v > end || patch && v == n
		case "<":
			ok = v < n || patch && v == n
		case "<=":
			ok = v <= n || !given && v/1000 <= major
		case "!=":
			ok = patch || v < n || v > end
		default:
			ok = v >= n && v <= end
		}
		if !ok {
			return false
		}
	}
	return true
}

// phpDebian are the distribution's packages of extensions that its PHP does not bring.
var phpDebian = map[string]string{
	"amqp": "php-amqp", "apcu": "php-apcu", "ast": "php-ast", "bcmath": "php-bcmath", "bz2": "php-bz2", "curl": "php-curl",
	"dba": "php-dba", "dom": "php-xml",
	"ds": "php-ds", "enchant": "php-enchant", "gd": "php-gd", "gmp": "php-gmp", "gnupg": "php-gnupg", "grpc": "php-grpc",
	"igbinary": "php-igbinary", "imagick": "php-imagick",
	"intl": "php-intl", "ldap": "php-ldap", "mbstring": "php-mbstring", "memcache": "php-memcache",
	"memcached": "php-memcached", "mongodb": "php-mongodb",
	"msgpack": "php-msgpack", "mysqli": "php-mysql", "pdo_mysql": "php-mysql", "odbc": "php-odbc",
	"pdo_pgsql": "php-pgsql", "pgsql": "php-pgsql", "pdo_sqlite": "php-sqlite3",
	"sqlite3": "php-sqlite3", "redis": "php-redis", "simplexml": "php-xml", "snmp": "php-snmp", "soap": "php-soap",
	"ssh2": "php-ssh2", "tidy": "php-tidy",
	"uuid": "php-uuid", "xml": "php-xml", "xmlreader": "php-xml", "xmlwriter": "php-xml", "xsl": "php-xml",
	"yaml": "php-yaml", "zip": "php-zip", "zmq": "php-zmq",
}

type phpExtension struct{ name, why string }

// phpExtensions are the packages of the extensions that manifests ask for or suggest,
// and lock files ask for.
func phpExtensions(t kit.Tree, list []phpPackage) (found []phpExtension) {
	add := func(extension, file string) {
		name := strings.ReplaceAll(strings.ToLower(strings.TrimPrefix(extension, "ext-")), "-", "_")
		if p, ok := phpDebian[name]; ok && !slices.ContainsFunc(found, func(e phpExtension) bool { return e.name == p }) {
			found = append(found, phpExtension{p, file + " asks for ext-" + name})
		}
	}
	for _, p := range list {
		for _, name := range append(kit.SortedKeys(p.require), p.suggests...) {
			if strings.HasPrefix(name, "ext-") {
				add(name, p.manifest)
			}
		}
		lock := path.Join(p.dir, "composer.lock")
		for _, m := range phpLocked.FindAllStringSubmatch(kit.Read(t, lock), 2000) {
			add(m[1], lock)
		}
	}
	return found
}

var phpLocked = regexp.MustCompile(`"(ext-[\w-]+)":\s*"`)

// phpStandIns are packages that the distribution has: where composer can fetch
// nothing, they stand in.
var phpStandIns = map[string]string{
	"composer/semver": "php-composer-semver", "doctrine/annotations": "php-doctrine-annotations",
	"doctrine/collections": "php-doctrine-collections", "doctrine/deprecations": "php-doctrine-deprecations",
	"doctrine/event-manager": "php-doctrine-event-manager", "doctrine/inflector": "php-doctrine-inflector",
	"doctrine/instantiator": "php-doctrine-instantiator", "doctrine/lexer": "php-doctrine-lexer",
	"doctrine/persistence": "php-doctrine-persistence", "guzzlehttp/promises": "php-guzzlehttp-promises",
	"guzzlehttp/psr7": "php-guzzlehttp-psr7", "mockery/mockery": "php-mockery",
	"psr/cache": "php-psr-cache", "psr/clock": "php-psr-clock", "psr/container": "php-psr-container",
	"psr/event-dispatcher": "php-psr-event-dispatcher", "psr/http-client": "php-psr-http-client",
	"psr/http-factory": "php-psr-http-factory", "psr/http-message": "php-psr-http-message", "psr/log": "php-psr-log",
	"psr/simple-cache": "php-psr-simple-cache",
	"symfony/console":  "php-symfony-console", "symfony/deprecation-contracts": "php-symfony-deprecation-contracts",
	"symfony/filesystem": "php-symfony-filesystem", "symfony/finder": "php-symfony-finder",
	"symfony/process": "php-symfony-process", "symfony/service-contracts": "php-symfony-service-contracts",
	"symfony/string": "php-symfony-string", "symfony/yaml": "php-symfony-yaml",
	"webmozart/assert": "php-webmozart-assert",
}

// phpBeside are the distribution's packages of those that manifests ask for.
func phpBeside(list []phpPackage) (packages []string) {
	for _, p := range list {
		for name := range p.require {
			if debian, ok := phpStandIns[name]; ok && !slices.Contains(packages, debian) {
				packages = append(packages, debian)
			}
		}
	}
	return packages
}
