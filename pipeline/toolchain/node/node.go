package node

import (
	_ "embed"
	"fmt"
	"path"
	"regexp"
	"slices"
	"sort"
	"strings"

	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
	"github.com/wideswe/wideswe/schema"
)

// Toolchain builds and tests JavaScript and TypeScript packages: npm, yarn and pnpm
// install, jest, vitest, mocha, ava, tap, tape and node's own runner test.
type Toolchain struct{}

//go:embed lay.js
var nodeLay string

//go:embed mocha.js
var nodeMocha string

//go:embed done.js
var nodeDone string

//go:embed jest.js
var nodeJest string

//go:embed vitest.mjs
var nodeVitest string

// Name is the recipe's word.
func (Toolchain) Name() string { return "node" }

// nodeEnv makes output the same everywhere and keeps install scripts from
// downloading browsers and the like.
var nodeEnv = map[string]string{
	"CI": "true", "NO_COLOR": "1", "TERM": "dumb", "COLUMNS": "80",
	"HUSKY": "0", "HUSKY_SKIP_INSTALL": "1", "PUPPETEER_SKIP_DOWNLOAD": "true", "PUPPETEER_SKIP_CHROMIUM_DOWNLOAD": "true",
	"CYPRESS_INSTALL_BINARY": "0", "PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD": "1", "ELECTRON_SKIP_BINARY_DOWNLOAD": "1",
	"SENTRYCLI_SKIP_DOWNLOAD": "1", "CHROMEDRIVER_SKIP_DOWNLOAD": "true", "GECKODRIVER_SKIP_DOWNLOAD": "true",
	"DO_NOT_TRACK": "1", "NEXT_TELEMETRY_DISABLED": "1", "TURBO_TELEMETRY_DISABLED": "1", "NX_DAEMON": "false",
	"BROWSERSLIST_IGNORE_OLD_DATA": "1", "COREPACK_ENABLE_STRICT": "0",
	"npm_config_audit": "false", "npm_config_fund": "false", "npm_config_update_notifier": "false",
	"npm_config_progress":                        "false",
	"npm_config_manage_package_manager_versions": "false", "npm_config_dangerously_allow_all_builds": "true",
	"YARN_NODE_LINKER": "node-modules", "YARN_ENABLE_TELEMETRY": "0", "YARN_IGNORE_PATH": "1",
	"YARN_ENABLE_GLOBAL_CACHE": "true",
}

var nativeWords = regexp.MustCompile(`node-gyp|"nan"|prebuild-install|node-pre-gyp|node-addon-api|[\s"/]nan@`)

// Detect recognises a package.json, at the root or at most two folders below it.
func (Toolchain) Detect(t kit.Tree) (schema.Recipe, bool) {
	list := nodePackages(t)
	if len(list) == 0 || strings.Count(list[0].manifest, "/") > 2 {
		return schema.Recipe{}, false
	}
	root := list[0]
	r := schema.Recipe{
		Toolchain: "node", Report: "node", Image: kit.DistroImage,
		Packages: []string{"ca-certificates", "git", "nodejs", "npm"}, Env: map[string]string{},
	}
	for k, v := range nodeEnv {
		r.Env[k] = v
	}
	because := func(format string, args ...any) { r.Why = append(r.Why, fmt.Sprintf(format, args...)) }
	because("toolchain node: %s", root.manifest)
	w := nodeVersion(t, root)
	r.Runtime = fmt.Sprint(w.major)
	because("runtime %s: %s", r.Runtime, w.from)
	if w.major != distroNode {
		because("node %d comes from the package registry: the distribution's is %d", w.major, distroNode)
	}
	m := nodeManagerOf(t, root)
	because("%s installs: %s", strings.Join(slices.DeleteFunc([]string{m.name, m.version},
		func(s string) bool { return s == "" }), " "), m.why)
	if why := nodeNative(t, m); why != "" {
		r.Packages = append(r.Packages, "build-essential", "libnode-dev", "python3")
		because("build-essential, python3: %s", why)
	}
	if root.dir == "." {
		r.Setup = m.install()
		if script, why := nodeBuild(t, root, list); script != "" {
			r.Build = []string{"npm run " + kit.Quote(script) + ` || echo "the build ended badly"`}
			because("npm run %s after patches: %s", script, why)
		}
	}
	if runner, why := runnerHere(t, root); runner != "" {
		because("runner %s: %s", runner, why)
	}
	return r, true
}

