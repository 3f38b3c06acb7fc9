package testreport

import (
	"path"
	"strings"

	"github.com/wideswe/wideswe/schema"
)

// mesonTest is how one test of meson's ended, by meson's own log.
type mesonTest struct {
	Name     string `json:"name"`
	Suite    string `json:"suite"`
	Result   string `json:"result"`
	Protocol string `json:"protocol"`
	Out      string `json:"out"`
	Err      string `json:"err"`
}

// mesonWords: a test that should fail and does is as it should be. What meson says
// otherwise is an error.
var mesonWords = map[string]schema.TestOutcome{"OK": schema.Pass, "EXPECTEDFAIL": schema.Pass, "FAIL": schema.Fail, "UNEXPECTEDPASS": schema.Fail, "SKIP": schema.Skip}

// cppMeson reads the tests of one program that meson ran.
func (b *builder) cppMeson(r cppRecord) {
	unit, bad, problems := cppUnit(r), 0, len(b.report.Problems)
	if len(r.Tests) == 0 {
		b.problem(unit, Crashed, "meson's log has no test of it\n"+r.Log)
		return
	}
	for _, t := range r.Tests {
		name := t.Name
		if r.Unit == "" {
			name = path.Join(t.Suite, name)
		}
		if t.Protocol == "tap" {
			bad += b.mesonTAP(unit, name, t, len(r.Tests) > 1 || r.Unit == "")
			continue
		}
		outcome, known := mesonWords[t.Result]
		if !known {
			outcome = schema.Error
		}
		if outcome == schema.Fail || outcome == schema.Error {
			bad++
		}
		b.add(b.id(unit, name), outcome, 0, strings.TrimSpace(t.Result+"\n"+t.Out+t.Err))
	}
	if len(b.report.Problems) == problems {
		b.cppCode(unit, "meson", r, bad)
	}
}

// mesonTAP reads what a program wrote in TAP, and holds it against meson's word.
func (b *builder) mesonTAP(unit, name string, t mesonTest, several bool) (bad int) {
	p, before, problems := newTAP(b, ""), len(b.report.Results), len(b.report.Problems)
	p.unit = unit
	if several {
		p.within = name + "/"
	}
	p.parse(t.Out)
	for _, x := range b.report.Results[before:] {
		if x.Outcome == schema.Fail || x.Outcome == schema.Error {
			bad++
		}
	}
	switch word := mesonWords[t.Result]; {
	case t.Result == "TIMEOUT" || t.Result == "INTERRUPT":
		b.problem(unit, Cut, "meson says "+t.Result+" of "+name+"\n"+t.Err)
	case word != schema.Pass && word != schema.Skip && bad == 0 && len(b.report.Problems) == problems:
		b.problem(unit, UnitFailed, "meson says "+t.Result+" of "+name+", and none of its tests failed\n"+t.Err)
	}
	return bad
}
