package node

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
	"github.com/wideswe/wideswe/pipeline/toolchain/kittest"
)

// keepPackage does what setup does where there is no network: a package lies in
// node_modules as if it had been installed, and is kept for the run.
func keepPackage(t *testing.T, w kittest.Workspace, j kit.Job, name, text string) {
	t.Helper()
	repo := filepath.Join(w.Root, j.Repository)
	p := kittest.Plan(t, Toolchain{}, j)
	p.Setup = nodeWire(j, nodePackages(j.Tree))[0].setup()
	p.Setup[0] = strings.ReplaceAll(p.Setup[0], "npm install", "install")
	install := "install() { mkdir -p node_modules/" + name + " node_modules/other && printf '%s' \"" + text +
		"\" >node_modules/" + name + "/index.js && echo >node_modules/other/index.js && echo '{}' >package-lock.json; " +
		"}\nnpm() { :; }\n"
	cmd := exec.CommandContext(t.Context(), "/bin/sh", "-e", "-c", strings.Join(append(append(p.Wire, install),
		p.Setup...), "\n"))
	cmd.Dir = repo
	cmd.Env = append(os.Environ(), "WIDESWE_WORKSPACE="+w.Root, "WIDESWE_REPO="+repo, "WIDESWE_TMP="+w.Tmp, "WIDESWE_OUT="+
		t.TempDir(), "WIDESWE_CACHE="+w.Tmp)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	// npm wrote a lock file that the tree, laid anew for a run, does not have.
	if err := os.Remove(filepath.Join(repo, "package-lock.json")); err != nil {
		t.Fatal(err)
	}
	again := exec.CommandContext(t.Context(), cmd.Args[0], cmd.Args[1:]...)
	again.Dir, again.Env = cmd.Dir, cmd.Env
	if out, err := again.CombinedOutput(); err != nil || !strings.Contains(string(out), "packages are kept already") {
		t.Errorf("the same tree is set up again: %v\n%s", err, out)
	}
	if _, err := os.Lstat(filepath.Join(repo, nodeModules)); err == nil {
		t.Error("packages stay in the tree")
	}
	err := filepath.WalkDir(w.Tmp, func(p string, _ os.DirEntry, err error) error {
		if strings.HasSuffix(p, filepath.Join(nodeModules, name)) {
			t.Errorf("a release of the sibling is kept at %s", p)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"other"} {
		if found, _ := filepath.Glob(filepath.Join(w.Tmp, "node", "store", "*", "*", "tree", nodeModules,
			name)); len(found) != 1 {
			t.Errorf("%s is not kept", name)
		}
	}
}
