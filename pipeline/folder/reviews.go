package folder

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/schema"
)

const reviewKeys = "candidate, reviewer, verdict (accept or reject), kind (bugfix or feature), pattern " +
	"(producer-consumer or parallel), reason, note, pulls (owner/name#number each), reviewed_at"

const reviewHead = "# One reviewer's verdict on one candidate; wideswe review accept and reject write it.\n"

// ReviewFile is where a review is kept, under the folder.
func ReviewFile(candidate, reviewer string) string {
	return "reviews/" + candidate + "/" + reviewer + ".yaml"
}

// Reviews reads all reviews, in the order of their files. All problems are
// reported at once.
func (f Folder) Reviews() ([]schema.Review, error) {
	dirs, err := f.list("reviews")
	if err != nil {
		return nil, err
	}
	var out []schema.Review
	var problems []error
	for _, dir := range dirs {
		if !dir.IsDir() || dir.Name() == "decisions" {
			continue
		}
		files, err := f.list("reviews/" + dir.Name())
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			if file.IsDir() || !strings.HasSuffix(file.Name(), ".yaml") {
				problems = append(problems, problem("reviews/"+dir.Name()+"/"+file.Name(), 0,
					"is not a review; reviews are named REVIEWER.yaml"))
				continue
			}
			r, err := f.review(dir.Name(), strings.TrimSuffix(file.Name(), ".yaml"))
			if err != nil {
				problems = append(problems, err)
				continue
			}
			out = append(out, r)
		}
	}
	return out, joined(problems)
}

// joined keeps a long list of problems readable.
func joined(problems []error) error {
	const most = 20
	if n := len(problems); n > most {
		problems = append(problems[:most:most], fmt.Errorf("and %d more", n-most))
	}
	return errors.Join(problems...)
}

func (f Folder) review(candidate, reviewer string) (schema.Review, error) {
	name := ReviewFile(candidate, reviewer)
	text, _, err := f.read(name)
	if err != nil {
		return schema.Review{}, err
	}
	var r schema.Review
	if err := decode(name, text, &r, reviewKeys); err != nil {
		return r, err
	}
	r.File, r.ReviewedAt = name, r.ReviewedAt.UTC()
	if r.ReviewedAs != candidate {
		return r, problem(name, lineOf(text, "candidate:"), "candidate is %q; the folder's name says %q", r.ReviewedAs,
			candidate)
	}
	if r.Reviewer != reviewer {
		return r, problem(name, lineOf(text, "reviewer:"), "reviewer is %q; the file's name says %q", r.Reviewer, reviewer)
	}
	if key, err := checkReview(r); err != nil {
		return r, problem(name, lineOf(text, key+":"), "%s", err)
	}
	slices.Sort(r.Pulls)
	return r, nil
}

// lineOf finds the line a key stands on, 0 for none.
func lineOf(text []byte, key string) int {
	for i, line := range strings.Split(string(text), "\n") {
		if strings.HasPrefix(line, key) {
			return i + 1
		}
	}
	return 0
}

// checkReview gives the key that is wrong and why.
func checkReview(r schema.Review) (key string, err error) {
	if err := CheckID(r.ReviewedAs); err != nil {
		return "candidate", err
	}
	if err := CheckReviewer(r.Reviewer); err != nil {
		return "reviewer", err
	}
	switch r.Verdict {
	case schema.Accept:
		if r.Kind != schema.Bugfix && r.Kind != schema.Feature {
			return "kind", fmt.Errorf("kind is %q; an accepted candidate is bugfix or feature", r.Kind)
		}
	case schema.Reject:
		if r.Reason == "" {
			return "reason", errors.New("a rejected candidate needs a reason")
		}
		if r.Kind != "" && r.Kind != schema.Bugfix && r.Kind != schema.Feature {
			return "kind", fmt.Errorf("kind is %q; write bugfix or feature, or leave it out", r.Kind)
		}
	default:
		return "verdict", fmt.Errorf("verdict is %q; write accept or reject", r.Verdict)
	}
	switch r.Pattern {
	case "", schema.ProducerConsumer, schema.Parallel:
	default:
		return "pattern", fmt.Errorf("pattern is %q; write producer-consumer or parallel, or leave it out", r.Pattern)
	}
	if r.ReviewedAt.IsZero() {
		return "reviewed_at", errors.New("reviewed_at is missing; write the time, such as 2025-12-31T12:00:00Z")
	}
	return "pulls", checkPulls(r.Pulls, 2)
}

func checkPulls(pulls []string, least int) error {
	seen := map[string]bool{}
	for _, p := range pulls {
		if err := CheckPull(p); err != nil {
			return err
		}
		if seen[strings.ToLower(p)] {
			return fmt.Errorf("%s is listed twice", p)
		}
		seen[strings.ToLower(p)] = true
	}
	if len(pulls) < least {
		return fmt.Errorf("%d pulls are listed; write at least %d, owner/name#number each", len(pulls), least)
	}
	return nil
}

