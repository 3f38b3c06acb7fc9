// Package synthetic makes pulls that no one wrote, for figures of speed: a
// hundred ecosystems of thousands of repositories, with the lengths, templates,
// code, programs and references that pulls of such ecosystems have. The same seed
// makes the same pulls, each by itself and in any order, so that a corpus of any
// size needs little memory. It knows no table; what is measured is for others.
package synthetic

import (
	"fmt"
	"math"
	"math/rand/v2"
	"time"
)

// ecosystems is how many there are, as in the paper.
const ecosystems = 103

// Since is when the earliest pull merged.
var Since = time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)

// window is the time in which all pulls merged.
const window = 630 * 24 * time.Hour

// Repository is one of the corpus. Its pulls are numbered from 1 in the order of
// their times.
type Repository struct {
	ID        int64
	Name      string // owner/name
	Ecosystem string
	Pulls     int

	owner, short string
	first, count int // the pulls of its ecosystem's repositories: place in Corpus.Repositories
}

// Pull is one pull.
type Pull struct {
	Number                     int
	Title, Body                string
	Author, AuthorType         string
	Labels                     []string
	HeadRef, BaseRef           string
	MergeCommit, Base, Head    string
	Created, Updated, Finished time.Time
	Merged                     bool
}

// Corpus is the repositories and the plan of who names whom.
type Corpus struct {
	Repositories []Repository
	seed         uint64
	size         int
	plan         map[key][]mention
	words        *words
}

type key struct {
	repository int // place in Corpus.Repositories
	number     int
}

// New makes a corpus of about as many pulls.
func New(pulls int, seed uint64) *Corpus {
	c := &Corpus{seed: seed, plan: map[key][]mention{}}
	r := rand.New(rand.NewPCG(seed, 1))
	c.words = newWords(r)
	c.makeRepositories(r, pulls)
	c.makePlan(r)
	return c
}

// Ecosystems lists their names.
func (c *Corpus) Ecosystems() (names []string) {
	for i, r := range c.Repositories {
		if i == 0 || c.Repositories[i-1].Ecosystem != r.Ecosystem {
			names = append(names, r.Ecosystem)
		}
	}
	return names
}

// Size is the number of pulls.
func (c *Corpus) Size() int { return c.size }

// makeRepositories shares the pulls out: a few ecosystems and, in each, a few
// repositories have most of them.
func (c *Corpus) makeRepositories(r *rand.Rand, pulls int) {
	shares := zipf(ecosystems, 0.8)
	for e, share := range shares {
		owner := c.words.name(r) + fmt.Sprint(e)
		of := float64(pulls) * share
		n := min(8+int(math.Sqrt(of)/2), max(2, int(of/4)))
		first := len(c.Repositories)
		for i, part := range zipf(n, 1.1) {
			short := c.words.name(r) + "-" + c.words.name(r) + fmt.Sprint(i)
			c.Repositories = append(c.Repositories, Repository{Name: owner + "/" + short, Ecosystem: owner,
				Pulls: max(1, int(of*part)), owner: owner, short: short, first: first, count: n})
			c.size += c.Repositories[len(c.Repositories)-1].Pulls
		}
	}
	// A number tells nothing of where a repository stands among the others.
	for i, n := range r.Perm(len(c.Repositories)) {
		c.Repositories[i].ID = int64(1000 + n*7)
	}
}

// zipf gives n falling shares that sum to one.
func zipf(n int, s float64) []float64 {
	shares, sum := make([]float64, n), 0.0
	for i := range shares {
		shares[i] = 1 / math.Pow(float64(i+2), s)
		sum += shares[i]
	}
	for i := range shares {
		shares[i] /= sum
	}
	return shares
}

// rand gives the random numbers of one pull.
func (c *Corpus) rand(k key) *rand.Rand {
	return rand.New(rand.NewPCG(c.seed<<32|uint64(k.repository), uint64(k.number)))
}

// mergedAt is when a pull ended: the numbers are spread over the window.
func (c *Corpus) mergedAt(k key) time.Time {
	part := float64(k.number) / float64(c.Repositories[k.repository].Pulls+1)
	return Since.Add(time.Duration(part * float64(window))).Truncate(time.Second)
}

// Pull makes the pull of a repository, given by its place, with this number.
func (c *Corpus) Pull(repository, number int) Pull {
	k := key{repository, number}
	r := c.rand(k)
	at := c.mergedAt(k)
	p := Pull{Number: number, BaseRef: "main", Base: sha(r), Head: sha(r), MergeCommit: c.commit(k), Finished: at,
		Created: at.Add(-time.Duration(r.ExpFloat64()*72) * time.Hour),
		Updated: at.Add(time.Duration(r.IntN(3600)) * time.Second),
		Labels:  []string{}, AuthorType: "User", Merged: r.IntN(20) > 0}
	mentions := c.plan[k]
	if len(mentions) > 0 {
		p.Merged = true
	}
	w := writer{words: c.words, r: r, repository: &c.Repositories[repository]}
	if len(mentions) == 0 && r.IntN(100) < 14 {
		w.program(&p)
	} else {
		w.person(&p, mentions)
	}
	if r.IntN(4) == 0 {
		p.Labels = []string{"kind/" + c.words.pick(r)}
	}
	return p
}

// commit is the merge commit of a pull, which mentions may name.
func (c *Corpus) commit(k key) string {
	return sha(rand.New(rand.NewPCG(c.seed, uint64(k.repository)<<32|uint64(k.number))))
}

func sha(r *rand.Rand) string {
	const digits = "0123456789abcdef"
	var b [40]byte
	for i := 0; i < len(b); i += 10 {
		for j, x := 0, r.Uint64(); j < 10; j, x = j+1, x>>4 {
			b[i+j] = digits[x&15]
		}
	}
	return string(b[:])
}
