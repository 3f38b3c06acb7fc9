package node

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
)

// nodeManager is who installs the dependencies of one folder.
type nodeManager struct {
	name    string // npm, yarn, berry, pnpm
	version string // of the package to install; "" takes the npm that belongs to the runtime
	lock    string // "" where there is none
	script  string // yarn's own release in the tree
	why     string
}

var (
	managerField = regexp.MustCompile(`^(npm|yarn|pnpm|bun)@(\d+(?:\.\d+){0,2})`)
	yarnPath     = regexp.MustCompile(`(?m)^yarnPath:\s*["']?([^"'\n]+?)["']?\s*$`)
	pnpmLock     = regexp.MustCompile(`(?m)^lockfileVersion:\s*['"]?(\d+)`)
	lockNames    = []string{"pnpm-lock.yaml", "yarn.lock", "npm-shrinkwrap.json", "package-lock.json"}
)

// nodeManagerOf reads packageManager, then the lock files, of an install's folder.
func nodeManagerOf(t kit.Tree, p nodePackage) nodeManager {
	m := nodeManager{}
	for _, name := range lockNames {
		if file := path.Join(p.dir, name); m.lock == "" && kit.Has(t, file) {
			m.lock = file
		}
	}
	said := managerField.FindStringSubmatch(p.manager)
	if said != nil && said[1] != "bun" {
		m.name, m.version, m.why = said[1], said[2], p.manifest+" says packageManager "+said[0]
		if file := path.Join(p.dir, map[string]string{"pnpm": "pnpm-lock.yaml", "yarn": "yarn.lock",
			"npm": "package-lock.json"}[m.name]); kit.Has(t, file) {
			m.lock = file
		}
	} else {
		m.fromLock(t)
	}
	switch {
	case m.name == "npm":
	case m.name == "yarn" && (m.version == "" && strings.Contains(kit.Read(t, m.lock), "__metadata:") || m.version != "" &&
		!strings.HasPrefix(m.version, "1.") && m.version != "1"):
		m.name = "berry"
		if m.version == "" {
			m.version = "4"
		}
		if found := yarnPath.FindStringSubmatch(kit.Read(t, path.Join(p.dir, ".yarnrc.yml"))); found != nil &&
			kit.Has(t, path.Join(p.dir, found[1])) {
			m.script = path.Join(p.dir, found[1])
		}
	case m.name == "yarn":
		m.version = "1"
	}
	return m
}

func (m *nodeManager) fromLock(t kit.Tree) {
	switch base := path.Base(m.lock); {
	case m.lock == "":
		m.name, m.why = "npm", "no lock file: what the manifest's ranges give on the day of the build"
		return
	case base == "pnpm-lock.yaml":
		m.name, m.version = "pnpm", "9"
		if v := pnpmLock.FindStringSubmatch(kit.Read(t, m.lock)); v != nil {
			switch n := kit.LeadingInt(v[1]); {
			case n <= 5:
				m.version = "7"
			case n <= 8:
				m.version = "8"
			}
		}
	case base == "yarn.lock":
		m.name = "yarn"
	default:
		m.name = "npm"
	}
	m.why = m.lock
}

// tool is what the manager needs from the registry, as npm names it.
func (m nodeManager) tool() string {
	switch {
	case m.name == "npm" && m.version == "":
		return "npm"
	case m.name == "npm", m.name == "pnpm":
		return m.name + "@" + m.version
	case m.name == "yarn":
		return "yarn@" + m.version
	case m.name == "berry" && m.script == "":
		return "@yarnpkg/cli-dist@" + m.version
	}
	return ""
}

// nodeNpm gives the npm of a list of tools the release that came with a major
// version of Node: the distribution's is another, and fails on manifests and lock
// files of newer ones. A release that a manifest asks for goes first.
func nodeNpm(tools []string, major int) []string {
	said := slices.ContainsFunc(tools, func(s string) bool { return strings.HasPrefix(s, "npm@") })
	tools = slices.DeleteFunc(tools, func(s string) bool { return s == "npm" && said })
	came := "npm@10"
	switch {
	case major > 0 && major < 15:
		came = "npm@6"
	case major > 0 && major < 18:
		came = "npm@8"
	case major >= 24:
		came = "npm@11"
	}
	if i := slices.Index(tools, "npm"); i >= 0 {
		tools[i] = came
	} else if major > 0 && major < 16 && !said { // the distribution's does not run on it
		tools = append(tools, came)
	}
	return tools
}

// install are the lines that fetch what a folder's manifest asks for, run in that
// folder: what the lock file says, or else what fits. Scripts of packages come
// after, where one that fails does not lose the rest.
func (m nodeManager) install() []string {
	switch m.name {
	case "pnpm":
		return []string{
			`pnpm install --frozen-lockfile --ignore-scripts --store-dir "$WIDESWE_TMP/pnpm" || pnpm install ` +
				`--no-frozen-lockfile --ignore-scripts --store-dir "$WIDESWE_TMP/pnpm"`,
			`pnpm rebuild >/dev/null || echo "scripts of packages ended badly"`,
		}
	case "yarn":
		flags := ` --ignore-scripts --ignore-engines --non-interactive --no-progress --cache-folder "$WIDESWE_TMP/yarn"`
		return []string{
			`node "$lay" relock yarn.lock "$(npm config get registry)"`,
			"yarn install --frozen-lockfile" + flags + " || yarn install --pure-lockfile" + flags,
			`npm rebuild >/dev/null || echo "scripts of packages ended badly"`,
		}
	case "berry":
		yarn := "yarn"
		if m.script != "" {
			yarn = "node " + kit.Under("WIDESWE_REPO", m.script)
		}
		return []string{
			`export YARN_NPM_REGISTRY_SERVER="$(npm config get registry)"`,
			"YARN_ENABLE_IMMUTABLE_INSTALLS=1 " + yarn +
				" install --mode=skip-build || YARN_CHECKSUM_BEHAVIOR=update YARN_ENABLE_IMMUTABLE_INSTALLS=0 " + yarn +
				" install --mode=skip-build",
			`npm rebuild >/dev/null || echo "scripts of packages ended badly"`,
		}
	}
	first := "npm install"
	if m.lock != "" {
		first = "npm ci"
	}
	flags := " --ignore-scripts --replace-registry-host=always"
	return []string{
		first + flags + " || npm install --no-package-lock --legacy-peer-deps" + flags,
		`npm rebuild >/dev/null || echo "scripts of packages ended badly"`,
	}
}

// buildWords are in scripts that make something; lintWords in those that judge.
var (
	buildWords = regexp.MustCompile(`\b(build|compile|tsc|rollup|webpack|esbuild|babel|tsup|unbuild|bundle|generate|swc|` +
		`vite build|parcel|microbundle|peggy|pegjs|obuild|gulp)\b`)
	lintWords = regexp.MustCompile(`\b(lint|eslint|standard|xo|prettier|audit)\b`)
)
