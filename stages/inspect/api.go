package inspect

import (
	"context"
	"encoding/json"
	"fmt"

	gh "github.com/google/go-github/v62/github"

	"github.com/wideswe/wideswe/pipeline/github"
)

// maxPages bounds the pages read of one list: 3,000 files, 1,000 comments.
const (
	maxFilePages    = 30
	maxCommentPages = 10
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
	files, err := all[*gh.CommitFile](ctx, s.API, m.Repository, path, maxFilePages)
	if err != nil {
		return err
	}
	for _, f := range files {
		l.files = append(l.files, file{path: f.GetFilename(), previous: f.GetPreviousFilename(), status: f.GetStatus(),
			added: f.GetAdditions(), deleted: f.GetDeletions()})
	}
	l.complete = len(l.files) < maxFiles
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

// readComments reads what people wrote under the pull.
func (s Stage) readComments(ctx context.Context, m member) ([]comment, error) {
	if s.API == nil {
		return nil, nil
	}
	path, err := github.RepositoryPath(m.Repository, "issues", fmt.Sprint(m.Number), "comments?per_page=100")
	if err != nil {
		return nil, nil
	}
	list, err := all[*gh.IssueComment](ctx, s.API, m.Repository, path, maxCommentPages)
	if _, gone := err.(unavailable); gone {
		return nil, nil
	}
	var out []comment
	for _, c := range list {
		out = append(out, comment{id: c.GetID(), kind: "comment", author: c.GetUser().GetLogin(), authorType: c.GetUser().GetType(),
			body: cut(c.GetBody()), at: c.GetCreatedAt().Time})
	}
	return out, err
}

func cut(s string) string {
	if len(s) > maxText {
		return s[:maxText]
	}
	return s
}