// nodeNative says why packages may have to be compiled.
func nodeNative(t kit.Tree, m nodeManager) string {
	for _, name := range t.Files() {
		if path.Base(name) == "binding.gyp" && !notOurs.MatchString(name) {
			return name
		}
	}
	if m.lock != "" && nativeWords.MatchString(kit.Read(t, m.lock)) {
		return m.lock + " names " + strings.Trim(nativeWords.FindString(kit.Read(t, m.lock)), "\" \n/@")
	}
	return ""
}

// nodeInstall is one folder in which dependencies are installed.
type nodeInstall struct {
	dir   string
	lines []string
	tools []string
}

// nodeInstalls lists the folders whose manifests the units need: the root, and
// below it those with a lock file of their own or no workspace to belong to.
func nodeInstalls(t kit.Tree, r schema.Recipe, list []nodePackage, units []kit.Unit) []nodeInstall {
	found := map[string]bool{}
	var installs []nodeInstall
	add := func(p nodePackage, lines []string) {
		if m := nodeManagerOf(t, p); !found[p.dir] {
			found[p.dir] = true
			in := nodeInstall{dir: p.dir, lines: lines}
			if in.lines == nil {
				in.lines = m.install()
			}
			if tool := m.tool(); tool != "" {
				in.tools = append(in.tools, tool)
			}
			if strings.Contains(p.scripts["postinstall"]+p.scripts["prepare"], "patch-package") {
				in.lines = append(slices.Clone(in.lines), "./node_modules/.bin/patch-package || echo 'patch-package ended badly'")
			}
			installs = append(installs, in)
		}
	}
	if len(list) > 0 && list[0].dir == "." {
		add(list[0], r.Setup)
	}
	for _, u := range units {
		chain := nodeChain(list, u.Dir)
		slices.Reverse(chain)
		for i, p := range chain {
			member := slices.ContainsFunc(chain[:i], func(above nodePackage) bool { return nodeMember(above, p.dir) })
			locked := nodeManagerOf(t, p).lock != ""
			if p.dir != "." && (locked || !member) && len(p.deps) > 0 {
				add(p, nil)
			}
		}
	}
	return installs
}

// Plan writes the commands. What is installed lies outside the trees and is put in
// place before tests; every test file has a runner of its own.
func (Toolchain) Plan(j kit.Job) (kit.Plan, error) {
	list := nodePackages(j.Tree)
	p := kit.Plan{Env: kit.CopyEnv(j.Recipe)}
	repos := nodeWire(j, list)
	p.Wire = nodeWireLines(j)
	p.Setup = nodeTools(j, repos)
	for _, r := range repos {
		p.Setup = append(p.Setup, r.setup()...)
	}
	offline := "export npm_config_offline=true YARN_ENABLE_NETWORK=0"
	p.Build = []string{offline}
	for i := range repos {
		p.Build = append(p.Build, repos[len(repos)-1-i].lay())
	}
	p.Warm = slices.Concat(p.Build, j.Recipe.Warm)
	if len(j.Recipe.Warm) == 0 {
		p.Warm = nil
	}
	for _, r := range repos[1:] {
		p.Build = append(p.Build, r.builds...)
	}
	p.Build = append(append(p.Build, j.Recipe.Build...), repos[0].builds...)
	p.Manifests = nodeManifests(j.Tree)
	for _, r := range repos[1:] {
		if len(r.why) > 0 {
			p.Notes = append(p.Notes, r.why)
		}
	}
	return nodeRun(p, j, nodePackages(j.RunnerTree()))
}

