package leak_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wideswe/wideswe/pipeline/leak"
	"github.com/wideswe/wideswe/pipeline/toolchain/registry"
	"github.com/wideswe/wideswe/pipeline/workspace"
)

const (
	oldCode = "package lib\n\n// Word is what the library says when asked.\nfunc Word() string { return \"bye\" }\n"
	newCode = "package lib\n\n// Word is what the library says when asked.\nfunc Word() string { return \"hello\" }\n"
	hidden  = "package lib\n\nimport \"testing\"\n\nfunc TestWordIsKind(t *testing.T) { if Word() != \"hello\" { " +
		"t.Fail() } }\n"
)

func lay(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		p := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

var baseFiles = map[string]string{"go.mod": "module example.org/lib\n\ngo 1.24\n", "lib.go": oldCode,
	"pyproject.toml":  "[project]\nname = \"The_Lib\"\n",
	"js/package.json": `{"name": "@o/lib"}`, "crate/Cargo.toml": "[package]\nname = \"lib-rs\"\n",
	"java/pom.xml": "<project><parent><artifactId>up</artifactId></parent><artifactId>lib-java</artifactId></project>"}

func secrets(t *testing.T) *leak.Secrets {
	t.Helper()
	base := lay(t, baseFiles)
	gold := lay(t, map[string]string{"lib.go": newCode, "lib_test.go": hidden, "go.mod": baseFiles["go.mod"], "tiny": "x"})
	s := &leak.Secrets{Managers: registry.Packages()}
	if err := s.AddTree("o/lib", base, gold); err != nil {
		t.Fatal(err)
	}
	if err := s.AddPackages("o/lib", base); err != nil {
		t.Fatal(err)
	}
	s.AddWord("TestWordIsKind", "a hidden test of o/lib")
	s.AddWord("test", "too short to tell anything")
	return s
}

// Each kind of leak that a repository can have is planted, alone.
func TestRepositoryFindsEachPlantedLeak(t *testing.T) {
	git := func(t *testing.T, dir string, args ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "git", append([]string{"-C", dir, "-c", "user.name=x", "-c",
			"user.email=x@localhost"}, args...)...)
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	put := func(t *testing.T, dir, name, text string) {
		t.Helper()
		p := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name  string
		plant func(t *testing.T, dir string)
		want  string // "" nothing is found
	}{
		{"clean", func(*testing.T, string) {}, ""},
		{"a future object", func(t *testing.T, dir string) {
			put(t, dir, "x", newCode)
			git(t, dir, "hash-object", "-w", "x")
			_ = os.Remove(filepath.Join(dir, "x"))
		}, "is o/lib/lib.go as it is after the change"},
		{"another object", func(t *testing.T, dir string) {
			put(t, dir, "x", "something else")
			git(t, dir, "hash-object", "-w", "x")
			_ = os.Remove(filepath.Join(dir, "x"))
		}, "is a blob that the workspace's commit does not have"},
		{"a pack", func(t *testing.T, dir string) {
			put(t, dir, "lib.go", newCode)
			git(t, dir, "commit", "-qam", "gold")
			git(t, dir, "repack", "-adq")
			git(t, dir, "reset", "-q", "--hard", "HEAD~1")
			_ = os.RemoveAll(filepath.Join(dir, ".git", "logs"))
			_ = os.Remove(filepath.Join(dir, ".git", "ORIG_HEAD"))
		}, "is a commit that the workspace's commit does not have"},
		{"a tag", func(t *testing.T, dir string) { git(t, dir, "tag", "v2") }, "ref refs/tags/v2: is no branch"},
		{"a second branch", func(t *testing.T, dir string) { git(t, dir, "branch", "other") }, "is a second branch"},
		{"a reflog", func(t *testing.T, dir string) {
			put(t, dir, ".git/logs/HEAD", strings.Repeat("a", 40)+" "+strings.Repeat("b", 40)+" x <x> 0 +0000\tpull: gold\n")
		}, "reflog .git/logs/HEAD: names the commit " + strings.Repeat("a", 40)},
		{"history", func(t *testing.T, dir string) { git(t, dir, "commit", "-q", "--allow-empty", "-m", "two") },
			"has 2 commits"},
		{"a remote", func(t *testing.T, dir string) { git(t, dir, "remote", "add", "origin", "elsewhere") },
			"sets remote.origin.url"},
		{"alternates", func(t *testing.T, dir string) { put(t, dir, ".git/objects/info/alternates", "\n") },
			"leads to objects elsewhere"},
		{"a fetched head", func(t *testing.T, dir string) { put(t, dir, ".git/FETCH_HEAD", "") }, "names fetched commits"},
		{"a file of gold under another name", func(t *testing.T, dir string) { put(t, dir, "old/copy.txt", newCode) },
			"old/copy.txt: is o/lib/lib.go"},
		{"a hidden test", func(t *testing.T, dir string) { put(t, dir, "lib_test.go", hidden) },
			"lib_test.go: is o/lib/lib_test.go"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := lay(t, baseFiles)
			if _, err := workspace.CommitOne(t.Context(), dir); err != nil {
				t.Fatal(err)
			}
			c.plant(t, dir)
			found, err := secrets(t).Repository(t.Context(), dir, "o/lib")
			if err != nil {
				t.Fatal(err)
			}
			check(t, found, c.want)
		})
	}
}

