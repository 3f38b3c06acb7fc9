package guard

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
	"github.com/wideswe/wideswe/pipeline/toolchain/registry"
	"github.com/wideswe/wideswe/schema"
)

// inlineBack puts the tests inside a kept file back that are neither base's nor gold's.
func (in *inspection) inlineBack(d Decision) Decision {
	text := readFile(in.Changed, d.Path)
	if d.New || text == nil {
		return d
	}
	base, gold := inlineTests(d.Path, readFile(in.Base, d.Path)), inlineTests(d.Path, readFile(in.Gold, d.Path))
	own := inlineTests(d.Path, text)
	var list []replacement
	for _, name := range slices.Concat(base.names, gold.without(base)) {
		if r, needed := replaceInline(name, base, gold, own); needed {
			list = append(list, r)
		}
	}
	if len(list) == 0 {
		return d
	}
	d = d.back(schema.DeviationPutBack, "the tests inside it")
	d.Decision, d.Restored = PartBack, replaceAll(text, list)
	return d
}

// inlined are the tests inside one version of a file.
type inlined struct {
	text   []byte
	names  []string // in the order of the file
	byName map[string]kit.InlineTest
}

func inlineTests(file string, text []byte) inlined {
	f := inlined{text: text, byName: map[string]kit.InlineTest{}}
	if text == nil {
		return f
	}
	for _, t := range registry.InlineTests(file, text) {
		if _, twice := f.byName[t.Name]; !twice {
			f.names = append(f.names, t.Name)
			f.byName[t.Name] = t
		}
	}
	return f
}

// without are the names that another version has not.
func (f inlined) without(other inlined) (names []string) {
	for _, n := range f.names {
		if _, there := other.byName[n]; !there {
			names = append(names, n)
		}
	}
	return names
}

// replacement is a text that takes the place of a part of a file.
type replacement struct {
	begin, end int
	text       []byte
}

// replaceInline tells whether the prediction's version of a test is neither base's nor
// gold's, nor one of them with more tests of its own, and what takes its place.
func replaceInline(name string, base, gold, own inlined) (replacement, bool) {
	was, atBase := base.byName[name]
	becomes, atGold := gold.byName[name]
	is, there := own.byName[name]
	if there && (atBase && (is.Same(was) || is.Extends(was)) || atGold && (is.Same(becomes) || is.Extends(becomes))) {
		return replacement{}, false
	}
	if !there && (!atBase || !atGold || was.Examples) {
		return replacement{}, false // gold goes without it too, or nobody asked for it
	}
	from, t := base, was
	if !atBase || atGold && namesNew(is, was, becomes) {
		from, t = gold, becomes
	}
	r := replacement{begin: is.Begin, end: is.End, text: from.text[t.Begin:t.End]}
	if !there {
		r.begin, r.end = len(own.text), len(own.text)
		r.text = slices.Concat([]byte("\n"), r.text, []byte("\n"))
	}
	return r, true
}

// namesNew tells whether the prediction has a test that gold adds: a listed test may be
// that one.
func namesNew(is, was, becomes kit.InlineTest) bool {
	return slices.ContainsFunc(becomes.Items, func(i kit.InlineTest) bool {
		_, old := was.Has(i.Name)
		_, mine := is.Has(i.Name)
		return i.Own && mine && !old
	})
}

// replaceAll makes the replacements, which do not overlap.
func replaceAll(text []byte, list []replacement) []byte {
	slices.SortFunc(list, func(a, b replacement) int { return cmp.Compare(a.begin, b.begin) })
	var out bytes.Buffer
	at := 0
	for _, r := range list {
		if r.begin < at {
			continue
		}
		out.Write(text[at:r.begin])
		out.Write(r.text)
		at = r.end
	}
	out.Write(text[at:])
	return out.Bytes()
}
