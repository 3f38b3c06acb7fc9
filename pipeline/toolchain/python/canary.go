package python

import (
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"path"
	"strings"

	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
	"github.com/wideswe/wideswe/schema"
)

// pythonCanary is the canary of one file's pytest: a test file of its own beside it,
// with names like any other's, that is gone when the run ends. Some of its tests
// must fail: who makes failures into passes makes those pass too.
type pythonCanary struct {
	kit.Canary
	file  string // from the repository's root
	lines []string
}

// canaryWords make names that nobody can guess and that look like others do.
var canaryWords = strings.Fields(`account added alias append batch bounds buffer bytes cached called case chain change chunk client
	column compare config copy count create cursor decode default delete depth digest empty encode entry equal error event
	extra field filter first fixed flags format group handle header index inner input insert iter items join keys label
	last
	length level limit lines list load local lower match merge method missing mixed mode name nested none number offset
	option
	order outer output parse path plain point prefix query range read record reset result round scope size slice sort state
	stream string suffix table text timeout token total trim tuple type unique update upper value width write wrap zero`)

// newPythonCanary makes the canary that runs in the process of a test file; ok is
// false where there can be none.
func newPythonCanary(j kit.Job, entry, report string) (c pythonCanary, ok bool) {
	file, _, _ := strings.Cut(entry, "::")
	if j.Canary == "" || path.Ext(file) != ".py" || j.Recipe.Env[kit.CanaryOff] == "off" {
		return pythonCanary{}, false
	}
	chance := rand.New(rand.NewChaCha8(sha256.Sum256([]byte(j.Canary + "\x00" + report))))
	name := func(n int) []string {
		words := make([]string, n)
		for i := range words {
			words[i] = canaryWords[chance.IntN(len(canaryWords))]
		}
		return words
	}
	for {
		c.file = path.Join(path.Dir(file), "test_"+strings.Join(name(3), "_")+".py")
		if !kit.Has(j.Tree, c.file) {
			break
		}
	}
	class := "Test"
	for _, w := range name(3) {
		class += strings.ToUpper(w[:1]) + w[1:]
	}
	c.Canary = kit.Canary{File: report + ".xml", Want: map[string]schema.TestOutcome{}}
	// A class of unittest is collected whatever names the repository has for its own.
	c.lines = []string{"import unittest", "", "", "class " + class + "(unittest.TestCase):"}
	pass := chance.IntN(kit.CanarySize)
	fail := (pass + 1 + chance.IntN(kit.CanarySize-1)) % kit.CanarySize
	for i := 0; len(c.Want) < kit.CanarySize; i++ {
		method := "test_" + strings.Join(name(3), "_")
		if _, twice := c.Want[class+"::"+method]; twice {
			continue
		}
		a, b, want, off := 11+chance.IntN(88), 11+chance.IntN(88), schema.Pass, 0
		if n := len(c.Want); n != pass && (n == fail || chance.IntN(2) == 0) {
			want, off = schema.Fail, 1+chance.IntN(9)
		}
		c.Want[class+"::"+method] = want
		c.lines = append(c.lines, "    def "+method+"(self):", fmt.Sprintf("        self.assertEqual(%d * %d, %d)", a, b, a*b+
			off), "")
	}
	return c, true
}

// around lays the file in for one run and takes it away.
func (c pythonCanary) around(run string) []string {
	place := kit.Under("WIDESWE_REPO", c.file)
	return []string{"printf '%s\\n' " + kit.QuoteAll(c.lines) + " >" + place, run, "rm -f " + place}
}
