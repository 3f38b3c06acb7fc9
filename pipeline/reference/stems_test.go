package reference

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/wideswe/wideswe/pipeline/testscope"
)

// The stems are a short cut: they never hide a match. Sentences are made of the
// words that the expressions hold, whole and cut.
func TestStemsHideNoMatch(t *testing.T) {
	var vocabulary []string
	for _, c := range append([]cue{{Contrast, contrast}}, cues...) {
		for _, w := range strings.FieldsFunc(c.before.String(),
			func(r rune) bool { return strings.ContainsRune(`\b(?:|)[]*+{},^$. `, r) }) {
			vocabulary = append(vocabulary, w, w+"s", w+"ed", w+"ing")
		}
	}
	vocabulary = append(vocabulary, "on", "of", "from", "with", "in", "by", "to", "don't", "dont", "doesn’t", "does not",
		"no longer", "the", "issue",
		"back-port", "cherry-pick", "client-side", "follow-up", "sub-task of", "main with", "based on lessons from", "breaks",
		"broken since", "ui part", ":", "(")
	r := rand.New(rand.NewPCG(3, 4))
	matched := map[Relation]int{}
	for range testscope.Times(75_000, 150_000) {
		var b strings.Builder
		for range 1 + r.IntN(4) {
			b.WriteString(vocabulary[r.IntN(len(vocabulary))])
			b.WriteByte(" -"[r.IntN(12)/11])
		}
		s := b.String()
		for _, c := range append([]cue{{Contrast, contrast}}, cues...) {
			if c.before.MatchString(s) {
				matched[c.relation]++
				if !mayMatch(c.relation, s) {
					t.Fatalf("%s matches %q, which holds none of its stems", c.relation, s)
				}
			}
		}
	}
	for _, c := range append([]cue{{Contrast, contrast}}, cues...) {
		if matched[c.relation] < 5 {
			t.Errorf("%s was matched %d times", c.relation, matched[c.relation])
		}
	}
}

func TestOwnStemHidesNoMatch(t *testing.T) {
	vocabulary := strings.Fields("close closes Closed fix fixes FIXED resolve resolves resolved part of tracked in by " +
		"sub issue issues bug bugs sub-issue subtask task toward towards epic parent the see suffix cloſe iſſue : ( [ - _ " +
		", 12")
	r := rand.New(rand.NewPCG(5, 6))
	matched := 0
	for range testscope.Times(40_000, 200_000) {
		var b strings.Builder
		for range 1 + r.IntN(5) {
			b.WriteString(vocabulary[r.IntN(len(vocabulary))])
			b.WriteString([...]string{"", " ", " ", " ", "\n", "\t", "  "}[r.IntN(7)])
		}
		s := b.String()
		if ownClosing.MatchString(s) || ownPart.MatchString(s) {
			matched++
			if !ownStem(s) {
				t.Fatalf("%q matches", s)
			}
		}
	}
	if matched < 10_000 {
		t.Errorf("%d matched", matched)
	}
}
