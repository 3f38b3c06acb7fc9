package balance

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/wideswe/wideswe/schema"
)

// Task is what the choice is made by.
type Task struct {
	ID, Ecosystem, Kind, ChangeType string
	Targets                         int
	Ineligible                      string // why it can't be in a release, '' eligible
}

// Choice is the word on one task.
type Choice struct {
	Task     string
	Selected bool
	Pinned   bool
	Position int // from 1 among the selected, in the order of choosing
	Reason   string
}

// The weights of the choice. A first task of an ecosystem that forwards fields is
// worth as much as the fifth runtime change of another.
const (
	substantive     = 40 // runtime, protocol, schema, sdk
	ordinary        = 20
	sameEcosystem   = 10 // off for each selected task of the ecosystem
	sameKindOfThere = 5  // off again where it changes the same sort of thing
	sameChange      = 1  // off for each chosen task that changes the same sort of thing
	mostSameChange  = 10 // never enough to put field forwarding first
)

// Choose says of every task whether it is in the release: pins first; all of the
// scarcer kind; of the other kind as many, those with the most targets first and
// among equals the one that adds most variety, one after the other. The answer
// lists the selected in order, then the rest by id.
func Choose(tasks []Task, pins schema.Pins) []Choice {
	c := chooser{pins: pins, ecosystems: map[string]int{}, there: map[[2]string]int{}, changes: map[string]int{}}
	pools := map[string][]Task{}
	for _, t := range sorted(tasks) {
		switch {
		case t.Ineligible != "":
			c.leave(t, slices.Contains(pins.Include, t.ID), "not eligible: "+t.Ineligible)
		case slices.Contains(pins.Exclude, t.ID):
			c.leave(t, true, "pinned out in selection.yaml")
		default:
			pools[t.Kind] = append(pools[t.Kind], t)
		}
	}
	scarce, plenty := schema.Bugfix, schema.Feature
	if len(pools[plenty]) < len(pools[scarce]) {
		scarce, plenty = plenty, scarce
	}
	n := len(pools[scarce])
	switch {
	case n == 0:
		c.takeAll(pools[plenty], fmt.Sprintf("all %d kept: there are no tasks of kind %s to balance against",
			len(pools[plenty]), scarce))
	case n == len(pools[plenty]):
		c.takeAll(pools[scarce], fmt.Sprintf("all %d kept: both kinds have as many", n))
		c.takeAll(pools[plenty], fmt.Sprintf("all %d kept: both kinds have as many", n))
	default:
		c.takeAll(pools[scarce], fmt.Sprintf("all %d of the scarcer kind %s are kept", n, scarce))
		c.pick(pools[plenty], n)
	}
	slices.SortFunc(c.left, func(a, b Choice) int { return cmp.Compare(a.Task, b.Task) })
	return append(c.taken, c.left...)
}

func sorted(tasks []Task) []Task {
	return slices.SortedFunc(slices.Values(tasks), func(a, b Task) int { return cmp.Compare(a.ID, b.ID) })
}

type chooser struct {
	pins        schema.Pins
	taken, left []Choice
	ecosystems  map[string]int    // selected tasks of each
	there       map[[2]string]int // of each ecosystem and change type
	changes     map[string]int    // of each change type
}

func (c *chooser) leave(t Task, pinned bool, reason string) {
	c.left = append(c.left, Choice{Task: t.ID, Pinned: pinned, Reason: reason})
}

func (c *chooser) take(t Task, pinned bool, reason string) {
	c.taken = append(c.taken, Choice{t.ID, true, pinned, len(c.taken) + 1, reason})
	c.ecosystems[t.Ecosystem]++
	c.there[[2]string{t.Ecosystem, t.ChangeType}]++
	c.changes[t.ChangeType]++
}

func (c *chooser) takeAll(pool []Task, reason string) {
	for _, t := range pool {
		if slices.Contains(c.pins.Include, t.ID) {
			c.take(t, true, "pinned in selection.yaml")
		} else {
			c.take(t, false, reason)
		}
	}
}

// pick takes n of the pool, the pinned ones whatever n is.
func (c *chooser) pick(pool []Task, n int) {
	var rest []Task
	for _, t := range pool {
		if slices.Contains(c.pins.Include, t.ID) {
			c.take(t, true, "pinned in selection.yaml")
			n--
		} else {
			rest = append(rest, t)
		}
	}
	for ; n > 0 && len(rest) > 0; n-- {
		best := 0
		for i := range rest {
			if c.before(rest[i], rest[best]) {
				best = i
			}
		}
		score, why := c.score(rest[best])
		c.take(rest[best], false, fmt.Sprintf("%d targets; score %d: %s", rest[best].Targets, score, why))
		rest = slices.Delete(rest, best, best+1)
	}
	for _, t := range rest {
		score, why := c.score(t)
		c.leave(t, false, fmt.Sprintf("the kinds are in balance without it; %d targets; score %d at the end: %s", t.Targets,
			score, why))
	}
}

// before says that a is chosen before b; the pool is in the order of ids, so ties
// fall to the smaller one.
func (c *chooser) before(a, b Task) bool {
	if a.Targets != b.Targets {
		return a.Targets > b.Targets
	}
	x, _ := c.score(a)
	y, _ := c.score(b)
	return x > y
}

// score weighs what a task would add to what is selected so far.
func (c *chooser) score(t Task) (int, string) {
	change := cmp.Or(t.ChangeType, "other")
	total := weight(change)
	why := []string{fmt.Sprintf("%s change %d", change, total)}
	off := func(points int, what string) {
		if points > 0 {
			total -= points
			why = append(why, fmt.Sprintf("%s −%d", what, points))
		}
	}
	off(sameEcosystem*c.ecosystems[t.Ecosystem], fmt.Sprintf("%s is there %d times", t.Ecosystem,
		c.ecosystems[t.Ecosystem]))
	off(sameKindOfThere*c.there[[2]string{t.Ecosystem, t.ChangeType}], "with such a change")
	off(min(mostSameChange, sameChange*c.changes[t.ChangeType]), "such changes elsewhere")
	return total, strings.Join(why, ", ")
}

func weight(change string) int {
	switch change {
	case "runtime", "protocol", "schema", "sdk":
		return substantive
	case "forwarding":
		return 0
	}
	return ordinary
}
