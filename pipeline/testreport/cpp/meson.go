package cpp

import (
	"path"
	"strings"

	"github.com/wideswe/wideswe/pipeline/testreport"
	"github.com/wideswe/wideswe/pipeline/testreport/tap"
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
var mesonWords = map[string]schema.TestOutcome{
	"OK": schema.Pass, "EXPECTEDFAIL": schema.Pass, "SKIP": schema.Skip,
	"FAIL": schema.Fail, "UNEXPECTEDPASS": schema.Fail,
}

// meson reads the tests of one program that meson ran.
func (p *reader) meson(r record) {
	if len(r.Tests) == 0 {
		p.b.Problem(r.unit(), testreport.Crashed, "meson's log has no test of it\n"+r.Log)
		return
	}
	from := p.b.Position()
	for _, t := range r.Tests {
		name, within := t.Name, ""
		if r.Unit == "" {
			name = path.Join(t.Suite, name)
		}
		if len(r.Tests) > 1 || r.Unit == "" {
			within = name + "/"
		}
		if t.Protocol == "tap" {
			p.mesonTAP(t, name, tap.Source{Unit: r.unit(), Within: within})
			continue
		}
		outcome, known := mesonWords[t.Result]
		if !known {
			outcome = schema.Error
		}
		p.b.Add(p.b.ID(r.unit(), name), outcome, 0, strings.TrimSpace(t.Result+"\n"+t.Out+t.Err))
	}
	if found := p.b.Since(from); len(found.Problems) == 0 {
		p.checkCode(r, "meson", found.Failed())
	}
}

// mesonTAP reads what a program wrote in TAP, and holds it against meson's word.
func (p *reader) mesonTAP(t mesonTest, name string, from tap.Source) {
	start := p.b.Position()
	tap.Read(p.b, t.Out, from)
	found := p.b.Since(start)
	switch word := mesonWords[t.Result]; {
	case t.Result == "TIMEOUT" || t.Result == "INTERRUPT":
		p.b.Problem(from.Unit, testreport.Cut, "meson says "+t.Result+" of "+name+"\n"+t.Err)
	case word != schema.Pass && word != schema.Skip && found.Failed() == 0 && len(found.Problems) == 0:
		p.b.Problem(from.Unit, testreport.UnitFailed,
			"meson says "+t.Result+" of "+name+", and none of its tests failed\n"+t.Err)
	}
}