func check(t *testing.T, found []leak.Finding, want string) {
	t.Helper()
	var all []string
	for _, f := range found {
		all = append(all, f.String())
	}
	text := strings.Join(all, "\n")
	if want == "" && text != "" || !strings.Contains(text, want) {
		t.Errorf("found %q, want %q", text, want)
	}
}

func zipped(t *testing.T, name, text string) string {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, err := z.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.WriteString(w, text)
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func tarball(t *testing.T, name, text string) string {
	var b bytes.Buffer
	g := gzip.NewWriter(&b)
	w := tar.NewWriter(g)
	if err := w.WriteHeader(&tar.Header{Name: name, Size: int64(len(text)), Mode: 0o644}); err != nil {
		t.Fatal(err)
	}
	_, _ = io.WriteString(w, text)
	_, _ = w.Close(), g.Close()
	return b.String()
}

func TestImageFindsEachPlantedLeak(t *testing.T) {
	const site = "home/wideswe/.cache/wideswe/venv/lib/python3.13/site-packages/"
	for _, c := range []struct {
		name  string
		files map[string]string
		want  string
	}{
		{"clean", map[string]string{"usr/bin/x": "x", "home/wideswe/go/pkg/mod/example.org/other@v1.0.0/a.go": newCode[:60]},
			""},
		{"a file of gold", map[string]string{"opt/a": newCode}, "opt/a: is o/lib/lib.go"},
		{"a hidden test", map[string]string{"opt/a": hidden}, "is o/lib/lib_test.go"},
		{"a tree", map[string]string{"workspace/o/lib/lib.go": oldCode}, "is a file of a repository's tree"},
		{"a module of the fixed release", map[string]string{"home/wideswe/go/pkg/mod/example.org/lib@v1.1.0/other.go": "x"},
			"is example.org/lib v1.1.0"},
		{"a module's archive", map[string]string{"home/wideswe/go/pkg/mod/cache/download/example.org/lib/@v/v1.1.0.zip": "PK"}, "is example.org/lib v1.1.0"},
		{"a module of before", map[string]string{"home/wideswe/go/pkg/mod/example.org/lib@v1.0.0/other.go": "x"}, ""},
		{"a module's list of versions", map[string]string{"home/wideswe/go/pkg/mod/cache/download/example.org/lib/@v/v1.1.0.mod": "x"}, ""},
		{"gold inside a module's archive", map[string]string{"home/x/pkg/mod/cache/download/example.org/fork/@v/v9.9.9.zip": zipped(t, "fork@v9.9.9/lib.go", newCode)}, `holds "fork@v9.9.9/lib.go"`},
		{"site-packages", map[string]string{site + "the_lib-1.1.0.dist-info/METADATA": "x"}, "is the-lib 1.1.0"},
		{"an editable install", map[string]string{site + "the_lib-1.1.0.dist-info/METADATA": "x", site +
			"the_lib-1.1.0.dist-info/direct_url.json": `{"dir_info": {"editable": true}, "url": "file:///workspace/o/lib"}`},
			""},
		{"gold copied into site-packages", map[string]string{site + "lib/__init__.py": newCode},
			"site-packages/lib/__init__.py: is o/lib/lib.go"},
		{"a wheel", map[string]string{"root/.cache/the_lib-1.1.0-py3-none-any.whl": zipped(t, "lib/a.py", newCode)},
			`holds "lib/a.py"`},
		{"node_modules", map[string]string{"home/x/node_modules/@o/lib/package.json": `{"version": "1.1.0"}`},
			"is @o/lib 1.1.0"},
		{"npm's cache", map[string]string{"home/x/.npm/_cacache/content-v2/sha512/aa/bb/cc": tarball(t, "package/index.js",
			newCode)}, `holds "package/index.js"`},
		{"a crate", map[string]string{"home/x/registry/src/index-1/lib-rs-1.1.0/Cargo.toml": "x"}, "is lib-rs 1.1.0"},
		{"Maven's repository", map[string]string{"home/x/.m2/repository/org/lib-java/1.1.0/lib-java-1.1.0.jar": "x"},
			"is lib-java 1.1.0"},
		{"a version nobody knows", map[string]string{"home/wideswe/go/pkg/mod/example.org/lib@v7.0.0/other.go": "x"}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			layers := func(_ context.Context, visit func(string, *tar.Header, io.Reader) error) error {
				for name, text := range c.files {
					if err := visit("layer", &tar.Header{Name: name, Size: int64(len(text)), Typeflag: tar.TypeReg},
						strings.NewReader(text)); err != nil {
						return err
					}
				}
				return nil
			}
			released := func(_ context.Context, repository, version string) (bool, bool, error) {
				version = strings.TrimPrefix(version, "v")
				return version == "1.0.0", version != "7.0.0" && repository == "o/lib", nil
			}
			found, err := secrets(t).Image(t.Context(), layers, released)
			if err != nil {
				t.Fatal(err)
			}
			check(t, found, c.want)
		})
	}
}

