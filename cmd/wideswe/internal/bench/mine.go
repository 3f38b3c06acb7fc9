package bench

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"time"

	"github.com/spf13/cobra"
	"github.com/wideswe/wideswe/cmd/wideswe/internal/bench/synthetic"
	"github.com/wideswe/wideswe/cmd/wideswe/internal/env"
	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/store"
	"github.com/wideswe/wideswe/stages/dedupe"
	"github.com/wideswe/wideswe/stages/group"
	"github.com/wideswe/wideswe/stages/link"
)

// benchMineCommand prints what make bench-mine shows: synthetic pulls are stored
// as crawl stores them, then the stages link, group and dedupe run on the file.
func newMineCommand(e *env.Env) *cobra.Command {
	m := &mineFigures{env: e}
	var pulls, sample int
	c := &cobra.Command{
		Use: "mine", Args: cobra.NoArgs,
		Short: "Load, link, group and dedupe synthetic pulls; one JSON line a phase",
		RunE: func(cmd *cobra.Command, _ []string) error {
			dir, err := os.MkdirTemp(m.dir, "wideswe-mine")
			if err != nil {
				return err
			}
			defer os.RemoveAll(dir)
			m.path = filepath.Join(dir, "wideswe.duckdb")
			m.corpus = synthetic.New(pulls, 1)
			if err := m.run(cmd.Context()); err != nil {
				return err
			}
			return m.extraction(cmd.Context(), dir, sample)
		},
	}
	c.Flags().IntVar(&pulls, "pulls", 50_000, "synthetic pulls")
	c.Flags().IntVar(&sample, "sample", 30_000, "pulls whose bodies the extraction is measured on")
	c.Flags().StringVar(&m.dir, "dir", "", "folder for the database (default: the system's)")
	c.Flags().StringVar(&m.profiles, "profiles", "", "folder to write a CPU profile of each phase to")
	return c
}

type mineFigures struct {
	env           *env.Env
	corpus        *synthetic.Corpus
	dir, path     string
	profiles      string
	bytes, stored int
	clock         time.Time // when the page that is being stored came
}

// run measures each phase on one open database, as wideswe run walks the road.
func (m *mineFigures) run(ctx context.Context) error {
	db, err := store.Open(ctx, m.path, store.Options{})
	if err != nil {
		return err
	}
	defer db.Close()
	if err := m.phase("load", func() (time.Duration, error) { return m.load(ctx, db) }, nil); err != nil {
		return err
	}
	for _, s := range []pipeline.Stage{link.Stage{DB: db}, group.Stage{DB: db}, dedupe.Stage{DB: db}} {
		for _, again := range []string{"", " again"} { // the second time there is nothing to do
			run := &pipeline.Run{Ledger: db, Log: m.env.Log(), Workers: runtime.NumCPU()}
			if err := m.phase(s.Name()+again, func() (time.Duration, error) {
				start := time.Now()
				err := pipeline.Execute(ctx, s, run)
				return time.Since(start), err
			}, map[string]any{"items": &run.Counts}); err != nil {
				return err
			}
		}
	}
	return m.counts(ctx, db)
}

// phase times one phase; the peak is of the memory that the process held in it.
func (m *mineFigures) phase(name string, work func() (time.Duration, error), more map[string]any) error {
	stop, err := m.profile(name)
	if err != nil {
		return err
	}
	peak, cpu := watchMemory(), cpuSeconds()
	took, err := work()
	cpu = cpuSeconds() - cpu
	stop()
	if err != nil {
		return err
	}
	seconds := took.Seconds()
	figure := map[string]any{"phase": name, "pulls": m.stored, "body_mb": float64(m.bytes) / 1e6, "seconds": seconds,
		"cpu_seconds":      cpu,
		"pulls_per_second": float64(m.stored) / seconds, "mb_per_second": float64(m.bytes) / 1e6 / seconds,
		"peak_memory_mb": peak(), "file_mb": m.fileSize()}
	for k, v := range more {
		figure[k] = v
	}
	return printFigure(m.env, figure)
}

func (m *mineFigures) profile(name string) (stop func(), err error) {
	if m.profiles == "" {
		return func() {}, nil
	}
	f, err := os.Create(filepath.Join(m.profiles, name+".pprof"))
	if err != nil {
		return nil, err
	}
	if err := pprof.StartCPUProfile(f); err != nil {
		return nil, err
	}
	return func() { pprof.StopCPUProfile(); _ = f.Close() }, nil
}

func (m *mineFigures) fileSize() float64 {
	var n int64
	for _, p := range []string{m.path, m.path + ".wal"} {
		if info, err := os.Stat(p); err == nil {
			n += info.Size()
		}
	}
	return float64(n) / 1e6
}

// counts prints how much each stage found, and a digest of it: equal digests
// before and after a change of the stages mean equal tables.
func (m *mineFigures) counts(ctx context.Context, db *store.DB) error {
	figure := map[string]any{"phase": "result"}
	for _, table := range []string{"link_occurrences", "own_issues", "paper_links", "edges", "candidate_groups",
		"group_members", "campaigns",
		"duplicates", "consolidation_proposals", "records"} {
		rows, err := db.Query(ctx, fmt.Sprintf("SELECT count(*) || ' rows, digest ' || coalesce(sum(hash(t::VARCHAR)), 0) "+
			"FROM %s t", table))
		if err != nil {
			return err
		}
		n, err := pipeline.Scan[string](rows, nil)
		if err != nil {
			return err
		}
		figure[table] = n[0]
	}
	return printFigure(m.env, figure)
}
