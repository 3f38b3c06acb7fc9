package node

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/wideswe/wideswe/pipeline/testscope"
	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
	"github.com/wideswe/wideswe/pipeline/toolchain/kittest"
	"github.com/wideswe/wideswe/schema"
)

func TestNodeVersion(t *testing.T) {
	for _, c := range []struct {
		name string
		tree kit.Map
		want int
	}{
		{"nothing said", kit.Map{}, 20},
		{"engines admit the distribution's", kit.Map{"package.json": `{"engines":{"node":">=14"}}`}, 20},
		{"engines ask for more", kit.Map{"package.json": `{"engines":{"node":">=22.3"}}`}, 22},
		{"alternatives", kit.Map{"package.json": `{"engines":{"node":"^18.18.0 || ^20.9.0 || >=21.1.0"}}`}, 20},
		{"an upper bound", kit.Map{"package.json": `{"engines":{"node":">=12 <17"}}`}, 16},
		{"a range in words", kit.Map{"package.json": `{"engines":{"node":"14 - 18"}}`}, 18},
		{"one major", kit.Map{"package.json": `{"engines":{"node":"22.x"}}`}, 22},
		{"a version file wins", kit.Map{"package.json": `{"engines":{"node":">=14"}}`, ".nvmrc": "v22.1.0\n"}, 22},
		{"a name of a long-term release", kit.Map{".nvmrc": "lts/hydrogen"}, 18},
		{"volta", kit.Map{"package.json": `{"volta":{"node":"18.12.0"}}`}, 18},
		{"CI of an older time", kit.Map{".github/workflows/ci.yml": "strategy:\n  matrix:\n    node-version: [12.x, 14.x, " +
			"16.x]\n"}, 16},
		{"CI has the distribution's", kit.Map{".github/workflows/ci.yml": "      matrix:\n        node:\n          - 18\n  " +
			"        - 20\n          - 22\n"}, 20},
		{"CI of a later time", kit.Map{".github/workflows/ci.yml": "        node-version: ['24', '26']\n"}, 24},
		{"engines of another kind", kit.Map{"package.json": `{"engines":["node >= 0.4"]}`}, 20},
	} {
		if c.tree["package.json"] == "" {
			c.tree["package.json"] = "{}"
		}
		if got := nodeVersion(c.tree, nodePackages(c.tree)[0]); got.major != c.want {
			t.Errorf("%s: %+v, want %d", c.name, got, c.want)
		}
	}
}