func TestTextFindsHiddenNames(t *testing.T) {
	s := secrets(t)
	check(t, s.Text("prompt", "Make `TestWordIsKind` pass, please test it."),
		"prompt: names TestWordIsKind, a hidden test of o/lib")
	check(t, s.Text("prompt", "The word should be kind. Add a test."), "")
}

func FuzzImage(f *testing.F) {
	f.Add("a.zip", []byte("PK\x03\x04"))
	f.Add("x/registry/cache/i/lib-rs-1.crate", []byte("\x1f\x8b\x08"))
	f.Add("pkg/mod/cache/download/example.org/!x/@v/v1.0.0.zip", []byte("{}"))
	s := &leak.Secrets{Managers: registry.Packages(), Packages: []leak.Package{{Manager: "npm", Name: "a",
		Repository: "o/a"}, {Manager: "go", Name: "example.org/X", Repository: "o/x"}}}
	f.Fuzz(func(t *testing.T, name string, data []byte) {
		layers := func(_ context.Context, visit func(string, *tar.Header, io.Reader) error) error {
			return visit("layer", &tar.Header{Name: name, Size: int64(len(data)), Typeflag: tar.TypeReg}, bytes.NewReader(data))
		}
		_, err := s.Image(t.Context(), layers, func(context.Context, string, string) (bool, bool, error) {
			return false, true,
				nil
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}
