// Package inspect looks at the pulls of candidates: their files and what role each
// has, the issues they name, their comments, and whether a task can be made of
// them: merged and readable, with a test change and a source change, testable on
// Linux. It decides nothing about meaning; that is for the people who review.
//
// A pull that fails a check drops alone. Its candidate drops only where fewer than
// two repositories are left, and an issue, which can have no tests, sinks nothing.
//
// Requests are spent on survivors: first the files of every pull are read, from a
// mirror where that asks less of the host, and only of pulls that pass, in
// candidates that are kept, come issues, comments, reviews and commit messages, and,
// from a mirror, the diffs of manifests that the host's list left out.
// Before the first request the most that can be spent is printed. The lists of files
// of the pulls that the paper's records name are read, too (paper.go), and, where a
// setting asks for it, the manifests of every pull in the histories (manifests.go).
//
// # Links in what inspect reads
//
// People name sibling changes in comments, commit messages and issues, too. Those
// texts are there only after grouping, and grouping must not wait for them: a stage
// reads earlier tables alone. So link reads titles and bodies, group joins by
// these, and inspect itself reads its texts by pipeline/reference into
// inspected_references, a table of its own that the view links shows beside the
// others with may_group false. What the diffs say is kept apart in
// dependency_evidence: a lock file that names a sibling's commit tells that one
// change uses the other, and not that somebody meant them as one. Neither joins
// pulls by itself. Both are shown in review as neighbours of the candidate, where a
// person's merge joins them; that decision is a file which the next group run
// reads. So evidence comes back to grouping through people, and there is no circle.
package inspect

import (
	"context"
	"fmt"
	"io"
	"sort"
	"strings"
	"time"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/filerole"
	"github.com/wideswe/wideswe/pipeline/git"
	"github.com/wideswe/wideswe/pipeline/reference"
	"github.com/wideswe/wideswe/schema"
)

// API asks the host. path is from the API's root, or the next of an earlier answer.
type API interface {
	Get(ctx context.Context, repository, path string) (body []byte, next string, err error)
}

// Stage is the stage; its fields are what it needs. Files come from the git mirror of
// a repository with many pulls in candidates, or where there is no API; else from the
// host's list. What lies on disk decides nothing: see [Stage.fromGit].
type Stage struct {
	DB      pipeline.DB
	Mirrors *git.Mirrors // nil: the API alone
	API     API          // nil: git alone, and no comments
	// Bill is told, before the first request, the most that will be spent; nil: nobody.
	Bill io.Writer
	// MirrorFrom is from how many pulls in candidates on a repository's mirror is
	// read; 0 is the usual number.
	MirrorFrom int
	Options
}

// Name is the stage's name.
func (Stage) Name() string { return "inspect" }

// Version changes with the rules.
func (Stage) Version() string {
	return "4+" + filerole.Version + "+" + reference.Version + "+" + reference.DependencyVersion + "+" +
		filerole.PaperVersion
}

// candidate is an item: a candidate, one pull of the paper's records, or a repository's
// history.
type candidate struct {
	ID             string
	Paper          bool     `json:",omitempty"`
	History        *history `json:",omitempty"`
	LatestMergedAt time.Time
	Members        []member
}

// member is a pull of a candidate.
type member struct {
	RepositoryID         int64
	Repository           string
	Number               int
	Title                string
	Author, AuthorType   string
	HeadRef              string
	Flags                []string // see flagsOf
	Merged               bool
	MergedAt             time.Time
	MergeCommit, HeadSHA string
	Issues               []issue
	FromGit              bool // its files come from the mirror
}

func (m member) name() string { return schema.PullName(m.Repository, m.Number) }

// issue is one that a pull names.
type issue struct {
	RepositoryID int64
	Repository   string
	Number       int
	Relation     string
	Title, Body  string
	Known        bool // crawl has its text
}

// Plan lists the candidates that repeat no other.
func (s Stage) Plan(ctx context.Context) ([]pipeline.Ref, error) {
	items, err := s.items(ctx)
	return pipeline.Refs(items), err
}