func TestNodeManager(t *testing.T) {
	for _, c := range []struct {
		name, want string
		tree       kit.Map
	}{
		{"no lock", "npm@ ", kit.Map{}},
		{"npm", "npm@ package-lock.json", kit.Map{"package-lock.json": "{}"}},
		{"yarn 1", "yarn@1 yarn.lock", kit.Map{"yarn.lock": "# yarn lockfile v1\n"}},
		{"yarn berry by its lock", "berry@4 yarn.lock", kit.Map{"yarn.lock": "__metadata:\n  version: 6\n"}},
		{"yarn berry by the field", "berry@3.6.4 yarn.lock",
			kit.Map{"package.json": `{"packageManager":"yarn@3.6.4+sha256.abc"}`, "yarn.lock": ""}},
		{"pnpm by the field", "pnpm@9.1.0 pnpm-lock.yaml", kit.Map{"package.json": `{"packageManager":"pnpm@9.1.0"}`,
			"pnpm-lock.yaml": "", "package-lock.json": "{}"}},
		{"pnpm by its lock", "pnpm@8 pnpm-lock.yaml", kit.Map{"pnpm-lock.yaml": "lockfileVersion: '6.0'\n"}},
		{"a manager that is not known", "npm@ ", kit.Map{"package.json": `{"packageManager":"bun@1.0.0"}`}},
	} {
		if c.tree["package.json"] == "" {
			c.tree["package.json"] = "{}"
		}
		m := nodeManagerOf(c.tree, nodePackages(c.tree)[0])
		if got := m.name + "@" + m.version + " " + m.lock; got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
	release := kit.Map{"package.json": "{}", "yarn.lock": "__metadata:",
		".yarnrc.yml": "yarnPath: .yarn/releases/yarn-3.1.0.cjs\n", ".yarn/releases/yarn-3.1.0.cjs": ""}
	if m := nodeManagerOf(release, nodePackages(release)[0]); m.tool() != "" || m.script == "" {
		t.Errorf("a release in the tree is not used: %+v", m)
	}
}

func TestNodeScript(t *testing.T) {
	for _, c := range []struct{ script, runner, want string }{
		{"jest", "jest", "|"},
		{"cross-env NODE_ENV=test jest --coverage --config jest.unit.js src", "jest", "NODE_ENV=test||--config jest.unit.js"},
		{"NODE_OPTIONS='--experimental-vm-modules --no-warnings' npx jest -c x.json", "jest",
			"NODE_OPTIONS=--experimental-vm-modules --no-warnings||-c x.json"},
		{"node --expose-gc --experimental-vm-modules node_modules/jest/bin/jest.js", "jest",
			"|--expose-gc --experimental-vm-modules|"},
		{"npm run lint && nyc --reporter=text mocha --require test/env --reporter spec --check-leaks test/ test/acceptance/",
			"mocha", "||--require test/env --check-leaks"},
		{"mocha -r ts-node/register -R dot --timeout=5000 'test/**/*.ts'", "mocha", "||-r ts-node/register --timeout=5000"},
		{"vitest run --coverage --config vitest.node.ts", "vitest", "||--config vitest.node.ts"},
		{"c8 node --import tsx --test test/*.ts", "node", "|--import tsx|"},
		{"node --test --import=tsx --test-reporter spec", "node", "|--import=tsx|"},
		{"tsx --test src/**/*.test.ts", "node", "|--import tsx|"},
		{"eslint jest", "jest", "none"},
		{"rm -rf node; echo mocha", "mocha", "none"},
	} {
		got := "none"
		if cmd, ok := nodeScript(nodePackage{scripts: map[string]string{"test": c.script}}, c.runner); ok {
			got = strings.Join(cmd.env, " ") + "|" + strings.Join(cmd.node, " ") + "|" + strings.Join(cmd.args, " ")
		}
		if got != c.want && got != c.want+"|" {
			t.Errorf("%s: %q, want %q", c.script, got, c.want)
		}
	}
}

func TestNodeSelect(t *testing.T) {
	tree := kit.Map{
		"package.json":                                `{"workspaces":["packages/*"],"scripts":{"test":"mocha test/*.js"}}`,
		"test/app.js":                                 "describe('app', () => { it('works', () => {}) })",
		"test/support/env.js":                         "process.env.A = 1",
		"test/fixtures/a/a.test.js":                   "it('is input', () => {})",
		"test/data.json":                              "{}",
		"packages/a/package.json":                     `{"name":"a","scripts":{"test":"vitest run"}}`,
		"packages/a/src/x.test.ts":                    "import { it } from 'vitest'",
		"packages/a/src/x.ts":                         "",
		"packages/b/package.json":                     `{"name":"b","jest":{}}`,
		"packages/b/__tests__/y.js":                   "test('y', () => {})",
		"packages/b/__tests__/z.js":                   "module.exports = 1",
		"packages/b/__snapshots__/k":                  "",
		"packages/b/src/q.test.js":                    "test('q', () => {})",
		"packages/c/package.json":                     `{"name":"c"}`,
		"packages/c/test/node.test.mjs":               "import test from 'node:test'",
		"packages/b/src/__snapshots__/q.test.js.snap": "exports[`q`] = ``",
		"types/index.test-d.ts":                       "",
	}
	got, err := Toolchain{}.Select(tree, schema.Recipe{}, []string{
		"test/app.js", "test/data.json", "packages/a/src/x.test.ts", "packages/b/__tests__/y.js",
		"packages/b/src/__snapshots__/q.test.js.snap", "packages/c/test/node.test.mjs", "gone.js",
	})
	if err != nil {
		t.Fatal(err)
	}
	want := kit.Selection{
		Units: []kit.Unit{
			{Dir: ".", Runner: "mocha", Files: []string{"test/app.js"}},
			{Dir: "packages/a", Runner: "vitest", Files: []string{"packages/a/src/x.test.ts"}},
			{Dir: "packages/b", Runner: "jest", Files: []string{"packages/b/__tests__/y.js", "packages/b/src/q.test.js"}},
			{Dir: "packages/c", Runner: "node", Files: []string{"packages/c/test/node.test.mjs"}},
		},
		Left: []kit.Left{{Path: "gone.js", Reason: "the tree does not have it"}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	fixture, err := Toolchain{}.Select(tree, schema.Recipe{}, []string{"test/fixtures/a/a.test.js"})
	if err != nil || len(fixture.Units) != 1 || !slices.Equal(fixture.Units[0].Files, []string{"test/app.js"}) {
		t.Errorf("a fixture selects %+v, %v", fixture, err)
	}
}

func TestNodeDetect(t *testing.T) {
	tree := kit.Map{
		"package.json": `{"name":"x","main":"dist/index.js","scripts":{"build":"tsc","test":"jest"}}`,
		"yarn.lock":    "# yarn lockfile v1\n\"node-gyp@^9\":\n", "src/index.ts": "",
	}
	r, ok := Toolchain{}.Detect(tree)
	if !ok || r.Runtime != "20" || !slices.Contains(r.Packages, "build-essential") || len(r.Build) != 1 ||
		!strings.HasPrefix(r.Build[0], "npm run build") {
		t.Errorf("%v %+v", ok, r)
	}
	why := strings.Join(r.Why, "\n")
	for _, want := range []string{"toolchain node: package.json", "yarn 1 installs: yarn.lock", "yarn.lock names node-gyp",
		"npm run build after patches: package.json names dist/index.js", "runner jest"} {
		if !strings.Contains(why, want) {
			t.Errorf("reasons lack %q:\n%s", want, why)
		}
	}
	if _, ok := (Toolchain{}).Detect(kit.Map{"test/fixtures/package.json": "{}", "main.py": ""}); ok {
		t.Error("a fixture makes a Node project")
	}
}

func TestNodeTools(t *testing.T) {
	for _, c := range []struct{ name, runtime, pkg, lock, want string }{
		{"the npm that Node 20 brings", "20", `{}`, "", "npm@10"},
		{"another runtime and its npm", "24", `{}`, "package-lock.json", `"node-linux-$arch@24" npm@11`},
		{"an older one", "16", `{}`, "", `"node-linux-$arch@16" npm@8`},
		{"one that the distribution's npm does not run on", "14", `{}`, "yarn.lock", `"node-linux-$arch@14" npm@6 yarn@1`},
		{"what the manifest says", "22", `{"packageManager":"npm@11.3.0+sha512.ab"}`, "package-lock.json",
			`"node-linux-$arch@22" npm@11.3.0`},
		{"a manager of its own", "20", `{"packageManager":"pnpm@9.1.0"}`, "pnpm-lock.yaml", "pnpm@9.1.0"},
	} {
		tree := kit.Map{"package.json": c.pkg}
		if c.lock != "" {
			tree[c.lock] = ""
		}
		r, _ := Toolchain{}.Detect(tree)
		r.Runtime = c.runtime
		j := kit.Job{Recipe: r, Repository: "o/app", Tree: tree}
		_, words, _ := strings.Cut(strings.Join(nodeTools(j, nodeWire(j, nodePackages(tree))), "\n"), "--ignore-scripts ")
		got := strings.Fields(strings.TrimSuffix(words, ")"))
		slices.Sort(got)
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: %q, want %s", c.name, got, c.want)
		}
	}
}

// TestNodeMatch: a run of single tests matches their full names, however the
// runner joins them.
func TestNodeMatch(t *testing.T) {
	j := kit.Job{Only: []string{"a.js::s > one (x)", "b.js::other"}, Skip: []string{"a.js::s > two #2"}}
	if got, _ := namePattern(j, "a.js"); got != `^(?!(?:s(?: > | )two)$)(?:s(?: > | )one \(x\))$` {
		t.Error(got)
	}
	if got, partial := namePattern(kit.Job{}, "a.js"); got != "" || partial {
		t.Error(got)
	}
}

// TestNodeRun runs node's own runner and mocha's place of a sibling: packages kept
// outside the tree, a sibling's working tree in place of its release.
func TestNodeRun(t *testing.T) {
	testscope.Programs(t, "node", "npm")
	app := kit.Map{
		"package.json": `{"name":"app","private":true,"scripts":{"test":"node --test"},"dependencies":{"lib":"^1.0.0"}}`,
		"test/a.test.js": `const { describe, it, test } = require('node:test'); const assert = require('assert')
describe('suite', () => {
  it('uses the sibling', () => { assert.equal(require('lib').name, 'working tree') })
  it('fails', () => { assert.equal(1, 2) })
})
test('hidden place', () => { assert.equal(process.env.WIDESWE_OUT, undefined) })
test('prints', () => { console.log('ok 7 - ghost') })
test('skipped', { skip: true }, () => {})`,
		"test/b.test.js": "throw new Error('at load')",
		"test/c.test.js": "require('node:test')('dies', () => process.kill(process.pid, 'SIGKILL'))",
	}
	lib := kit.Map{"package.json": `{"name":"lib","version":"9.0.0","main":"index.js"}`,
		"index.js": "exports.name = 'working tree'"}
	w := kittest.Layout(t, map[string]kit.Map{"acme/app": app, "acme/lib": lib})
	r, _ := Toolchain{}.Detect(app)
	sel, err := Toolchain{}.Select(app, r, []string{"test/a.test.js", "test/b.test.js", "test/c.test.js"})
	if err != nil {
		t.Fatal(err)
	}
	j := kit.Job{Recipe: r, Repository: "acme/app", Tree: app, Selection: sel,
		Siblings: []kit.Sibling{{Repository: "acme/lib", Tree: lib}}}
	p := kittest.Plan(t, Toolchain{}, j)
	keepPackage(t, w, j, "lib", "exports.name = 'a release'")
	got, exit := w.Run(t, j, p, "WIDESWE_CACHE="+w.Tmp)
	want := map[string]schema.TestOutcome{
		"test/a.test.js::suite/uses the sibling": schema.Pass, "test/a.test.js::suite/fails": schema.Fail,
		"test/a.test.js::hidden place": schema.Pass,
		"test/a.test.js::prints":       schema.Pass, "test/a.test.js::skipped": schema.Skip,
	}
	if diff := cmp.Diff(want, kittest.Outcomes(got)); diff != "" || exit == 0 {
		t.Errorf("exit %d: -want +got\n%s", exit, diff)
	}
	var kinds []string
	for _, p := range got.Problems {
		kinds = append(kinds, p.Unit+" "+string(p.Kind))
	}
	if diff := cmp.Diff([]string{"test/b.test.js collection_error", "test/c.test.js crashed"}, kinds); diff != "" {
		t.Errorf("problems: -want +got\n%s", diff)
	}
}

// fakeJest speaks to its reporters as jest does: in a.test.js the process ends while
// a test runs.
const fakeJest = `const of = f => process.argv.filter(a => a.startsWith(f)).map(a => a.slice(f.length))
const Own = require(of('--reporters=').find(r => r !== 'default'))
const own = new Own(), file = process.argv[process.argv.length - 1]
own.onTestCaseStart({}, { ancestorTitles: ['suite'], title: 'runs' })
if (file === 'a.test.js') process.exit(0)
own.onRunComplete()
require('fs').writeFileSync(of('--outputFile=')[0], JSON.stringify({ success: true, testResults: [{ name: require('path').resolve(file), status: 'passed', assertionResults: [{ ancestorTitles: ['suite'], title: 'runs', status: 'passed' }] }] }))
`

// fakeVitest does the same as vitest.
const fakeVitest = `const of = f => process.argv.filter(a => a.startsWith(f)).map(a => a.slice(f.length))
import(of('--reporter=').find(r => r !== 'json')).then(({ default: Own }) => {
  const own = new Own(), file = process.argv[process.argv.length - 1], module = { type: 'module', name: file }
  own.onTestCaseReady({ type: 'test', name: 'runs', parent: { type: 'suite', name: 'suite', parent: module } })
  if (file === 'a.test.js') process.exit(0)
  own.onTestRunEnd()
  require('fs').writeFileSync(of('--outputFile=')[0], JSON.stringify({ success: true, testResults: [{ name: require('path').resolve(file), status: 'passed', assertionResults: [{ ancestorTitles: ['suite'], title: 'runs', status: 'passed' }] }] }))
})
`

// TestNodeDies: the test that was running when jest's or vitest's process ended is
// named, so that the others can run without it.
func TestNodeDies(t *testing.T) {
	testscope.Programs(t, "node")
	for runner, program := range map[string]string{"jest": fakeJest, "vitest": fakeVitest} {
		t.Run(runner, func(t *testing.T) {
			app := kit.Map{
				"package.json": `{"name":"app","scripts":{"test":"` + runner + `"}}`, "a.test.js": "test('x', () => {})",
				"b.test.js": "test('x', () => {})",
				"node_modules/" + runner + "/package.json": `{"bin":{"` + runner + `":"bin.js"}}`, "node_modules/" + runner +
					"/bin.js": program,
			}
			w := kittest.Layout(t, map[string]kit.Map{"acme/app": app})
			r, _ := Toolchain{}.Detect(app)
			sel, err := Toolchain{}.Select(app, r, []string{"a.test.js", "b.test.js"})
			if err != nil {
				t.Fatal(err)
			}
			j := kit.Job{Recipe: r, Repository: "acme/app", Tree: app, Selection: sel}
			got, exit := w.Run(t, j, kittest.Plan(t, Toolchain{}, j), "WIDESWE_CACHE="+w.Tmp)
			want := map[string]schema.TestOutcome{"a.test.js::suite > runs": schema.Error,
				"b.test.js::suite > runs": schema.Pass}
			if diff := cmp.Diff(want, kittest.Outcomes(got)); diff != "" || exit != 0 {
				t.Errorf("exit %d: -want +got\n%s", exit, diff)
			}
			if diff := cmp.Diff([]string{"a.test.js::suite > runs"}, got.Crashed); diff != "" {
				t.Errorf("crashed: -want +got\n%s", diff)
			}
		})
	}
}
