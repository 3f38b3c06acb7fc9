package evaluate

import (
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/rogpeppe/go-internal/txtar"
	"github.com/wideswe/wideswe/pipeline/release"
	"github.com/wideswe/wideswe/pipeline/testrun"
	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
	"github.com/wideswe/wideswe/pipeline/toolchain/registry"
	"github.com/wideswe/wideswe/pipeline/workspace"
	"github.com/wideswe/wideswe/schema"
	"github.com/wideswe/wideswe/stages/evaluate/evaluatetest"
)

// ground is a repository that attacks and honest solutions are made on: one task of
// one target, or of two where it names another, in testdata/grounds/NAME.txtar. Files are whole: base/ the tree, gold/
// and hidden/ those that the change and its tests make anew.
type ground struct {
	Name               string   `yaml:"-"`
	F2P                []string `yaml:"f2p"`
	P2P                []string `yaml:"p2p"`
	With               string   `yaml:"with"` // the ground that is the task's second target
	base, gold, hidden map[string]string
}

// repository is the ground's name in its release.
func (g ground) repository() string { return "o/" + g.Name }

// toolchain is what the ground's base is built and tested with.
func (g ground) toolchain() string {
	recipe, _, _ := registry.Detect(kit.Map(g.base))
	return recipe.Toolchain
}

// section gives an archive's files below a folder.
func section(a *txtar.Archive, folder string) map[string]string {
	out := map[string]string{}
	for _, f := range a.Files {
		if name, ok := strings.CutPrefix(f.Name, folder+"/"); ok {
			out[name] = string(f.Data)
		}
	}
	return out
}

// archives reads the archives of a folder of testdata, the comment into what read
// gives.
func archives(t *testing.T, folder string, read func(name string, a *txtar.Archive) any) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", folder, "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no archives in testdata/%s: %v", folder, err)
	}
	for _, f := range files {
		a, err := txtar.ParseFile(f)
		if err != nil {
			t.Fatal(err)
		}
		head := read(strings.TrimSuffix(filepath.Base(f), ".txtar"), a)
		if err := yaml.UnmarshalWithOptions(a.Comment, head, yaml.Strict()); err != nil {
			t.Fatalf("%s: %v", f, err)
		}
	}
}

func grounds(t *testing.T) map[string]*ground {
	t.Helper()
	out := map[string]*ground{}
	archives(t, "grounds", func(name string, a *txtar.Archive) any {
		g := &ground{Name: name, base: section(a, "base"), gold: section(a, "gold"), hidden: section(a, "hidden")}
		out[name] = g
		return g
	})
	return out
}

// change is what a patch makes of a tree.
type change struct {
	files, links, executable map[string]string
	deleted                  []string
}

