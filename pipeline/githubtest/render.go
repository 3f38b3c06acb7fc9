package githubtest

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"path"
	"strings"
	"time"

	"github.com/wideswe/wideswe/schema"
)

// stamp writes a time as GitHub does, nil for none.
func stamp(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.UTC().Format(time.RFC3339)
}

// text writes an optional text, nil for none.
func text(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// number makes a stable id from what it is for.
func number(parts ...any) int64 {
	sum := sha256.Sum256([]byte(fmt.Sprint(parts...)))
	return int64(binary.BigEndian.Uint32(sum[:4]))
}

// user is an account inside another answer; nil where it is gone.
func (q *request) user(login string) any {
	a, ok := q.built.people()[strings.ToLower(login)]
	if !ok {
		return nil
	}
	return map[string]any{
		"login": a.Login, "id": a.ID, "node_id": fmt.Sprintf("U_%d", a.ID), "type": cmp.Or(a.Type, "User"),
		"site_admin": false,
		"url":        q.url + "/users/" + a.Login, "html_url": "https://github.com/" + strings.TrimSuffix(a.Login, "[bot]"),
	}
}

func (q *request) accountDetail(a Account) any {
	detail := q.user(a.Login).(map[string]any)
	detail["name"] = text(a.Name)
	count := 0
	for _, r := range q.built.Repositories {
		if owner, _, _ := strings.Cut(r.Name, "/"); strings.EqualFold(owner, a.Login) {
			count++
		}
	}
	detail["public_repos"] = count
	return detail
}

// pushed is the last time the repository got commits: an opening or a merge.
func (q *request) pushed(r Repository) time.Time {
	last := r.CreatedAt
	for _, p := range q.built.Pulls {
		if p.Repository == r.Name {
			last = latest(nil, last, p.CreatedAt, p.MergedAt)
		}
	}
	return last
}

func (q *request) repositoryJSON(r Repository, detail bool) map[string]any {
	owner, short, _ := schema.SplitRepository(r.Name)
	url := q.url + "/repos/" + r.Name
	m := map[string]any{
		"id": r.ID, "node_id": fmt.Sprintf("R_%d", r.ID), "name": short, "full_name": r.Name, "private": false,
		"visibility": "public",
		"owner":      q.user(owner), "html_url": "https://github.com/" + r.Name, "url": url, "clone_url": q.url + "/" +
			r.Name + ".git",
		"description": text(r.Description), "fork": r.Fork, "archived": r.Archived, "disabled": false, "is_template": false,
		"default_branch": r.DefaultBranch, "stargazers_count": r.Stars, "watchers_count": r.Stars, "forks_count": 0,
		"size":     len(r.Files),
		"language": text(r.Language), "license": license(r.License), "topics": []string{}, "has_issues": true,
		"has_pull_requests": !r.PullsOff,
		"open_issues_count": 0, "created_at": stamp(r.CreatedAt), "updated_at": stamp(q.pushed(r)),
		"pushed_at": stamp(q.pushed(r)),
	}
	if detail {
		m["network_count"], m["subscribers_count"] = 0, 0
	}
	return m
}

func license(spdx string) any {
	if spdx == "" {
		return nil
	}
	return map[string]any{"key": strings.ToLower(spdx), "name": spdx, "spdx_id": spdx, "url": nil}
}

// side is the head or the base of a pull.
func (q *request) side(owner, ref, sha string, repository any) map[string]any {
	return map[string]any{"label": owner + ":" + ref, "ref": ref, "sha": sha, "user": q.user(owner), "repo": repository}
}

// pullJSON is a pull as lists give it.
func (q *request) pullJSON(p Pull) map[string]any {
	r, _, _ := q.find(p.Repository)
	owner, short, _ := schema.SplitRepository(p.Repository)
	c, _ := q.built.Commits(schema.PullName(p.Repository, p.Number))
	repository := q.repositoryJSON(r, false)
	var head any = repository
	headOwner := cmp.Or(p.Fork, owner)
	switch {
	case p.ForkGone:
		head = nil
	case p.Fork != "":
		head = q.forkJSON(r, p.Fork, short)
	}
	url := q.url + "/repos/" + p.Repository
	m := q.common(p.Repository, p.Number, "PR", p.Title, p.Body, p.Author, p.Labels, p.CreatedAt, p.updated(), p.closed())
	m["url"] = fmt.Sprintf("%s/pulls/%d", url, p.Number)
	m["html_url"] = fmt.Sprintf("https://github.com/%s/pull/%d", p.Repository, p.Number)
	m["diff_url"] = fmt.Sprintf("https://github.com/%s/pull/%d.diff", p.Repository, p.Number)
	m["issue_url"] = fmt.Sprintf("%s/issues/%d", url, p.Number)
	m["draft"], m["merged_at"], m["auto_merge"] = p.Draft, stamp(p.MergedAt), nil
	m["merge_commit_sha"] = text(c.Merged)
	if p.landed() {
		m["merge_commit_sha"] = nil // the host knows nothing of the push
	}
	m["head"] = q.side(headOwner, p.Branch, c.Head, head)
	m["base"] = q.side(owner, cmp.Or(p.Base, r.DefaultBranch), c.Base, repository)
	return m
}

// forkJSON is a repository that a fork has; the server does not serve it.
func (q *request) forkJSON(r Repository, login, short string) map[string]any {
	fork := q.repositoryJSON(r, false)
	fork["id"], fork["fork"], fork["full_name"] = number("fork", login, r.ID), true, path.Join(login, short)
	fork["owner"] = q.user(login)
	return fork
}

// common are the fields that pulls and issues share.
func (q *request) common(repository string, n int, kind, title, body, author string, labels []string, created, updated,
	closed time.Time) map[string]any {
	state := "open"
	if !closed.IsZero() {
		state = "closed"
	}
	id := number(kind, repository, n)
	return map[string]any{
		"id": id, "node_id": fmt.Sprintf("%s_%d", kind, id), "number": n, "state": state, "locked": false, "title": title,
		"body": text(strings.TrimRight(body, "\n")), "user": q.user(author), "labels": labelsJSON(labels),
		"author_association": q.association(repository, author), "assignees": []any{}, "milestone": nil,
		"created_at": stamp(created), "updated_at": stamp(updated), "closed_at": stamp(closed),
	}
}

func (q *request) association(repository, author string) string {
	a, ok := q.built.people()[strings.ToLower(author)]
	owner, _, _ := strings.Cut(repository, "/")
	switch {
	case !ok || a.Type == "Bot":
		return "NONE"
	case strings.EqualFold(owner, author):
		return "OWNER"
	}
	return "MEMBER"
}

func labelsJSON(labels []string) []any {
	all := []any{}
	for _, l := range labels {
		id := number("label", l)
		all = append(all, map[string]any{"id": id, "node_id": fmt.Sprintf("LA_%d", id), "name": l, "color": "ededed",
			"default": false, "description": nil})
	}
	return all
}

func (q *request) issueJSON(i Issue) map[string]any {
	m := q.common(i.Repository, i.Number, "I", i.Title, i.Body, i.Author, i.Labels, i.CreatedAt, i.updated(), i.ClosedAt)
	m["url"] = fmt.Sprintf("%s/repos/%s/issues/%d", q.url, i.Repository, i.Number)
	m["html_url"] = fmt.Sprintf("https://github.com/%s/issues/%d", i.Repository, i.Number)
	m["repository_url"] = q.url + "/repos/" + i.Repository
	m["comments"] = len(i.Comments)
	return m
}

// pullAsIssue is a pull as the issue endpoints give it.
func (q *request) pullAsIssue(p Pull) map[string]any {
	m := q.issueJSON(Issue{Repository: p.Repository, Number: p.Number, Title: p.Title, Body: p.Body, Author: p.Author,
		Labels:    p.Labels,
		CreatedAt: p.CreatedAt, ClosedAt: p.closed(), Comments: p.Comments})
	pull := q.pullJSON(p)
	m["html_url"], m["updated_at"] = pull["html_url"], pull["updated_at"]
	m["pull_request"] = map[string]any{"url": pull["url"], "html_url": pull["html_url"], "diff_url": pull["diff_url"],
		"merged_at": pull["merged_at"]}
	return m
}

func (q *request) commentsJSON(under string, comments []Comment) []map[string]any {
	var all []map[string]any
	for i, c := range comments {
		id := number("comment", under, i)
		all = append(all, map[string]any{
			"id": id, "node_id": fmt.Sprintf("IC_%d", id), "body": strings.TrimRight(c.Body, "\n"), "user": q.user(c.Author),
			"created_at": stamp(c.CreatedAt), "updated_at": stamp(c.CreatedAt),
			"html_url": fmt.Sprintf("https://github.com/%s#issuecomment-%d", strings.Replace(under, "#", "/issues/", 1), id),
		})
	}
	return all
}
