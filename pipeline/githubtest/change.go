package githubtest

import (
	"bytes"
	"cmp"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/diff"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/utils/merkletrie"

	"github.com/wideswe/wideswe/schema"
)

// pullDetail answers /pulls/N, which adds sums to what the list gives.
func (q *request) pullDetail(p Pull) {
	files, err := q.changes(p)
	if err != nil {
		writeError(q.w, http.StatusInternalServerError, err.Error())
		return
	}
	m := q.pullJSON(p)
	added, deleted := 0, 0
	for _, f := range files {
		added, deleted = added+f["additions"].(int), deleted+f["deletions"].(int)
	}
	m["merged"], m["mergeable"], m["mergeable_state"] = p.Merged(), nil, "unknown"
	m["merged_by"], m["comments"], m["review_comments"] = nil, len(p.Comments), 0
	m["commits"], m["changed_files"], m["additions"], m["deletions"] = len(p.Commits), len(files), added, deleted
	m["maintainer_can_modify"] = false
	q.answer(m)
}

func (q *request) pullFiles(p Pull) {
	files, err := q.changes(p)
	if err != nil {
		writeError(q.w, http.StatusInternalServerError, err.Error())
		return
	}
	page(q, files)
}

func (q *request) pullCommits(p Pull) {
	c, _ := q.built.Commits(schema.PullName(p.Repository, p.Number))
	var list []map[string]any
	for i, id := range c.Own {
		m, err := q.commitJSON(p.Repository, id)
		if p.HeadGone {
			m, err = q.lostCommit(p, i, id), nil
		}
		if err != nil {
			writeError(q.w, http.StatusInternalServerError, err.Error())
			return
		}
		list = append(list, m)
	}
	page(q, list)
}

// lostCommit is what the host still tells of a commit that git can't fetch.
func (q *request) lostCommit(p Pull, i int, id string) map[string]any {
	who := map[string]any{"name": p.Author, "date": stamp(p.ownTime(i))}
	return map[string]any{
		"sha": id, "node_id": "C_" + id, "parents": []any{}, "author": q.user(p.Author), "committer": q.user(p.Author),
		"commit": map[string]any{"author": who, "committer": who, "message": strings.TrimRight(p.Commits[i].Message, "\n"),
			"comment_count": 0},
	}
}

// commits answers the list of a branch's commits, the last one first, between two times.
func (q *request) commits(r Repository) {
	if len(r.Files) == 0 {
		writeError(q.w, http.StatusConflict, "Git Repository is empty.")
		return
	}
	values := q.r.URL.Query()
	since, _ := time.Parse(time.RFC3339, values.Get("since"))
	until, err := time.Parse(time.RFC3339, values.Get("until"))
	if err != nil {
		until = q.now().AddDate(100, 0, 0)
	}
	var list []map[string]any
	err = q.history(r, cmp.Or(values.Get("sha"), r.DefaultBranch), func(c *object.Commit) error {
		if at := c.Committer.When; at.Before(since) || at.After(until) {
			return nil
		}
		m, err := q.commitJSON(r.Name, c.Hash.String())
		list = append(list, m)
		return err
	})
	if err != nil {
		q.notFound()
		return
	}
	page(q, list)
}

// history visits every commit that a branch or a commit has behind it.
func (q *request) history(r Repository, from string, visit func(*object.Commit) error) error {
	repo, err := git.PlainOpen(q.built.GitDir(r.Name))
	if err != nil {
		return err
	}
	id, err := repo.ResolveRevision(plumbing.Revision(from))
	if err != nil {
		return err
	}
	all, err := repo.Log(&git.LogOptions{From: *id, Order: git.LogOrderCommitterTime})
	if err != nil {
		return err
	}
	return all.ForEach(visit)
}

// commit answers /commits/SHA for full and shortened ids and branch names.
func (q *request) commit(r Repository, name string) {
	m, err := q.commitJSON(r.Name, name)
	switch {
	case len(r.Files) == 0:
		writeError(q.w, http.StatusConflict, "Git Repository is empty.")
	case err != nil:
		writeError(q.w, http.StatusUnprocessableEntity, "No commit found for SHA: "+name)
	default:
		q.answer(m)
	}
}

