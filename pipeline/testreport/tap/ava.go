package tap

import (
	"regexp"
	"slices"
	"strings"

	"github.com/wideswe/wideswe/pipeline/testreport"
	"github.com/wideswe/wideswe/schema"
)

// avaSays are the points of ava's TAP that are no tests and that its plan leaves
// out, each with what it means.
var avaSays = []struct {
	re   *regexp.Regexp
	kind testreport.Kind
}{
	{regexp.MustCompile(`^No tests found in .+`), testreport.NoTests},
	{regexp.MustCompile(`^.+ exited due to SIG[A-Z0-9]+$`), testreport.Crashed},
	{regexp.MustCompile(`^.+ exited with a non-zero exit code: [0-9]+$`), testreport.UnitFailed},
	{regexp.MustCompile(`^Failed to exit when running .+`), testreport.UnitFailed},
}

var (
	// avaUnloaded are errors that only a file that can't be loaded has.
	avaUnloaded = regexp.MustCompile(`SyntaxError|Cannot find (?:module|package)|ERR_MODULE_NOT_FOUND|` +
		`does not provide an export|Cannot use import statement|ERR_PACKAGE_PATH_NOT_EXPORTED`)
	avaHook  = regexp.MustCompile(`^(?:before|after)(?:Each)?(?:\.always)? hook\b`)
	avaError = regexp.MustCompile(`(?s)(?:^|\n)name: (\S+)\nmessage: (.*?)(?:\nat: [^\n]*)?\s*$`)
)

// outside takes ava's points that are no tests out of a level: errors that no test
// waited for, and processes that ended badly. A failed hook stays, beside the plan.
func (p *parser) outside(level *nesting) {
	kinds := map[*result]testreport.Kind{}
	tests := 0
	for _, r := range level.results {
		switch kind := avaKind(r); {
		case kind != "":
			kinds[r] = kind
		case r.outcome == schema.Fail && avaHook.MatchString(r.name) && strings.Contains(r.message.String(), "name: "):
			r.outcome = schema.Error
			level.seen--
		default:
			tests++
		}
	}
	var said testreport.Tail
	exited := false
	defer func() {
		if p.remaining {
			p.b.Open(p.Unit, "ava stopped at a failure")
		}
		if exited && !(tests == 0 && avaUnloaded.MatchString(said.String())) {
			p.b.Open(p.Unit, "its process ended badly")
		}
	}()
	for _, r := range level.results {
		kind, outside := kinds[r]
		if !outside {
			continue
		}
		if kind == testreport.UnitFailed && tests == 0 {
			kind = testreport.CollectionError
		}
		p.problem(kind, r.name+"\n"+r.message.String())
		if said.Add(r.name + "\n" + r.message.String()); kind != testreport.NoTests {
			exited = true
		}
		level.seen--
		p.none = nil
	}
	level.results = slices.DeleteFunc(level.results, func(r *result) bool { return kinds[r] != "" })
}

// avaKind says what a point means that is no test, "" of a test.
func avaKind(r *result) testreport.Kind {
	if r.outcome != schema.Fail {
		return ""
	}
	for _, s := range avaSays {
		if s.re.MatchString(r.name) {
			return s.kind
		}
	}
	// An error that no test caught is named by itself.
	if m := avaError.FindStringSubmatch(r.message.String()); m != nil {
		said := m[1] + ": " + flat(strings.Trim(strings.TrimLeft(m[2], ">|- \n"), `'"`))
		if title := flat(r.name); strings.HasPrefix(title, m[1]+": ") && strings.HasPrefix(said, title) {
			return testreport.UnitFailed
		}
	}
	return ""
}

// flat writes a text in one line.
func flat(s string) string { return strings.Join(strings.Fields(s), " ") }
