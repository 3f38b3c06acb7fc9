package validate_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/wideswe/wideswe/pipeline/leak"
	"github.com/wideswe/wideswe/pipeline/sandbox"
	"github.com/wideswe/wideswe/pipeline/sandbox/dockertest"
	"github.com/wideswe/wideswe/pipeline/testrun"
	"github.com/wideswe/wideswe/pipeline/testscope"
	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
	"github.com/wideswe/wideswe/pipeline/toolchain/registry"
)

// siblings is a target whose gold asks for a release of its sibling that came after
// base, and a registry that has it.
type siblings struct {
	base, gold map[string]kit.Map // by repository: o/app, o/lib
	hidden     string             // the test of o/app
	registry   map[string][]byte
	env        map[string]string
}

// zipped is an archive of small files, in the order of their names.
func zipped(t *testing.T, files map[string]string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		f, err := w.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(f, files[name]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// backend builds editable installs with nothing but Python.
const backend = `import pathlib, zipfile

def get_requires_for_build_editable(config_settings=None):
    return []

def build_editable(folder, config_settings=None, metadata_directory=None):
    name, version, requires = pathlib.Path("facts").read_text().splitlines()
    info = f"{name}-{version}.dist-info"
    files = {
        name + ".pth": str(pathlib.Path.cwd()),
        info + "/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n" + (f"Requires-Dist: {requires}\n" if requires else ""),
        info + "/WHEEL": "Wheel-Version: 1.0\nGenerator: x\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    files[info + "/RECORD"] = "".join(f"{f},,\n" for f in files) + info + "/RECORD,,\n"
    wheel = f"{name}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(pathlib.Path(folder) / wheel, "w") as z:
        for f, text in files.items():
            z.writestr(f, text)
    return wheel
`

func pythonSiblings(t *testing.T) siblings {
	project := func(name, version, requires string) kit.Map {
		list := ""
		if requires != "" {
			list = "\"" + requires + "\""
		}
		return kit.Map{"backend.py": backend, "facts": name + "\n" + version + "\n" + requires + "\n", name +
			".py": "one = 1\n",
			"pyproject.toml": fmt.Sprintf("[build-system]\nrequires = []\nbuild-backend = \"backend\"\nbackend-path = "+
				"[\".\"]\n[project]\nname = %q\nversion = %q\ndependencies = [%s]\n", name, version, list)}
	}
	app := func(requires string) kit.Map {
		m := project("acme_app", "1", requires)
		m["test_app.py"] = "import acme_lib\n\n\ndef test_app():\n    pass\n"
		return m
	}
	lib := project("acme_lib", "1.0", "")
	s := siblings{hidden: "test_app.py", base: map[string]kit.Map{"o/lib": lib, "o/app": app("acme_lib>=1")},
		gold:     map[string]kit.Map{"o/lib": lib, "o/app": app("acme_lib>=2")},
		registry: map[string][]byte{}, env: map[string]string{"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": "/opt/registry"}}
	for _, w := range []string{"acme_lib-1.0", "acme_lib-2.0", "setuptools-80.0", "wheel-0.45", "pytest-9.0"} {
		name, version, _ := strings.Cut(w, "-")
		info := w + ".dist-info/"
		s.registry["/opt/registry/"+w+"-py3-none-any.whl"] = zipped(t, map[string]string{name + ".py": "of = \"" + version +
			"\"\n",
			info + "METADATA": "Metadata-Version: 2.1\nName: " + name + "\nVersion: " + version + "\n",
			info + "WHEEL":    "Wheel-Version: 1.0\nGenerator: x\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
			info + "RECORD":   name + ".py,,\n" + info + "METADATA,,\n" + info + "WHEEL,,\n" + info + "RECORD,,\n"})
	}
	return s
}

func goSiblings(t *testing.T) siblings {
	const mod = "module example.org/lib\n\ngo 1.21\n"
	lib := kit.Map{"go.mod": mod, "lib.go": "package lib\n\nconst One = 1\n"}
	app := func(version string) kit.Map {
		return kit.Map{"go.mod": "module example.org/app\n\ngo 1.21\n\nrequire example.org/lib " + version + "\n",
			"app_test.go": "package app\n\nimport (\n\t\"testing\"\n\n\t\"example.org/lib\"\n)\n\nfunc TestApp(t *testing.T) " +
				"{ _ = lib.One }\n"}
	}
	s := siblings{hidden: "app_test.go", base: map[string]kit.Map{"o/lib": lib, "o/app": app("v1.0.0")},
		gold:     map[string]kit.Map{"o/lib": lib, "o/app": app("v1.2.0")},
		registry: map[string][]byte{}, env: map[string]string{"GOPROXY": "file:///opt/registry", "GONOSUMDB": "*",
			"GOSUMDB": "off", "GOFLAGS": "-mod=mod"}}
	for _, v := range []string{"v1.0.0", "v1.2.0"} {
		at := "/opt/registry/example.org/lib/@v/" + v
		s.registry[at+".info"], s.registry[at+".mod"] = []byte(`{"Version":"`+v+`"}`), []byte(mod)
		s.registry[at+".zip"] = zipped(t, map[string]string{"example.org/lib@" + v + "/go.mod": mod, "example.org/lib@" + v +
			"/lib.go": "package lib\n\nconst Of = \"" + v + "\"\n"})
	}
	return s
}

func layWorkspace(t *testing.T, trees map[string]kit.Map) string {
	t.Helper()
	root := t.TempDir()
	for repository, tree := range trees {
		for name, text := range tree {
			file := filepath.Join(root, repository, name)
			if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	return root
}

// TestDependenciesHoldNoReleaseOfASibling: gold asks for a release of its sibling
// that came after base. With the sibling's tree wired in, no layer of the real image
// has it, in whatever cache; without, it is there, and is found.
func TestDependenciesHoldNoReleaseOfASibling(t *testing.T) {
	testscope.NotShort(t, "it installs Debian's Python and Go")
	d, image := dockertest.Open(t)
	for _, c := range []struct {
		name   string
		of     siblings
		before string // the release that base may have
	}{{"python", pythonSiblings(t), "1.0"}, {"go", goSiblings(t), "v1.0.0"}} {
		t.Run(c.name, func(t *testing.T) {
			base, gold := layWorkspace(t, c.of.base), layWorkspace(t, c.of.gold)
			recipe, _, ok := registry.Detect(c.of.base["o/app"], c.of.hidden)
			if !ok || recipe.Toolchain != c.name {
				t.Fatalf("detected %+v", recipe)
			}
			runner := &testrun.Runner{Backend: d, Images: map[string]string{"debian:trixie": image},
				Limits: sandbox.Limits{Timeout: 20 * time.Minute}, BuildEnv: c.of.env, BuildFiles: c.of.registry}
			for _, wired := range []bool{true, false} {
				q := testrun.ImageRequest{Repository: "o/app", Recipe: recipe, BaseWorkspace: base, GoldWorkspace: gold,
					HiddenFiles: []string{c.of.hidden}, Task: "t"}
				if wired {
					q.Siblings = []string{"o/lib"}
				}
				img, err := runner.EnsureImage(t.Context(), q)
				var failed *sandbox.BuildError
				if errors.As(err, &failed) && len(img.Layers) == 1 {
					t.Skipf("Debian's packages can't be had: %v", err)
				}
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() {
					for _, l := range slices.Backward(img.Layers[1:]) {
						_ = d.RemoveImage(context.WithoutCancel(t.Context()), l.ID)
					}
				})
				secrets := leak.Secrets{Managers: registry.Packages()}
				if err := secrets.AddPackages("o/lib", filepath.Join(base, "o/lib")); err != nil {
					t.Fatal(err)
				}
				layers := func(ctx context.Context, visit func(string, *tar.Header, io.Reader) error) error {
					return d.Layers(ctx, img.ID, img.Layers[0].ID, visit)
				}
				found, err := secrets.Image(t.Context(), layers, func(_ context.Context, repository, version string) (before,
					known bool, err error) {
					return version == c.before, repository == "o/lib", nil
				})
				if err != nil {
					t.Fatal(err)
				}
				if wired && len(found) > 0 || !wired && len(found) == 0 {
					t.Errorf("wired %v: found %q", wired, found)
				}
			}
		})
	}
}