func (q *request) commitJSON(repository, name string) (map[string]any, error) {
	repo, err := git.PlainOpen(q.built.GitDir(repository))
	if err != nil {
		return nil, err
	}
	id, err := repo.ResolveRevision(plumbing.Revision(name))
	if err != nil {
		return nil, err
	}
	c, err := repo.CommitObject(*id)
	if err != nil {
		return nil, err
	}
	parents := []any{}
	for _, p := range c.ParentHashes {
		parents = append(parents, map[string]any{"sha": p.String(), "url": fmt.Sprintf("%s/repos/%s/commits/%s", q.url,
			repository, p)})
	}
	return map[string]any{
		"sha": c.Hash.String(), "node_id": "C_" + c.Hash.String(), "parents": parents,
		"url":      fmt.Sprintf("%s/repos/%s/commits/%s", q.url, repository, c.Hash),
		"html_url": fmt.Sprintf("https://github.com/%s/commit/%s", repository, c.Hash),
		"author":   q.user(login(c.Author)), "committer": q.user(login(c.Committer)),
		"commit": map[string]any{
			"author": person(c.Author), "committer": person(c.Committer), "message": strings.TrimRight(c.Message, "\n"),
			"tree": map[string]any{"sha": c.TreeHash.String()}, "comment_count": 0,
		},
	}, nil
}

func person(s object.Signature) map[string]any {
	return map[string]any{"name": s.Name, "email": s.Email, "date": stamp(s.When)}
}

func login(s object.Signature) string {
	name, _, _ := strings.Cut(s.Email, "@")
	return name
}

// changes lists a pull's files as /files does: from its base to its head, with renames; where the
// head is gone, by what its merge did.
func (q *request) changes(p Pull) ([]map[string]any, error) {
	c, ok := q.built.Commits(schema.PullName(p.Repository, p.Number))
	if !ok {
		return nil, nil
	}
	repo, err := git.PlainOpen(q.built.GitDir(p.Repository))
	if err != nil {
		return nil, err
	}
	from, to := c.Base, c.Head
	if p.HeadGone {
		from, to = c.Before, c.Merged
	}
	base, err := treeOf(repo, from)
	if err != nil {
		return nil, err
	}
	head, err := treeOf(repo, to)
	if err != nil {
		return nil, err
	}
	found, err := object.DiffTreeWithOptions(q.r.Context(), base, head, object.DefaultDiffTreeOptions)
	if err != nil {
		return nil, fmt.Errorf("comparing trees: %w", err)
	}
	var list []map[string]any
	for _, change := range found {
		m, err := q.change(change)
		if err != nil {
			return nil, err
		}
		list = append(list, m)
	}
	return list, nil
}

func treeOf(repo *git.Repository, commit string) (*object.Tree, error) {
	c, err := repo.CommitObject(plumbing.NewHash(commit))
	if err != nil {
		return nil, fmt.Errorf("reading commit %s: %w", commit, err)
	}
	return c.Tree()
}

func (q *request) change(c *object.Change) (map[string]any, error) {
	action, err := c.Action()
	if err != nil {
		return nil, err
	}
	patch, err := c.PatchContext(q.r.Context())
	if err != nil {
		return nil, err
	}
	name, blob := c.To.Name, c.To.TreeEntry.Hash
	status := map[merkletrie.Action]string{merkletrie.Insert: "added", merkletrie.Delete: "removed",
		merkletrie.Modify: "modified"}[action]
	if action == merkletrie.Delete {
		name, blob = c.From.Name, c.From.TreeEntry.Hash
	}
	added, deleted := 0, 0
	for _, s := range patch.Stats() {
		added, deleted = added+s.Addition, deleted+s.Deletion
	}
	m := map[string]any{"sha": blob.String(), "filename": name, "additions": added, "deletions": deleted,
		"changes": added + deleted}
	if action == merkletrie.Modify && c.From.Name != c.To.Name {
		status, m["previous_filename"] = "renamed", c.From.Name
	}
	m["status"] = status
	if hunks := hunksOf(patch); hunks != "" {
		m["patch"] = hunks
	}
	return m, nil
}

// hunksOf is the patch text as GitHub gives it: from the first hunk on; empty for
// binary files and pure renames.
func hunksOf(p *object.Patch) string {
	var out bytes.Buffer
	if err := diff.NewUnifiedEncoder(&out, diff.DefaultContextLines).Encode(p); err != nil {
		return ""
	}
	if at := strings.Index(out.String(), "\n@@ "); at >= 0 {
		return strings.TrimSuffix(out.String()[at+1:], "\n")
	}
	return ""
}
