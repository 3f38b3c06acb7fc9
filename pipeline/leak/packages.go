package leak

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
)

// Package is a package that a repository of the task publishes.
type Package struct {
	Manager    string // go, pypi, npm, cargo, maven
	Name       string
	Repository string
}

var (
	tomlName  = regexp.MustCompile(`(?m)^\s*name\s*=\s*["']([A-Za-z0-9._-]{1,200})["']`)
	cfgName   = regexp.MustCompile(`(?m)^name\s*=\s*([A-Za-z0-9._-]{1,200})\s*$`)
	setupName = regexp.MustCompile(`\bname\s*=\s*["']([A-Za-z0-9._-]{1,200})["']`)
	pomParent = regexp.MustCompile(`(?s)<(parent|dependencies|build|dependencyManagement|plugins|profiles)>.*?</(parent|dependencies|build|dependencyManagement|plugins|profiles)>`)
	pomName   = regexp.MustCompile(`<artifactId>\s*([A-Za-z0-9._-]{1,200})\s*</artifactId>`)
)

// maxManifest bounds what is read of a manifest.
const maxManifest = 1 << 20

// AddPackages takes the names under which a repository publishes what its tree holds.
func (s *Secrets) AddPackages(repository, tree string) error {
	return filepath.WalkDir(tree, func(p string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == ".git" || d.Name() == "node_modules" || d.Name() == "vendor" || d.Name() == "testdata") {
			return filepath.SkipDir
		}
		if !d.Type().IsRegular() {
			return nil
		}
		find := manifests[d.Name()]
		if find == nil {
			return nil
		}
		f, err := os.Open(p)
		if err != nil {
			return err
		}
		defer f.Close()
		text, err := io.ReadAll(io.LimitReader(f, maxManifest))
		if manager, name := find(string(text)); name != "" {
			pkg := Package{manager, name, repository}
			if !slices.Contains(s.Packages, pkg) {
				s.Packages = append(s.Packages, pkg)
			}
		}
		return err
	})
}

// manifests read the published name from the file of that name.
var manifests = map[string]func(text string) (manager, name string){
	"go.mod":         func(text string) (string, string) { return "go", modfile.ModulePath([]byte(text)) },
	"pyproject.toml": func(text string) (string, string) { return "pypi", distribution(first(tomlName, text)) },
	"setup.cfg":      func(text string) (string, string) { return "pypi", distribution(first(cfgName, text)) },
	"setup.py":       func(text string) (string, string) { return "pypi", distribution(first(setupName, text)) },
	"Cargo.toml":     func(text string) (string, string) { return "cargo", first(tomlName, text) },
	"pom.xml": func(text string) (string, string) {
		return "maven", first(pomName, pomParent.ReplaceAllString(text, ""))
	},
	"package.json": func(text string) (string, string) {
		var p struct{ Name string }
		if json.Unmarshal([]byte(text), &p) != nil {
			return "npm", ""
		}
		return "npm", p.Name
	},
}

func first(re *regexp.Regexp, text string) string {
	if m := re.FindStringSubmatch(text); m != nil {
		return m[1]
	}
	return ""
}

var separators = regexp.MustCompile(`[-_.]+`)

// distribution is a Python name as all tools compare it.
func distribution(name string) string {
	return strings.ToLower(separators.ReplaceAllString(name, "-"))
}

// held is a package's copy in a cache.
type held struct {
	pkg     Package
	version string
	place   string
}

var (
	distInfo   = regexp.MustCompile(`(?:^|/)([A-Za-z0-9_.]+)-([0-9][^/-]*)\.(?:dist-info|egg-info)/(?:METADATA|PKG-INFO)$`)
	wheel      = regexp.MustCompile(`(?:^|/)([A-Za-z0-9_.]+)-([0-9][^/-]*)(?:-[^/]*\.whl|\.tar\.gz|\.zip)$`)
	crate      = regexp.MustCompile(`(?:^|/)registry/(?:cache|src)/[^/]+/([A-Za-z0-9_-]+?)-([0-9][^/]*?)(?:\.crate$|/Cargo\.toml$)`)
	mavenJar   = regexp.MustCompile(`(?:^|/)([A-Za-z0-9._-]+)/([0-9][^/]*)/([A-Za-z0-9._-]+)\.jar$`)
	goModule   = regexp.MustCompile(`(?:^|/)pkg/mod/(?:cache/download/(.+)/@v/(v[^/]+)\.zip|(.+?)@(v[^/]+)/)`)
	nodeModule = regexp.MustCompile(`(?:^|/)node_modules/((?:@[^/]+/)?[^/@][^/]*)/package\.json$`)
)

// cached reads from a path which package's copy it belongs to. npm writes the
// version into the file alone.
func (s *Secrets) cached(name string) (pkg Package, version string, ok bool) {
	for _, c := range []struct {
		manager string
		re      *regexp.Regexp
		fold    func(string) string
	}{{"pypi", distInfo, distribution}, {"pypi", wheel, distribution}, {"cargo", crate, nil}} {
		if m := c.re.FindStringSubmatch(name); m != nil {
			if c.fold != nil {
				m[1] = c.fold(m[1])
			}
			if pkg, ok := s.published(c.manager, m[1]); ok {
				return pkg, m[2], true
			}
		}
	}
	if m := mavenJar.FindStringSubmatch(name); m != nil && strings.HasPrefix(m[3], m[1]+"-"+m[2]) {
		pkg, ok = s.published("maven", m[1])
		return pkg, m[2], ok
	}
	if m := goModule.FindStringSubmatch(name); m != nil {
		path, err := module.UnescapePath(m[1] + m[3])
		if err != nil {
			return Package{}, "", false
		}
		pkg, ok = s.published("go", path)
		return pkg, m[2] + m[4], ok
	}
	if m := nodeModule.FindStringSubmatch(name); m != nil {
		pkg, ok = s.published("npm", m[1])
		return pkg, "", ok
	}
	return Package{}, "", false
}

func (s *Secrets) published(manager, name string) (Package, bool) {
	for _, p := range s.Packages {
		if p.Manager == manager && p.Name == name {
			return p, true
		}
	}
	return Package{}, false
}
