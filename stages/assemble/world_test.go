package assemble_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/git"
	"github.com/wideswe/wideswe/pipeline/store"
	"github.com/wideswe/wideswe/pipeline/storetest"
	"github.com/wideswe/wideswe/stages/assemble"
)

var day = time.Date(2025, 7, 1, 0, 0, 0, 0, time.UTC)

type row = map[string]any

// world is two upstream repositories, o/lib (1) and o/app (2), a database and a curator's folder.
type world struct {
	t       *testing.T
	root    string
	db      *store.DB
	stage   assemble.Stage
	commits int
}

func newWorld(t *testing.T) *world {
	t.Helper()
	db := storetest.Open(t)
	w := &world{t: t, root: t.TempDir(), db: db}
	w.stage = assemble.Stage{DB: db, Prompts: t.TempDir(), Mirrors: &git.Mirrors{Dir: t.TempDir(),
		Options: git.Options{URLTemplate: "file://" + w.root + "/{owner}/{name}"}, Backoff: time.Millisecond}}
	for i, name := range []string{"o/lib", "o/app"} {
		dir := filepath.Join(w.root, name)
		w.git("", "init", "--quiet", "--initial-branch=main", dir)
		w.git(name, "config", "uploadpack.allowFilter", "true")
		w.git(name, "config", "uploadpack.allowAnySHA1InWant", "true")
		w.commit(name, row{"q.go": "package q\n", "q_test.go": "package q\n", "README.md": "q\n"})
		w.put("repository_versions", row{"repository_id": int64(i + 1), "repository": name, "ecosystem": "o", "state": "ok",
			"license": "MIT"})
	}
	return w
}

func (w *world) git(repository string, args ...string) string {
	w.t.Helper()
	cmd := exec.Command("git", args...)
	if repository != "" {
		cmd.Dir = filepath.Join(w.root, repository)
	}
	date := fmt.Sprintf("2025-01-01T00:%02d:00Z", w.commits)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.org",
		"GIT_AUTHOR_DATE=" + date, "GIT_COMMITTER_DATE=" + date}
	out, err := cmd.CombinedOutput()
	if err != nil {
		w.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// commit writes files (nil removes one) on the present branch and commits.
func (w *world) commit(repository string, files row) string {
	w.t.Helper()
	w.commits++
	for name, content := range files {
		path := filepath.Join(w.root, repository, name)
		if content == nil {
			if err := os.Remove(path); err != nil {
				w.t.Fatal(err)
			}
			continue
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			w.t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content.(string)), 0o644); err != nil {
			w.t.Fatal(err)
		}
	}
	w.git(repository, "add", "-A", "-f")
	w.git(repository, "commit", "--quiet", "--allow-empty", "-m", "change")
	return w.git(repository, "rev-parse", "HEAD")
}

// squash makes a pull from main's tip, lets main go on, and squashes it in.
// It returns the commit it branched from and the merge commit.
func (w *world) squash(repository string, number int, files row) assemble.Pull {
	w.t.Helper()
	w.git(repository, "checkout", "--quiet", "-b", fmt.Sprintf("topic%d", number), "main")
	head := w.commit(repository, files)
	w.git(repository, "update-ref", fmt.Sprintf("refs/pull/%d/head", number), head)
	w.git(repository, "checkout", "--quiet", "main")
	w.commit(repository, row{fmt.Sprintf("between%d.go", number): "package q\n"})
	w.git(repository, "merge", "--quiet", "--squash", head)
	return assemble.Pull{Number: number, MergedAt: day.Add(time.Duration(number) * time.Hour), Head: head,
		MergeCommit: w.commit(repository, nil)}
}

func (w *world) put(table string, values row) {
	w.t.Helper()
	storetest.Put(w.t, w.db, day, table, values)
}

func (w *world) tx(do pipeline.Write) {
	w.t.Helper()
	if err := w.db.InTx(w.t.Context(), do); err != nil {
		w.t.Fatal(err)
	}
}

// member records a pull and makes it one of candidate c.
func (w *world) member(id int, p assemble.Pull, title, body string) {
	w.put("pull_versions", row{"repository_id": int64(id), "number": p.Number, "state": "closed", "source": "linked",
		"title": title, "body": body,
		"merged_at": p.MergedAt, "merge_commit_sha": p.MergeCommit, "head_sha": p.Head})
	w.put("group_members", row{"candidate_id": "0123456789abcdef", "repository_id": int64(id), "number": p.Number})
	w.put("pull_facts", row{"repository_id": int64(id), "number": p.Number, "available": true, "linux": true})
}

func (w *world) accept() {
	w.put("candidate_groups", row{"candidate_id": "0123456789abcdef", "ecosystem": "O Org"})
	w.put("candidate_verdicts", row{"candidate_id": "0123456789abcdef", "verdict": "accepted", "kind": "bugfix",
		"pattern": "parallel"})
}

func (w *world) run() pipeline.Counts {
	w.t.Helper()
	run := &pipeline.Run{Ledger: w.db, Workers: 2}
	if err := pipeline.Execute(w.t.Context(), w.stage, run); err != nil {
		w.t.Fatal(err)
	}
	return run.Counts
}

func (w *world) exec(statement string) error {
	return w.db.InTx(w.t.Context(), func(ctx context.Context, tx pipeline.Tx) error { return tx.Exec(ctx, statement) })
}

func (w *world) strings(sql string) []string {
	w.t.Helper()
	return storetest.Strings(w.t, w.db, sql)
}

func (w *world) mirror(repository string, numbers ...int) *git.Repo {
	w.t.Helper()
	r, err := w.stage.Mirrors.Mirror(w.t.Context(), repository)
	if err == nil {
		err = r.Ensure(w.t.Context(), nil, numbers)
	}
	if err != nil {
		w.t.Fatal(err)
	}
	return r
}
