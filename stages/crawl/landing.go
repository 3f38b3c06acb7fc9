package crawl

import (
	"fmt"
	"math"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"time"
)

// DefaultTrailer is what the landing bots of several large organizations write.
const DefaultTrailer = "Pull Request resolved"

// Landing is a rule for repositories whose pulls a bot lands: it pushes a commit
// that names the pull, and the host shows the pull as closed and not merged.
type Landing struct {
	Repositories []string `yaml:"repositories" json:"repositories"` // owner/name or owner/*
	Labels       []string `yaml:"labels" json:"labels,omitempty"`   // the pull has one of them; none: whatever it has
	// logins, one of which wrote or committed the commit; none: anyone
	Bots []string `yaml:"bots" json:"bots,omitempty"`
	// the words before the colon and the pull; none: [DefaultTrailer]
	Trailers []string `yaml:"trailers" json:"trailers,omitempty"`
}

var repositoryPattern = regexp.MustCompile(`^[A-Za-z0-9._-]+/(\*|[A-Za-z0-9._-]+)$`)

// Check says what is wrong with a rule.
func (l Landing) Check() error {
	if len(l.Repositories) == 0 {
		return fmt.Errorf("a rule names no repositories; write owner/name, or owner/*")
	}
	for _, r := range l.Repositories {
		if !repositoryPattern.MatchString(r) {
			return fmt.Errorf("%q is neither owner/name nor owner/*", r)
		}
	}
	for _, t := range l.Trailers {
		if !trailerWords.MatchString(t) {
			return fmt.Errorf("trailer %q: write the words before the colon, such as %s", t, DefaultTrailer)
		}
	}
	return nil
}

// of says whether the rule is for a repository.
func (l Landing) of(name string) bool {
	owner, _, _ := strings.Cut(name, "/")
	return contains(l.Repositories, name) || contains(l.Repositories, owner+"/*")
}

func (l Landing) trailers() []string {
	if len(l.Trailers) == 0 {
		return []string{DefaultTrailer}
	}
	return l.Trailers
}

func contains(list []string, word string) bool {
	for _, v := range list {
		if strings.EqualFold(v, word) {
			return true
		}
	}
	return false
}

// trailer is a line of a commit message that names one pull and nothing else.
type trailer struct {
	words, named string // named is owner/name in lower case, '' for #N
	number       int
}

var (
	trailerWords = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9 _-]{0,60}$`)
	trailerLine  = regexp.MustCompile(`^[ \t]*([A-Za-z][A-Za-z0-9 _-]{0,60}):[ ` +
		`\t]+(?:https?://[^/\s]+/([A-Za-z0-9._-]+/[A-Za-z0-9._-]+)/(?:pull|issues)/|` +
		`([A-Za-z0-9._-]+/[A-Za-z0-9._-]+)?#)([1-9][0-9]{0,9})/?[ \t\r]*$`)
	revertLine = regexp.MustCompile(`(?i)\bthis reverts commit ([0-9a-f]{7,40})\b`)
)

// mostTrailers bounds what one message can make of rows.
const mostTrailers = 50

// readMessage finds the trailers that name pulls, and the commit that is taken back.
func readMessage(message string) (found []trailer, reverts string) {
	for line := range strings.Lines(message) {
		m := trailerLine.FindStringSubmatch(strings.TrimRight(line, "\r\n"))
		if m == nil || len(found) == mostTrailers {
			continue
		}
		if n, err := strconv.Atoi(m[4]); err == nil && n <= math.MaxInt32 {
			found = append(found, trailer{words: m[1], named: strings.ToLower(m[2] + m[3]), number: n})
		}
	}
	if m := revertLine.FindStringSubmatch(message); m != nil {
		reverts = strings.ToLower(m[1])
	}
	return found, reverts
}

// landingCommit is a row of landing_commits.
type landingCommit struct {
	trailer
	sha               string
	at                time.Time
	author, committer string
	reverts           string
}

// landed is a row of pull_landings.
type landed struct {
	number int
	commit landingCommit
}

// landings says which pulls are landed, each by the last commit that says so and
// was not taken back. labels are those of the pulls in question; names are those
// that the repository has or had, in lower case.
func (l Landing) landings(commits []landingCommit, labels map[int][]string, names map[string]bool,
	since time.Time) []landed {
	sort.SliceStable(commits, func(i, j int) bool {
		if a, b := commits[i], commits[j]; !a.at.Equal(b.at) {
			return a.at.After(b.at)
		}
		return commits[i].sha < commits[j].sha
	})
	gone, found := reverted{}, map[int]bool{}
	var out []landed
	for _, c := range commits { // the last one first: what takes a commit back comes after it
		if gone.has(c.sha) {
			continue
		}
		gone.add(c.reverts)
		have, asked := labels[c.number]
		if !asked || found[c.number] || c.at.Before(since) || !l.accepts(c, have, names) {
			continue
		}
		found[c.number] = true
		out = append(out, landed{c.number, c})
	}
	sort.Slice(out, func(i, j int) bool { return out[i].number < out[j].number })
	return out
}

func (l Landing) accepts(c landingCommit, labels []string, names map[string]bool) bool {
	return contains(l.trailers(), c.words) && (c.named == "" || names[c.named]) &&
		(len(l.Bots) == 0 || contains(l.Bots, c.author) || contains(l.Bots, c.committer)) &&
		(len(l.Labels) == 0 || anyOf(l.Labels, labels))
}

func anyOf(want, have []string) bool {
	for _, v := range have {
		if contains(want, v) {
			return true
		}
	}
	return false
}

// reverted holds commits that were taken back, by their first digits: messages
// shorten them.
type reverted map[string][]string

const shortest = 7

func (r reverted) add(sha string) {
	if len(sha) >= shortest {
		r[sha[:shortest]] = append(r[sha[:shortest]], sha)
	}
}

func (r reverted) has(sha string) bool {
	if len(sha) < shortest {
		return false
	}
	for _, prefix := range r[sha[:shortest]] {
		if strings.HasPrefix(sha, prefix) {
			return true
		}
	}
	return false
}
