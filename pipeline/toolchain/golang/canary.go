package golang

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strings"

	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
	"github.com/wideswe/wideswe/schema"
)

// goCanary is one package's canary: a file of tests that only an overlay of the
// build puts into the package, ahead of all its others, so that they ran whatever
// the others do. The tree holds nothing of it.
type goCanary struct {
	kit.Canary
	names []string
	setup []string // shell lines
	flag  string
}

// newGoCanary makes the canary of a package; ok is false where there can be none.
func newGoCanary(j kit.Job, g kit.Unit, report string) (c goCanary, ok bool) {
	if j.Canary == "" || g.First == "" || j.Recipe.Env[kit.CanaryOff] == "off" || strings.Trim(kit.Quote(g.Dir),
		"'") != kit.Quote(g.Dir) {
		return goCanary{}, false
	}
	// Digits sort before letters, and these letters behind all others: the package's
	// first tests, and its last.
	first := newGoCanaryFile(j.Canary, report, g, g.First, "0wideswe_x")
	files := []goCanaryFile{first}
	c = goCanary{Canary: kit.Canary{File: report + ".json", Want: first.want}, names: first.names}
	if g.Last != "" {
		// In parallel, so that those of the repository that are begin before them.
		last := newGoCanaryFile(j.Canary, report+" last", g, g.Last, "zzzzwideswe_x")
		for i := 2; i < len(last.text); i++ {
			last.text[i] = strings.Replace(last.text[i], "T) {", "T) { t.Parallel();", 1)
		}
		files, c.Last, c.names = append(files, last), last.want, append(c.names, last.names...)
	}
	list := kit.Under("WIDESWE_TMP", "canary/"+report+".json")
	replace, places := []string{}, []string{}
	c.setup = []string{`mkdir -p "$WIDESWE_TMP"/canary`}
	for i, f := range files {
		source := kit.Under("WIDESWE_TMP", "canary/"+report+"-"+string(rune('a'+i))+".go")
		c.setup = append(c.setup, "printf '%s\\n' "+kit.QuoteAll(f.text)+" >"+source)
		replace, places = append(replace, `"%s":"%s"`), append(places, f.place, source)
	}
	c.setup = append(c.setup, `printf '{"Replace":{`+strings.Join(replace, ",")+`}}\n' `+strings.Join(places, " ")+" >"+
		list)
	c.flag = " -overlay=" + list
	return c, true
}

// goCanaryFile is one file of a canary's tests.
type goCanaryFile struct {
	place string // where the package has it
	text  []string
	names []string
	want  map[string]schema.TestOutcome
}

func newGoCanaryFile(key, of string, g kit.Unit, clause, begin string) goCanaryFile {
	seed := sha256.Sum256([]byte(key + "\x00" + of))
	secret := hex.EncodeToString(seed[:])
	// An alias, since the package may call something of its own testing.
	f := goCanaryFile{want: map[string]schema.TestOutcome{}, text: []string{"package " + clause, `import wideswe` +
		secret[:8] + ` "testing"`},
		place: kit.Under("WIDESWE_REPO", path.Join(g.Dir, begin+secret[:12]+"_test.go"))}
	pass := int(seed[30]) % kit.CanarySize
	skip := (pass + 1 + int(seed[31])%(kit.CanarySize-1)) % kit.CanarySize
	for i := range kit.CanarySize {
		name, want, body := "TestZ"+secret[4*i:4*i+12], schema.Pass, ""
		if i != pass && (i == skip || seed[29]&(1<<i) != 0) {
			want, body = schema.Skip, " t.Skip() "
		}
		f.want[name] = want
		f.names = append(f.names, name)
		f.text = append(f.text, "func "+name+"(t *wideswe"+secret[:8]+".T) {"+body+"}")
	}
	return f
}

// run adds the canary's tests to the pattern of -run. They come first: a Go before
// 1.20 takes what follows a slash for the subtests of all that stands before it.
func (c goCanary) run(pattern string) string {
	return "^(" + strings.Join(c.names, "|") + ")$|" + pattern
}

// canaryPackages are the packages whose tests run first and last in a folder: the
// package itself and, where there is one, its external test package, whose tests
// follow.
func (s *goSelection) canaryPackages(g kit.Unit) (first, last string) {
	for _, name := range s.testFiles(g.Dir) {
		t := s.parse(name)
		if t.left != "" || slices.ContainsFunc(t.tags, func(tag string) bool { return !slices.Contains(g.Tags, tag) }) {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, kit.Read(s.tree, name), parser.PackageClauseOnly)
		if err != nil {
			continue
		}
		if strings.HasSuffix(file.Name.Name, "_test") {
			last = file.Name.Name
		} else {
			first = file.Name.Name
		}
	}
	return cmp.Or(first, last), cmp.Or(last, first)
}
