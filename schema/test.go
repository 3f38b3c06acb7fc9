package schema

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// TestOutcome is the outcome of one test in one run.
type TestOutcome string

// The outcomes. Missing is the zero value, so that a test without a report never
// counts as a pass.
const (
	Missing TestOutcome = ""
	Pass    TestOutcome = "pass"
	Fail    TestOutcome = "fail"
	Error   TestOutcome = "error"
	Skip    TestOutcome = "skip"
	NotRun  TestOutcome = "not_run"
)

// TestResult is one test's result in one run.
type TestResult struct {
	ID      string      `json:"id"`
	Outcome TestOutcome `json:"outcome"`
	// Message is the end of what the test printed when it did not pass.
	Message string  `json:"message,omitempty"`
	Seconds float64 `json:"seconds,omitempty"`
}

// Class compares a test's outcomes on base and gold; the package comment defines
// the classes.
type Class string

// The classes.
const (
	F2P         Class = "F2P"
	P2P         Class = "P2P"
	F2F         Class = "F2F"
	P2F         Class = "P2F"
	S2P         Class = "S2P"
	SkippedTest Class = "skipped"
	Unstable    Class = "unstable"
	Unsettled   Class = "unsettled"
	GoldMissing Class = "gold_missing"
)

// MaxTestID is the length limit of a test id in bytes.
const MaxTestID = 1000

// TestID returns a test's id by the grammar in the package comment. repeat is 1 for
// the first appearance in a run.
func TestID(unit, name string, repeat int) string {
	unit = strings.ReplaceAll(cleanID(unit), "::", ":")
	id := unit + "::" + cleanID(name)
	if repeat > 1 {
		id += fmt.Sprintf(" #%d", repeat)
	}
	if len(id) > MaxTestID {
		sum := sha256.Sum256([]byte(id))
		cut := id[:MaxTestID-20]
		for !utf8.ValidString(cut) {
			cut = cut[:len(cut)-1]
		}
		id = cut + "…" + hex.EncodeToString(sum[:8])
	}
	return id
}

// SplitTestID splits an id into its unit and the rest.
func SplitTestID(id string) (unit, name string) {
	unit, name, _ = strings.Cut(id, "::")
	return unit, name
}

func cleanID(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	var b strings.Builder
	for _, r := range s {
		if unicode.IsControl(r) {
			fmt.Fprintf(&b, `\x%02x`, r)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}
