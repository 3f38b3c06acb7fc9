package inspect

import (
	"context"
	"errors"
	"strings"

	"github.com/wideswe/wideswe/pipeline/git"
	"github.com/wideswe/wideswe/pipeline/reference"
	"github.com/wideswe/wideswe/schema"
)

// Bounds on what is kept of one pull.
const (
	maxMessages = 250
	maxFound    = 500
)

// found is a reference in one of the texts that inspect reads.
type found struct {
	location       reference.Location
	origin, author string
	reference.Reference
}

// readTexts reads what was written about the pulls that stay, where the candidate
// is kept; of the others only what crawl knows already is given.
func (s Stage) readTexts(ctx context.Context, looked []look, kept bool) error {
	for i := range looked {
		l := &looked[i]
		if !kept || l.reason != "" {
			l.issues = known(l.member.Issues)
			continue
		}
		if err := s.readTextsOf(ctx, l); err != nil {
			return err
		}
	}
	return nil
}

func known(issues []issue) (out []issue) {
	for _, i := range issues {
		if i.Known {
			out = append(out, i)
		}
	}
	return out
}

func (s Stage) readTextsOf(ctx context.Context, l *look) (err error) {
	if l.issues, err = s.readIssues(ctx, l.member.Issues); err != nil {
		return err
	}
	if l.comments, err = s.readComments(ctx, l.member); err != nil {
		return err
	}
	if err := s.readManifests(ctx, l); err != nil {
		return err
	}
	messages, err := s.messages(ctx, l)
	if err != nil {
		return err
	}
	own := l.member.Repository
	l.read(own, reference.Branch, "", l.member.Author, l.member.AuthorType, l.member.HeadRef)
	for _, m := range messages {
		l.read(own, reference.CommitMessage, m.SHA, l.member.Author, l.member.AuthorType, m.Text)
	}
	for _, c := range l.comments {
		l.read(own, reference.Comment, c.origin, c.author, c.authorType, c.body)
	}
	for _, i := range l.issues {
		l.read(i.Repository, reference.IssueText, schema.PullName(i.Repository, i.Number), "", "", i.Title+"\n\n"+i.Body)
	}
	return nil
}

// readManifests reads in the mirror what the host's list of files left out: it gives
// no diff of long files, and lock files are long.
func (s Stage) readManifests(ctx context.Context, l *look) error {
	if !l.unread || s.Mirrors == nil {
		return nil
	}
	err := s.open(ctx, l.member, l)
	if err == nil {
		l.depends = nil
		err = factual(l.dependenciesOfGit(ctx))
	}
	var gone unavailable
	if errors.As(err, &gone) {
		l.repo = nil
		return nil
	}
	return err
}

func (s Stage) messages(ctx context.Context, l *look) ([]git.Message, error) {
	if l.repo != nil {
		return l.repo.Messages(ctx, l.base, l.member.HeadSHA, maxMessages)
	}
	return s.commitsOfAPI(ctx, l.member)
}

// read finds the references of a text that stands in a repository; those to the
// pull's own repository drop.
func (l *look) read(repository string, at reference.Location, origin, author, authorType, text string) {
	owner, name, _ := schema.SplitRepository(repository)
	src := reference.Source{Owner: owner, Name: name, Author: author, AuthorType: authorType, HeadRef: l.member.HeadRef,
		Title: l.member.Title, Location: at}
	for _, r := range reference.Extract(text, src) {
		if r.Name == "" || strings.EqualFold(r.Owner+"/"+r.Name, l.member.Repository) || len(l.found) >= maxFound {
			continue
		}
		l.found = append(l.found, found{at, origin, author, r})
	}
}

func (l *look) referenceRows() (rows [][]any) {
	for _, f := range l.found {
		var number any
		if f.Kind != reference.Commit {
			number = int32(f.Number)
		}
		flags := []string{}
		for _, g := range f.Flags {
			flags = append(flags, string(g))
		}
		rows = append(rows, []any{l.member.RepositoryID, l.member.Number, string(f.location), f.origin, f.author, f.Offset,
			f.Length,
			string(f.Form), f.Written, f.Owner + "/" + f.Name, number, f.SHA, string(f.Kind), string(f.Relation), flags,
			f.Snippet, reference.Version})
	}
	return rows
}