// CheckReview gives the review as it would be written, or what is wrong with it.
func (f Folder) CheckReview(r schema.Review) (schema.Review, error) {
	r.Reason, r.Note = CleanText(r.Reason), CleanText(r.Note)
	r.Pulls = slices.Sorted(slices.Values(r.Pulls))
	r.ReviewedAt = r.ReviewedAt.UTC().Truncate(time.Second)
	if _, err := checkReview(r); err != nil {
		return r, pipeline.Usage("%s", err)
	}
	r.File = ReviewFile(r.ReviewedAs, r.Reviewer)
	return r, f.checkCase("reviews/"+r.ReviewedAs, r.Reviewer+".yaml")
}

// WriteReview stores a review, replacing the reviewer's earlier one on the candidate.
func (f Folder) WriteReview(r schema.Review) (schema.Review, error) {
	r, err := f.CheckReview(r)
	if err != nil {
		return r, err
	}
	text, err := encode(reviewHead, r)
	if err != nil {
		return r, err
	}
	return r, f.write(r.File, text)
}

// checkCase refuses a name that differs from another in case alone: on some file
// systems they are one file.
func (f Folder) checkCase(dir, name string) error {
	entries, err := f.list(dir)
	for _, e := range entries {
		if e.Name() != name && strings.EqualFold(e.Name(), name) {
			return pipeline.Usage("%s/%s is there already; %s differs in case alone, write it the same", dir, e.Name(), name)
		}
	}
	return err
}

const decisionKeys = "action (keep_together with pulls, or keep_apart with apart: lists of pulls), candidate, " +
	"reviewer, reason, decided_at"

const decisionHead = "# Which pulls are one change, decided by a person; wideswe review split and merge write it.\n"

// Decisions reads reviews/decisions, the earliest first.
func (f Folder) Decisions() ([]schema.Decision, error) {
	files, err := f.list("reviews/decisions")
	if err != nil {
		return nil, err
	}
	var out []schema.Decision
	var problems []error
	for _, file := range files {
		d, err := f.decision("reviews/decisions/" + file.Name())
		if err != nil {
			problems = append(problems, err)
			continue
		}
		out = append(out, d)
	}
	slices.SortStableFunc(out, func(a, b schema.Decision) int {
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.File, b.File))
	})
	return out, joined(problems)
}

func (f Folder) decision(name string) (schema.Decision, error) {
	var d schema.Decision
	if !strings.HasSuffix(name, ".yaml") {
		return d, problem(name, 0, "is not a decision; decisions are .yaml files")
	}
	text, _, err := f.read(name)
	if err != nil {
		return d, err
	}
	if err := decode(name, text, &d, decisionKeys); err != nil {
		return d, err
	}
	d.File, d.At = name, d.At.UTC()
	if key, err := checkDecision(d); err != nil {
		return d, problem(name, lineOf(text, key+":"), "%s", err)
	}
	return d, nil
}

func checkDecision(d schema.Decision) (key string, err error) {
	if err := CheckReviewer(d.Reviewer); err != nil {
		return "reviewer", err
	}
	if d.Reason == "" {
		return "reason", errors.New("a decision needs a reason")
	}
	if d.Candidate != "" {
		if err := CheckID(d.Candidate); err != nil {
			return "candidate", err
		}
	}
	if d.At.IsZero() {
		return "decided_at", errors.New("decided_at is missing; write the time, such as 2025-12-31T12:00:00Z")
	}
	switch d.Action {
	case schema.KeepTogether:
		if len(d.Apart) > 0 {
			return "apart", errors.New("keep_together takes pulls, not apart")
		}
		return "pulls", checkPulls(d.Pulls, 2)
	case schema.KeepApart:
		if len(d.Pulls) > 0 {
			return "pulls", errors.New("keep_apart takes apart: lists of pulls, not pulls")
		}
		if len(d.Apart) < 2 {
			return "apart", errors.New("keep_apart needs at least two lists of pulls")
		}
		for _, set := range d.Apart {
			if len(set) == 0 {
				return "apart", errors.New("a list of pulls is empty")
			}
		}
		return "apart", checkPulls(slices.Concat(d.Apart...), 2)
	}
	return "action", fmt.Errorf("action is %q; write keep_together or keep_apart", d.Action)
}

// WriteDecision stores a decision in a file named by what it decides, so that the
// same decision taken twice is one file.
func (f Folder) WriteDecision(d schema.Decision) (schema.Decision, error) {
	d.Reason, d.At = CleanText(d.Reason), d.At.UTC().Truncate(time.Second)
	d.Pulls = slices.Sorted(slices.Values(d.Pulls))
	apart := make([][]string, len(d.Apart))
	for i, set := range d.Apart {
		apart[i] = slices.Sorted(slices.Values(set))
	}
	slices.SortFunc(apart, slices.Compare)
	d.Apart = apart
	if _, err := checkDecision(d); err != nil {
		return d, pipeline.Usage("%s", err)
	}
	text, err := encode(decisionHead, d)
	if err != nil {
		return d, err
	}
	d.File = fmt.Sprintf("reviews/decisions/%s-%s-%s.yaml", strings.TrimPrefix(d.Action, "keep_"),
		pipeline.Hash(d.Action, d.Pulls, d.Apart)[:12], d.Reviewer)
	return d, f.write(d.File, text)
}
