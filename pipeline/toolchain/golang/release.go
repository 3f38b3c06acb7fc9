package golang

import (
	"go/version"
	"path"
	"regexp"
	"strings"

	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
	"github.com/wideswe/wideswe/schema"
)

// The Go that the distribution of the plain image has.
const (
	distroGo    = "1.24"
	distroPatch = "1.24.4"
)

// wantedGo is the Go that a tree asks for.
type wantedGo struct {
	version, from string // as it is written, and where
	// release is the release to fetch, as GOTOOLCHAIN names it, "" where the
	// distribution's will do; releaseFrom says what chose it.
	release, releaseFrom string
}

// goWanted is the version that the go lines ask for, else the one CI uses. A
// toolchain line is a wish: it chooses the release only where one has to be
// fetched anyway.
func goWanted(t kit.Tree, mods []goModule) wantedGo {
	var w wantedGo
	var chosen goModule
	for _, m := range mods {
		if m.file.Go != nil && (m.dir == "." || mods[0].dir != ".") && newer(m.file.Go.Version, w.version) {
			w.version, w.from = m.file.Go.Version, path.Join(m.dir, "go.mod")+" says go "+m.file.Go.Version
			chosen = m
		}
	}
	ci, file := ciVersion(t)
	switch {
	case w.version == "" && ci != "":
		w.version, w.from = ci, file
	case w.version == "":
		w.version, w.from = distroGo, "nothing says"
	case ci != "":
		w.from += "; " + file + " uses " + ci
	}
	if !newer(w.version, distroPatch) {
		return w
	}
	w.release, w.releaseFrom = fullRelease(w.version), "go line"
	if chosen.file == nil {
		w.releaseFrom = file
	} else if line := chosen.file.Toolchain; line != nil && fullName.MatchString(line.Name) && version.Compare(line.Name,
		w.release) >= 0 {
		w.release, w.releaseFrom = line.Name, "toolchain line"
	}
	return w
}

func newer(a, b string) bool { return version.Compare("go"+a, "go"+b) > 0 }

// fullName matches the releases that the go command can fetch.
var fullName = regexp.MustCompile(`^go1\.\d{1,3}(?:\.\d{1,3}|(?:rc|beta)\d{1,3})$`)

// fullRelease is the first release of a version: since Go 1.21 the language
// version 1.N begins with the release 1.N.0.
func fullRelease(v string) string {
	if fullName.MatchString("go" + v) {
		return "go" + v
	}
	return version.Lang("go"+v) + ".0"
}

var (
	ciGoLine    = regexp.MustCompile(`(?m)go-version\b.*$|golang:\S*`)
	ciGoVersion = regexp.MustCompile(`\b1\.\d+(?:\.\d+)?\b`)
)

// ciVersion finds the newest version that a CI file names.
func ciVersion(t kit.Tree) (found, file string) {
	for _, name := range t.Files() {
		ci := strings.HasPrefix(name, ".github/workflows/") || name == ".gitlab-ci.yml" || strings.HasPrefix(name,
			".circleci/") || name == "Dockerfile" || name == ".travis.yml"
		if !ci {
			continue
		}
		for _, line := range ciGoLine.FindAllString(kit.Read(t, name), 50) {
			for _, v := range ciGoVersion.FindAllString(line, 20) {
				if newer(v, found) {
					found, file = v, name
				}
			}
		}
	}
	return found, file
}

// releaseLines put the recipe's Go on PATH. An image's own Go comes before the
// distribution's package, and stays where it is as new as the wanted release.
// Else that release is fetched as a module into the cache (during setup, with the
// network on) and found there later. It goes on PATH, since the go command would
// ask the checksum database for it again, which the phases without network turn off.
func releaseLines(r schema.Recipe) (lines []string) {
	for _, pkg := range r.Packages {
		if v, ok := strings.CutPrefix(pkg, "golang-"); ok {
			bin := "/usr/lib/go-" + v + "/bin"
			lines = append(lines, "if [ -d "+kit.Quote(bin)+" ] && ! command -v go >/dev/null; then export PATH="+kit.Quote(bin)+
				`:"$PATH"; fi`)
		}
	}
	release := r.Env["GOTOOLCHAIN"]
	if !fullName.MatchString(release) {
		return lines
	}
	return append(lines,
		"here=$(cd / && GOTOOLCHAIN=local go env GOVERSION)",
		`if [ "$(printf '%s\n' "$here" `+release+` | sort -V | tail -n 1)" != "$here" ]; then`,
		"  release=$(cd / && GOTOOLCHAIN="+release+" go env GOROOT)",
		`  export PATH="$release/bin:$PATH"`,
		"fi",
		"export GOTOOLCHAIN=local")
}