// patch gives the change as a diff against the ground's base.
func (g ground) patch(t *testing.T, c change) string {
	t.Helper()
	d, err := workspace.NewDifference(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	put := func(side func(path, mode string, size int64, r io.Reader) error, mode string, files map[string]string) {
		for _, p := range slices.Sorted(maps.Keys(files)) {
			if err := side(p, mode, int64(len(files[p])), strings.NewReader(files[p])); err != nil {
				t.Fatal(err)
			}
		}
	}
	plain := maps.Clone(g.base)
	maps.Copy(plain, c.files)
	for p := range plain {
		if c.links[p] != "" || c.executable[p] != "" || slices.Contains(c.deleted, p) {
			delete(plain, p)
		}
	}
	put(d.Old, "100644", g.base)
	put(d.New, "100644", plain)
	put(d.New, "100755", c.executable)
	put(d.New, "120000", c.links)
	out, err := d.Patch(t.Context(), 64<<20)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// groundsRelease writes a release with a task a ground, each named as its ground.
func groundsRelease(t *testing.T, list map[string]*ground) *release.Release {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	out := filepath.Join(t.TempDir(), "release")
	w, err := release.Create(out, release.Guard{})
	must(err)
	defer w.Abort()
	rel := schema.Release{Name: "grounds", Version: "1", Rules: map[string]string{}}
	sources, trees := map[string]schema.Source{}, map[string]string{}
	for i, name := range slices.Sorted(maps.Keys(list)) {
		dir := evaluatetest.WriteTree(t, list[name].base)
		tree, err := workspace.TreeHash(t.Context(), dir)
		must(err)
		s := schema.Source{Repository: list[name].repository(), Commit: fmt.Sprintf("%040d", i), Tree: tree}
		sources[name], trees[name] = s, dir
		rel.Sources = append(rel.Sources, s)
		must(w.Source(t.Context(), s, func(o io.Writer) error { return workspace.Tar(t.Context(), dir, o) }))
	}
	for _, name := range slices.Sorted(maps.Keys(list)) {
		task := schema.TaskFile{Format: 1, Task: name, Ecosystem: "o", Kind: schema.Bugfix, Languages: []string{name}}
		file := schema.WorkspaceFile{Format: 1, Task: name}
		entry := schema.ReleaseTask{ID: name, Ecosystem: "o", Kind: schema.Bugfix}
		for _, part := range slices.DeleteFunc([]string{name, list[name].With}, func(s string) bool { return s == "" }) {
			g, s := list[part], sources[part]
			hidden := slices.Sorted(maps.Keys(g.hidden))
			files, err := testrun.DirTree(trees[part])
			must(err)
			recipe, _, ok := registry.Detect(files, hidden...)
			if !ok {
				t.Fatalf("no toolchain for %s", part)
			}
			task.Targets = append(task.Targets, schema.TaskTarget{Repository: g.repository(), BaseCommit: s.Commit,
				BaseTree: s.Tree, GoldFiles: slices.Sorted(maps.Keys(g.gold)), HiddenFiles: hidden,
				Limits: schema.RunLimits{Seconds: 40, Memory: 1 << 30, CPUs: 1, Pids: 256}})
			file.Repositories = append(file.Repositories,
				schema.WorkspaceRepository{Repository: g.repository(), Commit: s.Commit, Tree: s.Tree})
			entry.Targets = append(entry.Targets, g.repository())
			at := "tasks/" + name + "/hidden/" + schema.FileName(g.repository()) + "/"
			must(w.Bytes(at+"gold.patch", []byte(g.patch(t, change{files: g.gold}))))
			must(w.Bytes(at+"tests/01-upstream.patch", []byte(g.patch(t, change{files: g.hidden}))))
			must(w.JSON(at+"tests.json", schema.TestsFile{Format: 1, Repository: g.repository(), F2P: g.F2P, P2P: g.P2P}))
			must(w.YAML(at+"recipe.yaml", "r", recipe))
			must(w.YAML(at+"image.yaml", "i", schema.ImageFile{Format: 1}))
		}
		must(w.Bytes("tasks/"+name+"/prompt.md", []byte("Mend the sum.\n")))
		must(w.YAML("tasks/"+name+"/task.yaml", "t", task))
		must(w.JSON("tasks/"+name+"/workspace.json", file))
		rel.Tasks = append(rel.Tasks, entry)
	}
	_, err = w.Finish(rel)
	must(err)
	r, err := release.Open(out)
	must(err)
	t.Cleanup(func() { r.Close() })
	return r
}

// buildInputs are what image builds need of this machine: proxies and certificates.
func buildInputs(t *testing.T) (env map[string]string, files map[string][]byte) {
	t.Helper()
	env, files = map[string]string{}, map[string][]byte{}
	for _, name := range strings.Fields("HTTP_PROXY HTTPS_PROXY NO_PROXY http_proxy https_proxy no_proxy " +
		"SSL_CERT_FILE SSL_CERT_DIR PIP_CERT REQUESTS_CA_BUNDLE CURL_CA_BUNDLE NODE_EXTRA_CA_CERTS GOPROXY GOSUMDB") {
		v, ok := os.LookupEnv(name)
		if !ok {
			continue
		}
		env[name] = v
		if b, err := os.ReadFile(v); err == nil {
			files[v] = b
		}
	}
	return env, files
}