// nodeManifests are the files that decide what is installed.
func nodeManifests(t kit.Tree) []string {
	var names []string
	for _, name := range t.Files() {
		switch path.Base(name) {
		case "package.json", "package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "pnpm-workspace.yaml",
			"lerna.json",
			".npmrc", ".yarnrc", ".yarnrc.yml", ".pnpmfile.cjs", "binding.gyp", ".nvmrc", ".node-version":
			names = append(names, name)
		default:
			if strings.Contains("/"+name, "/patches/") || strings.HasPrefix(name, ".yarn/") {
				names = append(names, name)
			}
		}
	}
	sort.Strings(names)
	return names
}

// nodeWireLines lay the helpers out and put the right node in front.
func nodeWireLines(j kit.Job) []string {
	lines := []string{
		`cache="${WIDESWE_CACHE:-$HOME/.cache/wideswe}/node"; mkdir -p "$cache/store" "$WIDESWE_TMP/node"`,
		`lay="$WIDESWE_TMP/node/lay.js"; ownnode=$(command -v node)`,
		"cat >\"$lay\" <<'WIDESWE_END'\n" + nodeLay + "WIDESWE_END",
		"cat >\"$WIDESWE_TMP/node/mocha.js\" <<'WIDESWE_END'\n" + nodeMocha + "WIDESWE_END",
		"cat >\"$WIDESWE_TMP/node/done.js\" <<'WIDESWE_END'\n" + nodeDone + "WIDESWE_END",
		"cat >\"$WIDESWE_TMP/node/jest.js\" <<'WIDESWE_END'\n" + nodeJest + "WIDESWE_END",
		"cat >\"$WIDESWE_TMP/node/vitest.mjs\" <<'WIDESWE_END'\n" + nodeVitest + "WIDESWE_END",
		`export npm_config_cache="$WIDESWE_TMP/npm" YARN_GLOBAL_FOLDER="$WIDESWE_TMP/berry"`,
		"unset NODE_OPTIONS NODE_PATH NODE_ENV FORCE_COLOR",
		`export PATH="$cache/tools/node_modules/.bin:$PATH"`,
	}
	if major := kit.LeadingInt(j.Recipe.Runtime); major > 0 && major != distroNode {
		lines = append(lines, `case "$(uname -m)" in x86_64) arch=x64;; aarch64) arch=arm64;; *) arch=$(uname -m);; esac`,
			`export PATH="$cache/tools/node_modules/node-linux-$arch/bin:$PATH" `+
				`npm_config_nodedir="$cache/tools/node_modules/node-linux-$arch"`)
	} else {
		lines = append(lines, "export npm_config_nodedir=/usr")
	}
	return append(lines, kit.PathLines(j.Recipe)...)
}

// nodeTools fetches what the installs need that the distribution does not have.
func nodeTools(j kit.Job, repos []nodeRepo) []string {
	var tools []string
	for _, r := range repos {
		for _, in := range r.installs {
			tools = append(tools, in.tools...)
		}
	}
	major := kit.LeadingInt(j.Recipe.Runtime)
	words := kit.QuoteAll(nodeNpm(kit.Unique(tools), major))
	if major > 0 && major != distroNode {
		words = strings.TrimSpace(fmt.Sprintf(`"node-linux-$arch@%d" `, major) + words)
	}
	if words == "" {
		return nil
	}
	return []string{`mkdir -p "$cache/tools" && (cd "$cache/tools" && [ -f package.json ] || echo '{"private":true}' ` +
		`>"$cache/tools/package.json"; cd "$cache/tools" && PATH="$(dirname "$ownnode"):$PATH" npm install --no-save ` +
		`--no-package-lock --ignore-scripts ` + words + ")"}
}
