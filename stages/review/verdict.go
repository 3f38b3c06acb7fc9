package review

import (
	"fmt"
	"slices"
	"strings"

	"github.com/wideswe/wideswe/schema"
)

// verdict is what all reviews of a candidate come to.
type verdict struct{ State, Kind, Pattern, Reason string }

// decide sums up a candidate's reviews. Stale ones never count beside fresh ones:
// they judged other pulls.
func decide(j *judged) verdict {
	if j.Excluded != "" {
		return verdict{State: schema.Rejected, Reason: "exclude.yaml: " + j.Excluded}
	}
	if len(j.Reviews) == 0 {
		return verdict{State: schema.Unreviewed}
	}
	fresh := freshest(j.Reviews)
	if len(fresh) == 0 {
		return verdict{schema.Stale, common(j.Reviews, kindOf), common(j.Reviews, patternOf), staleReason(j)}
	}
	verdicts := distinct(fresh, func(r schema.Review) string { return r.Verdict })
	switch kinds := distinct(fresh, kindOf); {
	case len(verdicts) > 1:
		return verdict{State: schema.Disputed, Reason: "verdicts differ: " +
			who(fresh, func(r schema.Review) string { return r.Verdict })}
	case verdicts[0] == schema.Reject:
		return verdict{State: schema.Rejected, Kind: common(fresh, kindOf), Reason: strings.Join(distinct(fresh,
			func(r schema.Review) string { return r.Reason }), "; ")}
	case len(kinds) > 1:
		return verdict{State: schema.Disputed, Reason: "kinds differ: " + who(fresh, kindOf)}
	}
	return verdict{schema.Accepted, fresh[0].Kind, common(fresh, patternOf), note(fresh)}
}

// freshest keeps each reviewer's latest word on the present pulls: a file written
// for an older id may say the same or something else.
func freshest(reviews []schema.Review) []schema.Review {
	var out []schema.Review
	for _, r := range reviews {
		at := slices.IndexFunc(out, func(o schema.Review) bool { return o.Reviewer == r.Reviewer })
		switch {
		case r.Stale:
		case at < 0:
			out = append(out, r)
		case r.ReviewedAt.After(out[at].ReviewedAt):
			out[at] = r
		}
	}
	return out
}

func kindOf(r schema.Review) string    { return r.Kind }
func patternOf(r schema.Review) string { return r.Pattern }

// common is the one value that all reviewers who gave any gave, else nothing.
func common(reviews []schema.Review, of func(schema.Review) string) string {
	if values := distinct(reviews, of); len(values) == 1 {
		return values[0]
	}
	return ""
}

func distinct(reviews []schema.Review, of func(schema.Review) string) []string {
	var out []string
	for _, r := range reviews {
		if v := of(r); v != "" && !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	return out
}

func who(reviews []schema.Review, of func(schema.Review) string) string {
	words := make([]string, len(reviews))
	for i, r := range reviews {
		words[i] = r.Reviewer + " " + of(r)
	}
	return strings.Join(words, ", ")
}

func note(reviews []schema.Review) string {
	return strings.Join(distinct(reviews, func(r schema.Review) string { return r.Note }), "; ")
}

// staleReason tells how the pulls differ from those the latest review judged.
func staleReason(j *judged) string {
	last := slices.MaxFunc(j.Reviews, func(a, b schema.Review) int { return a.ReviewedAt.Compare(b.ReviewedAt) })
	added, removed := difference(j.Pulls, last.Pulls), difference(last.Pulls, j.Pulls)
	var parts []string
	if len(added) > 0 {
		parts = append(parts, "now also "+strings.Join(added, ", "))
	}
	if len(removed) > 0 {
		parts = append(parts, "no longer "+strings.Join(removed, ", "))
	}
	return fmt.Sprintf("%s said %s of other pulls (%s); review it again", last.Reviewer, last.Verdict, strings.Join(parts,
		"; "))
}

func difference(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(s string) bool {
		return slices.ContainsFunc(b, func(t string) bool { return strings.EqualFold(s, t) })
	})
}

// shorten cuts a text to some bytes, on one line.
func shorten(s string, most int) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}
