package group

import (
	"fmt"
	"regexp"

	"github.com/wideswe/wideswe/pipeline/reference"
)

// Scores. An edge of strong or more holds a candidate together whatever the time
// between its pulls; an edge of less joins where the result stays small.
const (
	personScore     = 9
	reciprocalScore = 3
	bridgeScore     = 3
	strong          = 3
	bareScore       = 1 // a mention, and nothing that the two pulls have in common
)

// relationScore is what a relation word is worth. Words that are not here speak
// against one change.
var relationScore = map[reference.Relation]int{
	reference.DependsOn: 4, reference.Companion: 4, reference.Needs: 4,
	reference.Closes: 2, reference.PicksUp: 2, reference.PortOf: 2, reference.PartOf: 2,
	reference.Mention: 1, reference.FollowUp: 1,
}

// nearDays is how close merges are that speak for one change.
const nearDays = 7

// commonBranch matches head branches that tell nothing.
var commonBranch = regexp.MustCompile(`(?i)^(?:|main|master|develop|dev|trunk|next|patch-?\d*|fix|update|feature|` +
	`test|docs|release.*)$`)

// score weighs every edge.
func (g *graph) score() {
	for _, e := range g.edges {
		e.refused = g.unfit(e)
		if e.person != "" {
			g.scorePerson(e)
			continue
		}
		g.scoreWords(e)
		if e.refused == "" && e.score < strong {
			e.refused = g.revert(e)
		}
		if e.score > 0 || e.alone {
			g.scoreNearness(e)
		}
		// A repository's name without its owner is a guess that two other signs must agree with.
		if e.alone && e.refused == "" && e.score < 2 {
			e.score, e.refused = 0, reference.NameAlone
		}
		if e.refused == "" && e.score < 1 {
			e.refused = "too weak"
		}
	}
}

// unfit says why one of an edge's pulls joins nothing.
func (g *graph) unfit(e *edge) string {
	if why, ok := g.decided.apart[e.pair]; ok {
		return why
	}
	a, b := g.pulls[e.a], g.pulls[e.b]
	for _, p := range []pull{a, b} {
		switch {
		case p.MergedAt == nil:
			return p.Name + " is not merged"
		case e.person != "":
		case reference.BotAuthor(p.Author, p.AuthorType) || reference.BotBranch(p.HeadRef):
			return p.Name + " is a program's"
		case reference.ReleaseTitle(p.Title):
			return p.Name + " is a release"
		case reference.RollupTitle(p.Title):
			return p.Name + " gathers other pulls"
		}
	}
	if x, y := backport(a), backport(b); x != y && e.person == "" {
		if y {
			a = b
		}
		return a.Name + " is a backport"
	}
	return ""
}

// revert says which of an edge's pulls takes something back by its title. A person's
// word that the two belong together weighs more: a feature that moves between
// repositories is a revert in one of them.
func (g *graph) revert(e *edge) string {
	for _, k := range []key{e.a, e.b} {
		if p := g.pulls[k]; reference.RevertTitle(p.Title) {
			return p.Name + " is a revert"
		}
	}
	return ""
}

func backport(p pull) bool { return reference.BackportTitle(p.Title, p.HeadRef) }

func (g *graph) scorePerson(e *edge) {
	e.score, e.strong, e.relation = personScore, true, "person"
	e.reasons = append(e.reasons, e.person)
}

// scoreWords takes the best of what the links say. A link that may not group says
// nothing for the edge; a negative word in one of them speaks against the others'
// plain mentions.
func (g *graph) scoreWords(e *edge) {
	directions := map[key]bool{}
	against, refused, listed := "", "", true
	for _, v := range e.evidence {
		if v.refused == reference.NameAlone {
			e.alone = true
			continue
		}
		if v.refused != "" {
			if refused == "" || v.refused < refused {
				refused = v.refused
			}
			if reference.Relation(v.relation).Negative() {
				against = v.relation
			}
			continue
		}
		n, word := relationScore[reference.Relation(v.relation)], v.relation
		if v.bridge {
			n, word = bridgeScore, v.relation+" "+e.issue
		} else {
			directions[v.from] = true
		}
		listed = listed && v.list
		if n > e.score || n == e.score && (e.relation == "" || v.relation < e.relation) {
			e.score, e.relation, e.reasons = n, v.relation, []string{fmt.Sprintf("%s %d", word, n)}
		}
	}
	if len(directions) == 2 && e.score < reciprocalScore {
		e.score, e.reasons = reciprocalScore, []string{fmt.Sprintf("each names the other %d", reciprocalScore)}
	}
	e.alone = e.alone && e.score == 0 && refused == ""
	switch {
	case e.alone:
		e.relation, e.reasons = firstRelation(e), []string{reference.NameAlone + " 0"}
	case e.score == 0:
		e.relation, e.reasons = firstRelation(e), nil
		if e.refused == "" {
			e.refused = refused
		}
	case against != "" && e.score < strong:
		e.score, e.relation = 0, against
		if e.refused == "" {
			e.refused = "relation " + against
		}
	case listed && e.score > 0:
		e.add(-1, "in a long list")
	}
	e.strong = e.score >= strong
}

func firstRelation(e *edge) string {
	first := string(reference.Mention)
	for _, v := range e.evidence {
		if v.relation != first {
			return v.relation
		}
	}
	return first
}

// scoreNearness adds what the pulls have in common; a long time between the
// merges lowers what is not strong by its words.
func (g *graph) scoreNearness(e *edge) {
	a, b := g.pulls[e.a], g.pulls[e.b]
	if a.Author != "" && fold(a.Author) == fold(b.Author) {
		e.add(1, "same author")
	}
	if a.HeadRef == b.HeadRef && !commonBranch.MatchString(a.HeadRef) {
		e.add(1, "same branch name")
	}
	switch {
	case a.MergedAt == nil || b.MergedAt == nil:
	case e.gapDays <= nearDays:
		e.add(1, fmt.Sprintf("within %d days", nearDays))
	case e.gapDays > float64(g.options.WindowDays) && !e.strong:
		e.add(-2, fmt.Sprintf("%.0f days apart", e.gapDays))
	}
	e.strong = e.strong || e.score >= strong
}

func (e *edge) add(n int, why string) {
	e.score += n
	e.reasons = append(e.reasons, fmt.Sprintf("%s %+d", why, n))
}
