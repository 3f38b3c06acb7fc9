package dedupe

import (
	"context"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/reference"
)

// candidate is a candidate with its pulls, in the order of repositories.
type candidate struct {
	id        string
	pulls     []member
	backports int       // pulls that repeat another by their title, head or base
	first     time.Time // when the earliest of them merged
	plain     string    // see titles
}

// repeat is a candidate that repeats another.
type repeat struct{ candidate, kept, reason string }

func (in input) candidates() []*candidate {
	byID := map[string]*candidate{}
	var all []*candidate
	for _, m := range in.Members {
		c := byID[m.Candidate]
		if c == nil {
			c = &candidate{id: m.Candidate}
			byID[m.Candidate] = c
			all = append(all, c)
		}
		c.pulls = append(c.pulls, m)
	}
	for _, c := range all {
		c.look()
	}
	// The originals come first, then the older ones.
	sort.Slice(all, func(i, j int) bool {
		a, b := all[i], all[j]
		if a.backports != b.backports {
			return a.backports < b.backports
		}
		if !a.first.Equal(b.first) {
			return a.first.Before(b.first)
		}
		return a.id < b.id
	})
	return all
}

// look keeps what the order goes by.
func (c *candidate) look() {
	c.first = c.pulls[0].MergedAt
	for _, p := range c.pulls {
		if p.MergedAt.Before(c.first) {
			c.first = p.MergedAt
		}
		if backport(p) {
			c.backports++
		}
	}
}

// releaseBranch matches base branches that hold an older line.
var releaseBranch = regexp.MustCompile(`(?i)^(?:release|releases|rel|stable|backport|hotfix|maint(?:enance)?|support|` +
	`branch)[-/_.].*\d|^v?\d+(?:[._-](?:\d+|x))+$`)

func backport(m member) bool {
	return reference.BackportTitle(m.Title, m.HeadRef) || releaseBranch.MatchString(m.BaseRef)
}

// duplicates finds, for each candidate, the first one that it repeats: one of the
// same repositories whose pulls make the same changes, by patch id (see [mayRepeat]),
// or whose pulls have the same titles where this one's are backports.
func (s Stage) duplicates(ctx context.Context, all []*candidate) ([]repeat, error) {
	ids := patchIDs{stage: s, known: map[[2]int64]string{}}
	originals := map[string][]*candidate{}
	var repeats []repeat
	for _, c := range all {
		key := c.repositories()
		found := false
		for _, o := range originals[key] {
			reason, err := ids.same(ctx, c, o)
			if err != nil {
				return nil, err
			}
			if reason != "" {
				repeats = append(repeats, repeat{c.id, o.id, reason})
				found = true
				break
			}
		}
		if !found {
			originals[key] = append(originals[key], c)
		}
	}
	sort.Slice(repeats, func(i, j int) bool { return repeats[i].candidate < repeats[j].candidate })
	return repeats, nil
}

// repositories is the set of repositories as a key.
func (c *candidate) repositories() string {
	var key strings.Builder
	last := int64(0)
	for _, p := range c.pulls {
		if p.RepositoryID != last {
			key.WriteString(strconv.FormatInt(p.RepositoryID, 10) + " ")
			last = p.RepositoryID
		}
	}
	return key.String()
}

// patchIDs asks for each patch id once.
type patchIDs struct {
	stage Stage
	known map[[2]int64]string
}

func (ids patchIDs) same(ctx context.Context, c, original *candidate) (reason string, err error) {
	if c.backports > 0 && c.titles() == original.titles() {
		return "backport of", nil
	}
	if ids.stage.PatchID == nil || !mayRepeat(c, original) {
		return "", nil
	}
	a, err := ids.of(ctx, c)
	if err != nil || a == "" {
		return "", err
	}
	b, err := ids.of(ctx, original)
	if err != nil || a != b {
		return "", err
	}
	return "same changes as", nil
}

// mayRepeat says whether a pair of the same repositories can be the same changes:
// made twice, under the same titles, or brought to another branch. Patch ids cost
// mirrors, so that only such pairs are worth them.
func mayRepeat(c, original *candidate) bool {
	for _, p := range c.pulls {
		for _, o := range original.pulls {
			if p.RepositoryID == o.RepositoryID && p.BaseRef != o.BaseRef {
				return true
			}
		}
	}
	return c.titles() == original.titles()
}

// titles are the pulls' titles without what a backport adds, by repository. They
// are worked out once, for those that are compared with another.
func (c *candidate) titles() string {
	if c.plain == "" {
		lines := make([]string, len(c.pulls))
		for i, p := range c.pulls {
			lines[i] = strconv.FormatInt(p.RepositoryID, 10) + " " + plainTitle(p.Title)
		}
		sort.Strings(lines)
		c.plain = strings.Join(lines, "\n")
	}
	return c.plain
}

// of joins the patch ids of a candidate's pulls, "" where one is not known.
func (ids patchIDs) of(ctx context.Context, c *candidate) (string, error) {
	var all []string
	for _, p := range c.pulls {
		key := [2]int64{p.RepositoryID, int64(p.Number)}
		id, ok := ids.known[key]
		if !ok {
			var err error
			id, err = ids.stage.PatchID(ctx, p.RepositoryID, p.Number)
			if _, skip := pipeline.SkipReason(err); err != nil && !skip {
				return "", err
			}
			ids.known[key] = id
		}
		if id == "" {
			return "", nil
		}
		all = append(all, strconv.FormatInt(p.RepositoryID, 10)+" "+id)
	}
	sort.Strings(all)
	return strings.Join(all, "\n"), nil
}

// What backports add to a title.
var (
	titleTag    = regexp.MustCompile(`\[[^\]]*\]|\((?:[^()]*\b)?(?:back-?port|cherry[- ]?pick)[^()]*\)|\(#\d+\)|#\d+|🍒`)
	titlePrefix = regexp.MustCompile(`^\W*(?:automated |manual )?(?:back-?port(?:ed|ing)?|cherry[- ]?pick(?:ed|` +
		`ing)?)(?: of| from)?\b(?:[\s:]+(?:to|into|onto) [\w./-]+)?[\s:]*`)
	titleSuffix = regexp.MustCompile(`\s(?:to|into|onto|for|on|from)\s+(?:the\s+)?['"` + "`" +
		`]?(?:release|stable|branch|main|master|v?\d)[\w./-]*['"` + "`" + `]?(?:\s+branch)?\W*$`)
	titleBranch = regexp.MustCompile(`^\W*(?:release|stable|v?\d+)[-/.][\w./-]*\d[\w.]*\s*:\s*`)
	notWord     = regexp.MustCompile(`[^\p{L}\p{N}]+`)
)

// plainTitle is a title without what a backport adds to it.
func plainTitle(title string) string {
	t := strings.ToLower(title)
	t = titleTag.ReplaceAllString(t, " ")
	t = titlePrefix.ReplaceAllString(t, " ")
	t = titleBranch.ReplaceAllString(t, " ")
	t = titleSuffix.ReplaceAllString(t, " ")
	return strings.TrimSpace(notWord.ReplaceAllString(t, " "))
}
