package stages_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/wideswe/wideswe/data"
	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/folder"
	"github.com/wideswe/wideswe/pipeline/git"
	"github.com/wideswe/wideswe/pipeline/github"
	"github.com/wideswe/wideswe/pipeline/githubtest"
	"github.com/wideswe/wideswe/pipeline/store"
	"github.com/wideswe/wideswe/pipeline/storetest"
	"github.com/wideswe/wideswe/pipeline/testscope"
	"github.com/wideswe/wideswe/schema"
	"github.com/wideswe/wideswe/stages"
	"github.com/wideswe/wideswe/stages/crawl"
	"github.com/wideswe/wideswe/stages/inspect"
	"github.com/wideswe/wideswe/stages/review"
)

// noon is the clock of every run.
var noon = time.Date(2026, 8, 1, 12, 0, 0, 0, time.UTC)

// lastStage is the last one that needs neither a container nor a compiler.
const lastStage = "assemble"

// killWorld is a curator's folder over the demo's GitHub. Its stages see what a killed
// process would have left: the database as of its last commit, pages and mirrors as
// they lie on disk.
type killWorld struct {
	t      *testing.T
	server *githubtest.Server
	db     *store.DB
	dir    string
	left   int // commits until it dies; less than one: it lives
}

func newKillWorld(t *testing.T, server *githubtest.Server, reviews string) *killWorld {
	t.Helper()
	w := &killWorld{t: t, server: server, db: storetest.Open(t), dir: t.TempDir()}
	if reviews != "" {
		if err := os.CopyFS(filepath.Join(w.dir, "reviews"), os.DirFS(reviews)); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

func demoServer(t *testing.T) *githubtest.Server {
	t.Helper()
	eco, err := githubtest.Load(data.Demo())
	if err != nil {
		t.Fatal(err)
	}
	for i := range eco.Pulls { // the demo has no lock file that names a sibling's commit
		if p := &eco.Pulls[i]; p.Repository == "lanternworks/trim" && p.Number == 9 {
			p.Files = append(p.Files, githubtest.File{Path: "Cargo.lock",
				Data: []byte("source = \"git+https://github.com/lanternworks/wick#" + strings.Repeat("5e", 20) + "\"\n")})
			last := &p.Commits[len(p.Commits)-1]
			last.Paths = append(last.Paths, "Cargo.lock")
		}
	}
	built, err := githubtest.Build(t.Context(), eco, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	server, err := githubtest.Serve(t.Context(), built)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	return server
}

// deps are those of a process that begins anew.
func (w *killWorld) deps() stages.Deps {
	w.t.Helper()
	pages, err := github.OpenArchive(filepath.Join(w.dir, "pages"))
	if err != nil {
		w.t.Fatal(err)
	}
	clock := func() time.Time { return noon }
	sleep := func(ctx context.Context, _ time.Duration) error { return ctx.Err() }
	pool, err := github.New(github.Options{BaseURL: w.server.URL(), Archive: pages, Now: clock, Sleep: sleep})
	if err != nil {
		w.t.Fatal(err)
	}
	mirrors := &git.Mirrors{Dir: filepath.Join(w.dir, "mirrors"), Backoff: time.Millisecond,
		Options: git.Options{URLTemplate: w.server.GitTemplate()}}
	return stages.Deps{DB: dying{w.db, w}, Folder: folder.Folder{Dir: w.dir}, GitHub: pool, Pages: pages, Mirrors: mirrors,
		Ecosystems: []schema.EcosystemConfig{{Name: "lanternworks", Organizations: []string{"lanternworks"}}},
		Crawl:      crawl.Options{}, Inspect: inspect.Options{PaperFiles: true, Manifests: true}}
}

// dying is a database that a kill takes away before one of its commits, or after it.
type dying struct {
	*store.DB
	w *killWorld
}

var errKilled = errors.New("killed")

func (d dying) commit(do func() error) error {
	d.w.left--
	switch d.w.left {
	case 0:
		return errKilled // and whatever is asked of it afterwards
	case 1:
		return errors.Join(do(), errKilled)
	}
	return do()
}

func (d dying) InTx(ctx context.Context, write pipeline.Write) error {
	return d.commit(func() error { return d.DB.InTx(ctx, write) })
}

func (d dying) Record(ctx context.Context, write pipeline.Write, all ...schema.Outcome) error {
	return d.commit(func() error { return d.DB.Record(ctx, write, all...) })
}

// run runs the stages from one on, as the command run does; redo works on everything.
func (w *killWorld) run(ctx context.Context, from string, redo bool) error {
	d, begun := w.deps(), false
	for _, s := range stages.All(d) {
		if begun = begun || s.Name() == from; !begun {
			continue
		}
		run := &pipeline.Run{Ledger: dying{w.db, w}, Workers: 1, Redo: redo && s.Name() == from}
		run.Now = func() time.Time { return noon }
		if err := pipeline.Execute(ctx, s, run); err != nil {
			return err
		}
		if s.Name() == lastStage {
			break
		}
	}
	return nil
}

func (w *killWorld) calm(from string, redo bool) {
	w.t.Helper()
	if err := w.run(w.t.Context(), from, redo); err != nil {
		w.t.Fatal(err)
	}
}

// accept gives the verdicts of the demo's script.
func (w *killWorld) accept() {
	w.t.Helper()
	script, err := data.DemoScript()
	if err != nil {
		w.t.Fatal(err)
	}
	desk := review.Desk{DB: w.db, Folder: folder.Folder{Dir: w.dir}, Now: func() time.Time { return noon }}
	for _, r := range script.Reviews {
		ids := storetest.Strings(w.t, w.db, `SELECT candidate_id FROM candidate_pulls GROUP BY 1
			HAVING string_agg(repository || '#' || number, ' ' ORDER BY repository || '#' || number) = ?`,
			strings.Join(r.Pulls, " "))
		if len(ids) != 1 {
			w.t.Fatalf("candidates of %q: %q", r.Pulls, ids)
		}
		o := review.AcceptOptions{Kind: r.Kind, Pattern: r.Pattern, Reviewer: r.Reviewer, Note: r.Note}
		if _, err := desk.Accept(w.t.Context(), ids[0], o); err != nil {
			w.t.Fatal(err)
		}
	}
}

// byViews are tables whose rows are versions or say when something was asked, with what
// the views make of them. outcomes count by the newest of an item.
var byViews = map[string]string{
	"outcomes": `SELECT concat_ws('|', stage, item, version, CASE WHEN stage <> 'crawl' THEN input_hash END, status, reason)
		FROM outcomes_latest`,
	"pull_versions":       "SELECT (p)::VARCHAR FROM (SELECT * EXCLUDE (fetched_at) FROM all_pulls) p",
	"issue_versions":      "SELECT (i)::VARCHAR FROM (SELECT * EXCLUDE (fetched_at) FROM issues) i",
	"repository_versions": "SELECT (r)::VARCHAR FROM (SELECT * EXCLUDE (fetched_at) FROM repositories) r",
	"repository_aliases": "SELECT DISTINCT concat_ws('|', written, repository_id, repository, state) FROM " +
		"repository_aliases",
	"crawl_pages": "", "crawl_passes": "", "crawl_inventories": "", "crawl_lists": "", "crawl_looks": "",
	"stage_runs": "", "migrations": "",
	"meta": "SELECT concat_ws('|', key, value) FROM meta WHERE key NOT LIKE '%at'",
}

// state is every table.
func (w *killWorld) state() map[string][]string {
	w.t.Helper()
	all := map[string][]string{}
	for _, table := range storetest.Strings(w.t, w.db, "SELECT table_name FROM duckdb_tables() WHERE NOT internal") {
		query, special := byViews[table]
		if !special {
			query = "SELECT t::VARCHAR FROM " + table + " t"
		}
		if query != "" {
			all[table] = storetest.Strings(w.t, w.db, query+" ORDER BY 1")
		}
	}
	return all
}

func (w *killWorld) same(want map[string][]string, what string) {
	w.t.Helper()
	if d := cmp.Diff(want, w.state()); d != "" {
		w.t.Errorf("%s:\n%s", what, d)
	}
}

// TestInterruptingOrRedoingChangesNothing holds every table of every stage that needs no
// container: after kills, a redo of each stage, and a replay they are those of a calm run.
func TestInterruptingOrRedoingChangesNothing(t *testing.T) {
	testscope.NotShort(t, "it walks the road again and again")
	server := demoServer(t)
	calm := newKillWorld(t, server, "")
	calm.calm("rank", false)
	calm.accept()
	calm.calm("rank", false)
	want := calm.state()
	for _, table := range []string{"link_occurrences", "edges", "group_members", "records", "pull_files",
		"dependency_evidence", "paper_checks", "manifest_evidence", "candidate_verdicts", "task_patches"} {
		if len(want[table]) == 0 {
			t.Errorf("the input puts nothing into %s", table)
		}
	}
	if made := storetest.Strings(t, calm.db, "SELECT DISTINCT status FROM outcomes_latest WHERE stage = "+
		"'assemble'"); !cmp.Equal(made, []string{"done"}) {
		t.Errorf("assemble ended in %q", made)
	}
	reviews := filepath.Join(calm.dir, "reviews")
	for _, s := range stages.All(stages.Deps{}) {
		calm.calm(s.Name(), true)
		calm.same(want, "redo of "+s.Name())
		if s.Name() == lastStage {
			break
		}
	}
	t.Run("replay", func(t *testing.T) { replayed(t, calm, want, reviews) })
	worlds, kills := 2, 6
	if testscope.All() {
		worlds, kills = 5, 10
	}
	for seed := range worlds {
		t.Run(fmt.Sprint("kills ", seed), func(t *testing.T) { killed(t, server, uint64(seed), kills, want, reviews) })
	}
}

func replayed(t *testing.T, calm *killWorld, want map[string][]string, reviews string) {
	w := newKillWorld(t, calm.server, reviews)
	if err := os.CopyFS(filepath.Join(w.dir, "pages"), os.DirFS(filepath.Join(calm.dir, "pages"))); err != nil {
		t.Fatal(err)
	}
	d := w.deps()
	run := &pipeline.Run{Ledger: w.db, Now: func() time.Time { return noon }}
	if err := pipeline.Execute(t.Context(), stages.All(d)[0], run); err != nil {
		t.Fatal(err)
	}
	if _, err := stages.Crawl(d).Replay(t.Context(), run); err != nil {
		t.Fatal(err)
	}
	w.calm("rank", false)
	w.same(want, "replay")
}

// killed begins a run again and again; each dies at a commit or at a request.
func killed(t *testing.T, server *githubtest.Server, seed uint64, kills int, want map[string][]string, reviews string) {
	w, r := newKillWorld(t, server, reviews), rand.New(rand.NewPCG(seed, 16))
	defer server.Intercept(nil)
	for n := range kills {
		ctx, cancel := context.WithCancel(t.Context())
		w.left = 0
		server.Intercept(nil)
		if n%2 == 0 {
			w.left = 2 + r.IntN(30)
		} else {
			dies := 1 + r.IntN(60)
			server.Intercept(func(http.ResponseWriter, *http.Request) bool {
				if dies--; dies == 0 {
					cancel()
				}
				return false
			})
		}
		err := w.run(ctx, "rank", n == kills-1)
		cancel()
		var failed *pipeline.FailedItems
		if err != nil && !errors.Is(err, errKilled) && !errors.Is(err, context.Canceled) && !errors.As(err, &failed) {
			t.Fatal(err)
		}
	}
	w.left = 0
	server.Intercept(nil)
	w.calm("rank", false)
	w.same(want, fmt.Sprintf("seed %d, after %d kills", seed, kills))
}