// Run inspects the candidates.
func (s Stage) Run(ctx context.Context, run *pipeline.Run) error {
	items, err := s.items(ctx)
	if err != nil {
		return err
	}
	if err = s.printBill(ctx, run, items); err != nil {
		return err
	}
	return pipeline.Each(ctx, run, s, items, s.inspect, func(id string) pipeline.Write {
		switch {
		case strings.HasPrefix(id, paperPrefix):
			return removePaperPull(id)
		case strings.HasPrefix(id, manifestsPrefix):
			return removeHistory(id)
		}
		return func(ctx context.Context, tx pipeline.Tx) error { return removeFacts(ctx, tx, id) }
	})
}

// removeFacts removes a candidate's row, and the rows of pulls that no candidate to be
// inspected has any more.
func removeFacts(ctx context.Context, tx pipeline.Tx, id string) error {
	for _, table := range []string{"candidate_facts", "paper_checks"} {
		if err := tx.Exec(ctx, "DELETE FROM "+table+" WHERE candidate_id = ?", id); err != nil {
			return err
		}
	}
	for _, table := range pullTables {
		if err := tx.Exec(ctx, `DELETE FROM `+table+` t WHERE NOT EXISTS (SELECT 1 FROM group_members m
			WHERE m.repository_id = t.repository_id AND m.number = t.number
				AND m.candidate_id NOT IN (SELECT candidate_id FROM duplicates))`); err != nil {
			return err
		}
	}
	return nil
}

var pullTables = []string{"pull_files", "linked_issues", "pull_comments", "pull_facts", "inspected_references",
	"dependency_evidence"}

// inspect is the work on one candidate.
func (s Stage) inspect(ctx context.Context, c candidate) (pipeline.Write, error) {
	switch {
	case c.Paper:
		return s.lookForPaper(ctx, c)
	case c.History != nil:
		return s.readHistory(ctx, *c.History)
	}
	var looked []look
	reason := ""
	if s.early(c) {
		reason = "latest merge before " + s.LatestMergeSince.UTC().Format(time.DateOnly)
	} else {
		for _, m := range c.Members {
			l, err := s.look(ctx, m)
			if err != nil {
				return nil, fmt.Errorf("inspecting %s: %w", m.name(), err)
			}
			looked = append(looked, l)
		}
		reason = verdict(looked)
		if err := s.readTexts(ctx, looked, reason == ""); err != nil {
			return nil, err
		}
	}
	write := c.write(looked, reason)
	if reason != "" {
		return write, pipeline.Skip("%s", reason)
	}
	return write, nil
}

// verdict says why the candidate drops, "" where at least two repositories stay.
func verdict(looked []look) string {
	stay := map[int64]bool{}
	causes := map[string]bool{}
	for _, l := range looked {
		if l.reason == "" {
			stay[l.member.RepositoryID] = true
			continue
		}
		causes[l.reason] = true
	}
	if len(stay) >= 2 {
		return ""
	}
	var list []string
	for c := range causes {
		list = append(list, c)
	}
	sort.Strings(list)
	if len(list) == 0 {
		return "fewer than two repositories"
	}
	return "fewer than two repositories stay: " + strings.Join(list, ", ")
}

func (c candidate) write(looked []look, reason string) pipeline.Write {
	return func(ctx context.Context, tx pipeline.Tx) error {
		if err := removeFacts(ctx, tx, c.ID); err != nil {
			return err
		}
		for _, m := range c.Members {
			for _, table := range pullTables {
				if err := tx.Exec(ctx, "DELETE FROM "+table+" WHERE repository_id = ? AND number = ?", m.RepositoryID,
					m.Number); err != nil {
					return err
				}
			}
		}
		var paper [][]any
		for _, l := range looked {
			if err := l.append(ctx, tx); err != nil {
				return err
			}
			paper = append(paper, l.paperRow(c.ID))
		}
		if err := tx.Append(ctx, "paper_checks", paper); err != nil {
			return err
		}
		return tx.Append(ctx, "candidate_facts", [][]any{{c.ID, reason == "", reason, c.hash(), families(looked)}})
	}
}

// hash is of the members, in their order.
func (c candidate) hash() string {
	var names []string
	for _, m := range c.Members {
		names = append(names, fmt.Sprintf("%d#%d", m.RepositoryID, m.Number))
	}
	return pipeline.Hash(names)
}
