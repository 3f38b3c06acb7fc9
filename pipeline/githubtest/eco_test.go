package githubtest

import (
	"testing"
	"testing/fstest"
)

// small is an ecosystem with every way a pull can end.
const small = `
name: mill
owners: [{login: mill, id: 1, type: Organization, name: The Mill}]
people:
  - {login: ada, id: 2, name: Ada Long}
  - {login: "sweep[bot]", id: 3, type: Bot}
repositories:
  - {name: mill/stone, id: 11, old_names: [mill/rock], license: MIT, language: Go, stars: 5, created_at: 2024-01-01T09:00:00Z,
     tree: repositories/stone.txtar, branches: [{name: release-1, at: 2024-01-05T00:00:00Z}]}
  - {name: mill/empty, id: 12, created_at: 2024-01-01T09:00:00Z}
  - {name: mill/quiet, id: 13, archived: true, fork: true, pulls_off: true, created_at: 2024-01-01T09:00:00Z}
issues:
  - {repository: mill/stone, number: 1, title: Grinds badly, author: ada, created_at: 2024-01-02T09:00:00Z, body: see it,
     comments: [{author: ada, body: still so, created_at: 2024-01-03T09:00:00Z}]}
`

func smallFS() fstest.MapFS {
	files := map[string]string{
		"demo.yaml": small,
		"repositories/stone.txtar": "executable: [run.sh]\n-- run.sh --\necho run\n-- lib/a.txt --\none\ntwo\nthree\n-- " +
			"old.txt --\nold\n",
		"pulls/stone-2.txtar": pullHead(2, "merge", "merged_at: 2024-02-03T10:00:00Z", "fork: ada", "fork_gone: true",
			"delete: [old.txt]",
			"commits: [{message: first, paths: [lib/a.txt]}, {message: second, paths: [lib/b.txt, old.txt]}]") +
			"-- lib/a.txt --\none\n2\nthree\n-- lib/b.txt --\nb\n",
		"pulls/stone-3.txtar": pullHead(3, "squash", "merged_at: 2024-02-02T10:00:00Z") + "-- c.txt --\nc\n",
		"pulls/stone-4.txtar": pullHead(4, "rebase", "merged_at: 2024-02-04T10:00:00Z", "head_gone: true",
			"updated_at: 2024-05-01T00:00:00Z",
			"commits: [{message: d, paths: [d.txt]}, {message: e, paths: [e.txt]}]") + "-- d.txt --\nd\n-- e.txt --\ne\n",
		"pulls/stone-5.txtar": pullHead(5, "squash", "closed_at: 2024-02-05T10:00:00Z") + "-- f.txt --\nf\n",
		"pulls/stone-6.txtar": pullHead(6, "squash", "base: release-1", "draft: true", "labels: [kind/fix]") +
			"-- c.txt --\nc\n",
	}
	fsys := fstest.MapFS{}
	for name, text := range files {
		fsys[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return fsys
}

func pullHead(number int, merge string, lines ...string) string {
	head := "repository: mill/stone\nnumber: " + string(rune('0'+number)) + "\ntitle: Change " + string(rune('0'+number)) +
		"\nauthor: ada\nbranch: change\ncreated_at: 2024-02-01T10:00:00Z\nmerge: " + merge +
		"\nbody: |\n  Why.\n\n  And how.\n"
	for _, line := range lines {
		head += line + "\n"
	}
	return head
}

// start serves the small ecosystem.
func start(t *testing.T) *Server {
	t.Helper()
	s, err := Start(t.Context(), smallFS(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}
