package junit

import (
	"bytes"
	"encoding/json"
	"path"
	"strings"

	"github.com/wideswe/wideswe/pipeline/testreport"
	"github.com/wideswe/wideswe/schema"
)

// ListenerExt is the extension of the file beside a report in which a plugin of the
// toolchain's names pytest's tests: all that were collected, and each as it begins, passes
// and ends. It is written line by line, and so tells of a pytest that died, too. It says
// no outcome that counts: those are the report's.
const ListenerExt = ".lines"

// listener is what the plugin wrote of one pytest.
type listener struct {
	collected bool // the collection came to its end
	items     []string
	done      map[string]bool
	running   string // the test that began last and did not end
	passed    bool   // it did, in its own body
	ended     bool   // the session came to its end
}

// heardOf reads the listener's lines: [word, node id]. ok is false where there are none.
func heardOf(data []byte) (l listener, ok bool) {
	l.done = map[string]bool{}
	for line := range bytes.Lines(data) {
		var said [2]string
		if json.Unmarshal(line, &said) != nil {
			continue
		}
		ok = true
		switch said[0] {
		case "item":
			if len(l.items) < testreport.MaxResults {
				l.items = append(l.items, said[1])
			}
		case "collected":
			l.collected = true
		case "begin":
			l.running, l.passed = said[1], false
		case "passed":
			l.passed = true
		case "done":
			l.done[said[1]], l.running = true, ""
		case "end":
			l.ended = true
		}
	}
	return l, ok
}

// readListener takes what the listener knows beyond a report that was read: the tests
// that pytest did not come to. Without a listener nothing proves that it ran them all.
func readListener(b *testreport.Builder, name string, from testreport.Position) {
	l, ok := heardOf(b.Files[strings.TrimSuffix(name, path.Ext(name))+ListenerExt])
	switch {
	case !ok && !hasListener(b.Files):
		b.NoUnits()
		return
	case !ok:
		b.Open(name, "pytest ended before it loaded the toolchain's plugin")
		return
	case !l.ended && !l.collected:
		b.Open(name, "pytest ended before it had collected its tests")
		return
	}
	reported := map[string]bool{}
	for _, t := range b.Since(from).Results {
		reported[t.ID] = true
	}
	l.addOthers(b, reported, "")
}

// addOthers adds the collected tests that have no result, and says that there are no more.
func (l listener) addOthers(b *testreport.Builder, reported map[string]bool, log string) {
	units, seen := map[string]bool{}, map[string]bool{}
	for _, item := range l.items {
		unit, test, _ := strings.Cut(item, "::")
		units[unit] = true
		// What ended and is not reported the report names otherwise: a test inherited from another file.
		if otherwise := reported != nil && l.done[item]; otherwise || seen[item] || reported[b.FirstID(unit, test)] {
			continue
		}
		seen[item] = true
		l.add(b, unit, test, item, log)
	}
	for unit := range units {
		b.Listed(unit)
	}
}

// add adds a test that has no result. The one that ran when pytest died is to blame,
// unless its own body had passed: then what came after it is.
func (l listener) add(b *testreport.Builder, unit, test, item, log string) {
	id := b.ID(unit, test)
	switch {
	case item != l.running:
		b.Add(id, schema.NotRun, 0, "interrupted: pytest ended before this test did")
	case l.passed:
		b.MarkDied(id)
		b.Add(id, schema.NotRun, 0, "pytest ended in what follows the test\n"+log)
	default:
		b.MarkDied(id)
		b.Add(id, schema.Error, 0, log)
	}
}

// died reads a pytest that left no report; ok is false where nothing was heard of it.
func (l listener) died(b *testreport.Builder, report, log string) (ok bool) {
	if !l.collected {
		return false
	}
	l.addOthers(b, nil, log)
	unit := report
	if l.running != "" {
		unit, _, _ = strings.Cut(l.running, "::")
	}
	b.Problem(unit, testreport.Crashed, log)
	return true
}

func hasListener(files map[string][]byte) bool {
	for name := range files {
		if path.Ext(name) == ListenerExt {
			return true
		}
	}
	return false
}
