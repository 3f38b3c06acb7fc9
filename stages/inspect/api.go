package inspect

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	gh "github.com/google/go-github/v62/github"

	"github.com/wideswe/wideswe/pipeline/filerole"
	"github.com/wideswe/wideswe/pipeline/git"
	"github.com/wideswe/wideswe/pipeline/github"
	"github.com/wideswe/wideswe/pipeline/reference"
)

// maxPages bounds the pages read of one list: 3,000 files, 1,000 comments.
const (
	maxFilePages    = 30
	maxCommentPages = 10
	maxCommitPages  = 3
	maxText         = 256 << 10
)

// all reads a list page by page.
func all[T any](ctx context.Context, api API, repository, path string, pages int) ([]T, error) {
	var out []T
	for page := 0; path != "" && page < pages; page++ {
		body, next, err := api.Get(ctx, repository, path)
		if err != nil {
			return nil, refused(err)
		}
		var rows []T
		if err := json.Unmarshal(body, &rows); err != nil {
			return nil, fmt.Errorf("reading %s of %s: %w", path, repository, err)
		}
		out, path = append(out, rows...), next
	}
	return out, nil
}

// refused tells an answer that no repetition changes from trouble.
func refused(err error) error {
	switch github.KindOf(err) {
	case github.Missing, github.Deleted:
		return unavailable{"gone from the host"}
	case github.Blocked:
		return unavailable{"blocked by the host"}
	}
	return err
}

func (s Stage) filesOfAPI(ctx context.Context, m member, l *look) error {
	path, err := github.RepositoryPath(m.Repository, "pulls", fmt.Sprint(m.Number), "files?per_page=100")
	if err != nil {
		return unavailable{"not a repository's name"}
	}
	pages := maxFilePages
	if l.listOnly {
		pages = filerole.PaperFiles / 100
	}
	files, err := all[*gh.CommitFile](ctx, s.API, m.Repository, path, pages)
	if err != nil {
		return err
	}
	for _, f := range files {
		l.files = append(l.files, file{path: f.GetFilename(), previous: f.GetPreviousFilename(), status: f.GetStatus(),
			added: f.GetAdditions(), deleted: f.GetDeletions()})
		l.depend(f.GetFilename(), f.GetPatch(), nil)
		l.unread = l.unread || f.GetPatch() == "" && f.GetStatus() != "removed" && reference.DependencyFile(f.GetFilename())
	}
	// The host's list tells a submodule's commit, and .gitmodules alone tells whose it is.
	l.unread = l.unread || slices.ContainsFunc(l.depends, func(d dependency) bool { return d.Kind == reference.Submodule })
	l.complete, l.from = len(l.files) < maxFiles, "host"
	return nil
}

// readIssues fills in the texts that crawl did not keep. A number that is a pull
// after all drops; an issue that can't be read stays, without text.
func (s Stage) readIssues(ctx context.Context, issues []issue) ([]issue, error) {
	var out []issue
	for _, i := range issues {
		if !i.Known && s.API != nil {
			isPull, err := s.readIssue(ctx, &i)
			if err != nil {
				return nil, err
			}
			if isPull {
				continue
			}
		}
		out = append(out, i)
	}
	return out, nil
}

func (s Stage) readIssue(ctx context.Context, i *issue) (isPull bool, err error) {
	path, err := github.RepositoryPath(i.Repository, "issues", fmt.Sprint(i.Number))
	if err != nil {
		return false, nil
	}
	body, _, err := s.API.Get(ctx, i.Repository, path)
	switch github.KindOf(err) {
	case github.Missing, github.Deleted, github.Blocked, github.Forbidden:
		return false, nil // issues may be switched off, or moved
	}
	if err != nil {
		return false, err
	}
	var is gh.Issue
	if err := json.Unmarshal(body, &is); err != nil {
		return false, fmt.Errorf("reading issue %s#%d: %w", i.Repository, i.Number, err)
	}
	i.Title, i.Body = cut(is.GetTitle()), cut(is.GetBody())
	return is.IsPullRequest(), nil
}

// readComments reads what people wrote under the pull: comments, remarks on lines and
// reviews. What the host does not have is empty.
func (s Stage) readComments(ctx context.Context, m member) ([]comment, error) {
	if s.API == nil {
		return nil, nil
	}
	number := fmt.Sprint(m.Number)
	talk, err := list[*gh.IssueComment](ctx, s.API, m.Repository, maxCommentPages, "issues", number,
		"comments?per_page=100")
	if err != nil {
		return nil, err
	}
	lines, err := list[*gh.PullRequestComment](ctx, s.API, m.Repository, maxCommentPages, "pulls", number,
		"comments?per_page=100")
	if err != nil {
		return nil, err
	}
	reviews, err := list[*gh.PullRequestReview](ctx, s.API, m.Repository, maxCommentPages, "pulls", number,
		"reviews?per_page=100")
	if err != nil {
		return nil, err
	}
	var out []comment
	add := func(kind, anchor string, id int64, u *gh.User, body string, at gh.Timestamp) {
		if body != "" {
			out = append(out, comment{id: id, kind: kind, origin: fmt.Sprintf("%s%d", anchor, id), author: u.GetLogin(),
				authorType: u.GetType(), body: cut(body), at: at.Time})
		}
	}
	for _, c := range talk {
		add("comment", "issuecomment-", c.GetID(), c.GetUser(), c.GetBody(), c.GetCreatedAt())
	}
	for _, c := range lines {
		add("review_comment", "discussion_r", c.GetID(), c.GetUser(), c.GetBody(), c.GetCreatedAt())
	}
	for _, r := range reviews {
		add("review", "pullrequestreview-", r.GetID(), r.GetUser(), r.GetBody(), r.GetSubmittedAt())
	}
	return out, nil
}

// list reads a list that may be missing: then it is empty.
func list[T any](ctx context.Context, api API, repository string, pages int, parts ...string) ([]T, error) {
	path, err := github.RepositoryPath(repository, parts...)
	if err != nil {
		return nil, nil
	}
	rows, err := all[T](ctx, api, repository, path, pages)
	if _, gone := err.(unavailable); gone {
		return nil, nil
	}
	return rows, err
}

// commitsOfAPI lists the pull's commit messages; the host gives 250 at most.
func (s Stage) commitsOfAPI(ctx context.Context, m member) ([]git.Message, error) {
	commits, err := list[*gh.RepositoryCommit](ctx, s.API, m.Repository, maxCommitPages, "pulls", fmt.Sprint(m.Number),
		"commits?per_page=100")
	var out []git.Message
	for _, c := range commits {
		if len(c.Parents) < 2 {
			out = append(out, git.Message{SHA: c.GetSHA(), Text: cut(c.GetCommit().GetMessage())})
		}
	}
	return out, err
}

func cut(s string) string {
	if len(s) > maxText {
		return s[:maxText]
	}
	return s
}
