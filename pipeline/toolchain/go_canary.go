package toolchain

import (
	"crypto/sha256"
	"encoding/hex"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strings"

	"github.com/wideswe/wideswe/schema"
)

// Canary is a group of tests that a plan adds to one report. Nobody but the
// runner knows which of them pass and which are skipped, so a program that writes
// its results itself can only guess.
type Canary struct {
	// File is the report that holds them, With the files that it is read with.
	File string
	With []string
	// Want is what each has to end with, by its name.
	Want map[string]schema.TestOutcome
}

// canaries is how many tests a canary has: a guess is right once in about 2^8.
const canaries = 8

// CanaryOff is the recipe's environment variable that, set to off, leaves the
// canaries out: for a package whose TestMain chooses by itself what runs.
const CanaryOff = "WIDESWE_CANARY"

// goCanary is one package's canary: a file of tests that only an overlay of the
// build puts into the package, ahead of all its others, so that they ran whatever
// the others do. The tree holds nothing of it.
type goCanary struct {
	Canary
	names []string
	setup []string // shell lines
	flag  string
}

// newGoCanary makes the canary of a package; ok is false where there can be none.
func newGoCanary(j Job, g GoPackage, report string) (c goCanary, ok bool) {
	if j.Canary == "" || g.Package == "" || j.Recipe.Env[CanaryOff] == "off" || strings.Trim(quote(g.Dir), "'") != quote(g.Dir) {
		return goCanary{}, false
	}
	seed := sha256.Sum256([]byte(j.Canary + "\x00" + report))
	secret := hex.EncodeToString(seed[:])
	c = goCanary{Canary: Canary{File: report + ".json", Want: map[string]schema.TestOutcome{}}}
	pass := int(seed[30]) % canaries
	skip := (pass + 1 + int(seed[31])%(canaries-1)) % canaries
	// An alias, since the package may call something of its own testing.
	text := []string{"package " + g.Package, `import wideswe` + secret[:8] + ` "testing"`}
	for i := range canaries {
		name, want, body := "TestZ"+secret[4*i:4*i+12], schema.Pass, ""
		if i != pass && (i == skip || seed[29]&(1<<i) != 0) {
			want, body = schema.Skip, " t.Skip() "
		}
		c.Want[name] = want
		c.names = append(c.names, name)
		text = append(text, "func "+name+"(t *wideswe"+secret[:8]+".T) {"+body+"}")
	}
	source, list := under("WIDESWE_TMP", "canary/"+report+".go"), under("WIDESWE_TMP", "canary/"+report+".json")
	// Digits sort before letters: these are the package's first tests.
	place := under("WIDESWE_REPO", path.Join(g.Dir, "0wideswe_x"+secret[:12]+"_test.go"))
	c.setup = []string{
		`mkdir -p "$WIDESWE_TMP"/canary`,
		"printf '%s\\n' " + quoteAll(text) + " >" + source,
		`printf '{"Replace":{"%s":"%s"}}\n' ` + place + " " + source + " >" + list,
	}
	c.flag = " -overlay=" + list
	return c, true
}

// run adds the canary's tests to the pattern of -run. They come first: a Go before
// 1.20 takes what follows a slash for the subtests of all that stands before it.
func (c goCanary) run(pattern string) string {
	return "^(" + strings.Join(c.names, "|") + ")$|" + pattern
}

// canaryPackage is the package whose tests run first in a folder: the package
// itself where it has tests, since its tests precede those of its external test
// package, which is named where there is no other.
func (s *goSelection) canaryPackage(g GoPackage) string {
	external := ""
	for _, name := range s.testFiles(g.Dir) {
		t := s.parse(name)
		if t.left != "" || slices.ContainsFunc(t.tags, func(tag string) bool { return !contains(g.Tags, tag) }) {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, read(s.tree, name), parser.PackageClauseOnly)
		if err != nil {
			continue
		}
		if !strings.HasSuffix(file.Name.Name, "_test") {
			return file.Name.Name
		}
		external = file.Name.Name
	}
	return external
}
