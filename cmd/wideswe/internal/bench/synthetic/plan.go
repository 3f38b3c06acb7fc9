package synthetic

import (
	"fmt"
	"math/rand/v2"
)

// mention is a text that a pull's body holds.
type mention struct {
	text     string
	title    string // replaces the pull's, '' does not
	backport bool
}

// Shares of the pulls, in ten thousands.
const (
	pairs    = 520 // name a pull of another repository of the ecosystem
	loose    = 60  // name an issue or commit of one
	outside  = 150 // name something of another ecosystem
	trackers = 2   // issues that many pulls are part of
	shared   = 8   // issues that two or three pulls of several repositories close
	hubs     = 1   // pulls that name pulls of many repositories
)

// makePlan decides who names whom.
func (c *Corpus) makePlan(r *rand.Rand) {
	share := func(n int) int { return max(1, c.size*n/10_000) }
	for range share(pairs) {
		c.planPair(r)
	}
	for range share(loose) {
		a := c.anyPull(r)
		b := c.sibling(r, a, false)
		c.say(a, looseForm(r, c.named(b), c.commit(b)))
	}
	for range share(outside) {
		a, b := c.anyPull(r), c.anyPull(r)
		c.say(a, "See "+written(r, c.named(b)))
	}
	for range share(trackers) {
		c.planTracker(r, 8+r.IntN(30), "Part of")
	}
	for range share(shared) {
		c.planTracker(r, 2+r.IntN(2), "Fixes")
	}
	for range share(hubs) {
		a := c.anyPull(r)
		for range 8 + r.IntN(5) {
			c.say(a, "- "+written(r, c.named(c.sibling(r, a, true))))
		}
	}
}

// target is a pull or issue by its name.
type target struct {
	owner, short string
	number       int
}

func (c *Corpus) named(k key) target {
	r := &c.Repositories[k.repository]
	return target{r.owner, r.short, k.number}
}

func (c *Corpus) say(k key, text string) { c.plan[k] = append(c.plan[k], mention{text: text}) }

// planPair lets a pull name one of another repository: most merged within days
// and with a word that tells, some name each other, some are brought to an older
// branch again.
func (c *Corpus) planPair(r *rand.Rand) {
	a := c.anyPull(r)
	b := c.sibling(r, a, r.IntN(10) < 7)
	if a.repository == b.repository {
		return
	}
	c.say(a, relation(r)+written(r, c.named(b)))
	if r.IntN(6) == 0 {
		c.say(b, relation(r)+written(r, c.named(a)))
	}
	if r.IntN(50) == 0 {
		c.planBackport(r, a, b)
	}
}

func (c *Corpus) planBackport(r *rand.Rand, a, b key) {
	title := "Let the client retry with " + c.words.pick(r) + " " + c.words.pick(r)
	again := key{a.repository, min(a.number+1+r.IntN(9), c.Repositories[a.repository].Pulls)}
	other := key{b.repository, min(b.number+1+r.IntN(9), c.Repositories[b.repository].Pulls)}
	if again == a || other == b {
		return
	}
	c.plan[a] = append(c.plan[a], mention{"Needs " + full(c.named(b)), title, false})
	c.plan[b] = append(c.plan[b], mention{"Needed by " + full(c.named(a)), title, false})
	c.plan[again] = append(c.plan[again], mention{"Depends on " + full(c.named(other)), "[release-1.4] " + title, true})
	c.plan[other] = append(c.plan[other], mention{"Companion: " + full(c.named(again)), "[release-1.4] " + title, true})
}

func (c *Corpus) planTracker(r *rand.Rand, pulls int, word string) {
	issue := c.anyPull(r)
	for range pulls {
		k := c.sibling(r, issue, true)
		if k.repository != issue.repository {
			c.say(k, word+" "+written(r, c.named(issue)))
		}
	}
}

// anyPull chooses one of all pulls, each as likely.
func (c *Corpus) anyPull(r *rand.Rand) key {
	for {
		i := r.IntN(len(c.Repositories))
		repo := &c.Repositories[i]
		// The first of an ecosystem is its largest.
		if n := 1 + r.IntN(c.Repositories[repo.first].Pulls); n <= repo.Pulls || r.IntN(40) == 0 {
			return key{i, 1 + r.IntN(repo.Pulls)}
		}
	}
}

// sibling chooses a pull of another repository of the ecosystem, near in time or
// at any.
func (c *Corpus) sibling(r *rand.Rand, k key, near bool) key {
	repo := &c.Repositories[k.repository]
	i := repo.first + int(float64(repo.count)*r.Float64()*r.Float64()) // the larger ones more often
	n := c.Repositories[i].Pulls
	if !near {
		return key{i, 1 + r.IntN(n)}
	}
	at := float64(k.number) / float64(repo.Pulls+1) * float64(n+1)
	days := r.NormFloat64() * 5 / 630 * float64(n)
	return key{i, min(n, max(1, int(at+days)))}
}

func relation(r *rand.Rand) string {
	words := [...]string{"Depends on ", "Companion: ", "Requires ", "See also ", "Related to ", "Follow-up to ", "Needs ",
		"See ", "", "",
		"cc ", "Similar to ", "This is the server side of ", "Blocked by ", "Regression from ", "Reverts "}
	return words[r.IntN(len(words))]
}

func full(t target) string {
	return fmt.Sprintf("https://github.com/%s/%s/pull/%d", t.owner, t.short, t.number)
}

// written is a pull as people write it.
func written(r *rand.Rand, t target) string {
	switch n := r.IntN(100); {
	case n < 46:
		return fmt.Sprintf("https://github.com/%s/%s/pull/%d", t.owner, t.short, t.number)
	case n < 86:
		return fmt.Sprintf("%s/%s#%d", t.owner, t.short, t.number)
	case n < 91:
		return fmt.Sprintf("[the other half](https://github.com/%s/%s/pull/%d/files)", t.owner, t.short, t.number)
	case n < 94:
		return fmt.Sprintf("https://github.com/%s/%s/issues/%d", t.owner, t.short, t.number)
	case n < 96:
		return fmt.Sprintf("%s#%d", t.short, t.number)
	case n < 98:
		return fmt.Sprintf("`%s/%s#%d`", t.owner, t.short, t.number)
	}
	return fmt.Sprintf("\n> %s/%s#%d\n", t.owner, t.short, t.number)
}

func looseForm(r *rand.Rand, t target, sha string) string {
	switch r.IntN(3) {
	case 0:
		return fmt.Sprintf("Since %s/%s@%s this fails.", t.owner, t.short, sha[:10])
	case 1:
		return fmt.Sprintf("Introduced in https://github.com/%s/%s/commit/%s", t.owner, t.short, sha)
	}
	return fmt.Sprintf("Closes https://github.com/%s/%s/issues/%d", t.owner, t.short, t.number)
}
