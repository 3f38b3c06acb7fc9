package synthetic

import (
	"math/bits"
	"math/rand/v2"
	"strings"
)

// words is a vocabulary: common words first, then made ones.
type words struct{ list []string }

const common = `the a to of in and is for this that it with be on as are not if from by or we an when which will can have
	has should but was use now only also add new fix test tests error value return default option config client server
	request response support change code build update file files type function call case check make set get more than
	one same used instead after before between without there where because so no does do into all any some other current
	version release branch commit pull issue log path key name list map string number time user data field table row`

// vocabulary is how many words there are; its lesser half is made of syllables.
const vocabulary = 4096

func newWords(r *rand.Rand) *words {
	w := &words{list: strings.Fields(common)}
	for len(w.list) < vocabulary {
		w.list = append(w.list, w.name(r))
	}
	return w
}

// name makes a word that can be spoken.
func (w *words) name(r *rand.Rand) string {
	const consonants, vowels = "bcdfghklmnprstvw", "aeiou"
	var b strings.Builder
	for range 2 + r.IntN(3) {
		b.WriteByte(consonants[r.IntN(len(consonants))])
		b.WriteByte(vowels[r.IntN(len(vowels))])
		if r.IntN(3) == 0 {
			b.WriteByte("nrslt"[r.IntN(5)])
		}
	}
	return b.String()
}

// at gives the word for a random number: the early ones come far more often.
func (w *words) at(x uint64) string {
	halvings := 2 * bits.TrailingZeros64(x>>20|1<<2) // 0, 2 or 4
	return w.list[(x&0xfffff)%uint64(len(w.list)>>halvings)]
}

// pick gives a rarer word.
func (w *words) pick(r *rand.Rand) string { return w.list[r.IntN(len(w.list))] }

// author is one of two thousand accounts.
func (w *words) author(r *rand.Rand) string { return w.list[100+r.IntN(2000)] + "dev" }
