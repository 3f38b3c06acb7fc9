package libtest

import (
	"bytes"
	"path"
	"regexp"
	"strings"

	"github.com/wideswe/wideswe/pipeline/testreport"
	"github.com/wideswe/wideswe/schema"
)

var (
	cargoRunning = regexp.MustCompile(`^\s+Running (?:unittests )?(\S+) \((?:\S*/)?([\w-]+?)-[0-9a-f]{16}(?:\.exe)?\)$`)
	cargoOld     = regexp.MustCompile(`^\s+Running (?:\S*/)?deps/([\w-]+?)-[0-9a-f]{16}$`)
	cargoDoc     = regexp.MustCompile(`^\s+Doc-tests (\S+)$`)
	cargoBroken  = regexp.MustCompile("^error(?:\\[E\\d+\\])?: could not compile `([^`]+)`(.*)$")
	cargoDied    = regexp.MustCompile(`process didn't exit successfully: .*\((signal: .*|exit status: \d+)\)`)
)

// readCargo reads the output of a cargo test of many programs, both streams in
// one. A program names itself before its tests run; while they do, nothing of the
// kind is believed.
func readCargo(b *testreport.Builder, name string, data []byte) {
	f := &cargoFile{b: b, name: name}
	for raw := range bytes.Lines(data) {
		line := strings.TrimRight(testreport.CleanText(string(raw)), "\r\n")
		if f.head(line) {
			continue
		}
		if f.now == nil {
			f.begin(strings.TrimSuffix(name, path.Ext(name)), "all")
		}
		f.now.text.line(line)
	}
	f.close("")
	if f.programs == 0 && !f.unbuilt {
		end := string(data[max(0, len(data)-testreport.MaxMessage):])
		b.Problem(name, testreport.Unreadable, "no test program's output is in it\n"+end)
	}
}

// cargoFile is the state of one file.
type cargoFile struct {
	b        *testreport.Builder
	name     string
	now      *rustProgram
	programs int
	unbuilt  bool
}

// head reads cargo's own lines between programs.
func (f *cargoFile) head(line string) bool {
	if f.now != nil && f.now.text.open() != nil {
		if m := cargoDied.FindStringSubmatch(line); m != nil {
			f.close(m[1])
			return true
		}
		return false
	}
	unit, how := "", "all"
	if m := cargoRunning.FindStringSubmatch(line); m != nil {
		if unit = m[2]; !strings.HasPrefix(m[1], "src/") && !strings.Contains(m[1], "/src/") {
			unit = m[1]
		}
	} else if m := cargoOld.FindStringSubmatch(line); m != nil {
		unit = m[1]
	} else if m := cargoDoc.FindStringSubmatch(line); m != nil {
		unit, how = m[1]+":doc/lib", "doc"
	} else if m := cargoBroken.FindStringSubmatch(line); m != nil {
		f.close("")
		f.unbuilt = true
		f.b.Problem(m[1], testreport.BuildFailed, line)
		return true
	} else {
		return false
	}
	f.close("")
	f.begin(unit, how)
	return true
}

func (f *cargoFile) begin(unit, how string) {
	f.now = &rustProgram{b: f.b, unit: unit, how: how, named: map[string]*rustCase{}, exited: true}
}

// close reports on the program that was read.
func (f *cargoFile) close(died string) {
	p := f.now
	f.now = nil
	if p == nil || len(p.text.sections) == 0 {
		return
	}
	f.programs++
	p.text.flush()
	p.fromText()
	for _, s := range p.text.sections {
		if !s.ended && died == "" {
			p.exited = false
		}
	}
	for _, c := range p.cases {
		if c.outcome == schema.Fail {
			p.exit = 101
		}
	}
	if died != "" {
		p.exit, p.stderr, p.text.ended = 101, died, false
	}
	p.finish()
}
