package bench

import (
	"context"
	"time"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/reference"
	"github.com/wideswe/wideswe/pipeline/store"
)

// extraction measures the two rules on bodies in memory, on one core, beside the
// paper's rule as a Python script and as DuckDB's own functions.
func (m *mineFigures) extraction(ctx context.Context, dir string, sample int) error {
	b := &textFigures{env: m.env, dir: dir, bodies: m.sample(sample)}
	if err := b.paperLinks(ctx); err != nil {
		return err
	}
	if err := b.strictLinks(ctx); err != nil {
		return err
	}
	return b.duckdb(ctx)
}

// sample takes bodies from all over the corpus.
func (m *mineFigures) sample(n int) []string {
	every := max(1, m.corpus.Size()/max(1, n))
	bodies, seen := make([]string, 0, n), 0
	for i, r := range m.corpus.Repositories {
		for number := 1; number <= r.Pulls; number++ {
			if seen++; seen%every == 0 {
				bodies = append(bodies, m.corpus.Pull(i, number).Body)
			}
		}
	}
	return bodies
}

// duckdbRule is the paper's rule in SQL. What follows the matching turns the few
// matches into what the script's set holds, so that both find the same.
const duckdbRule = `SELECT coalesce(sum(len(list_distinct(list_transform(
	regexp_extract_all(body, '(?:https://github\.com/)?[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+(?:/pull/|/issues/|#)\d+'),
	m -> regexp_replace(replace(lower(m), 'https://github.com/', ''), '/pull/|/issues/', '#'))))), 0)::BIGINT FROM bodies`

func (b *textFigures) duckdb(ctx context.Context) error {
	db, err := store.Open(ctx, "", store.Options{Threads: 1})
	if err != nil {
		return err
	}
	defer db.Close()
	rows := make([][]any, len(b.bodies))
	for i, s := range b.bodies {
		rows[i] = []any{s}
	}
	if err := db.InTx(ctx, func(ctx context.Context, tx pipeline.Tx) error {
		if err := tx.Exec(ctx, "CREATE TABLE bodies (body VARCHAR NOT NULL)"); err != nil {
			return err
		}
		return tx.Append(ctx, "bodies", rows)
	}); err != nil {
		return err
	}
	var found []int64
	theirs, err := b.speed(func() error {
		result, err := db.Query(ctx, duckdbRule)
		if err != nil {
			return err
		}
		found, err = pipeline.Scan[int64](result, nil)
		return err
	})
	if err != nil {
		return err
	}
	ours, n := b.paperSpeed()
	return b.print(map[string]any{"figure": "links by the paper's rule", "beside": "DuckDB regexp_extract_all, one thread",
		"mb":            b.size(),
		"mb_per_second": ours, "found": n, "duckdb_mb_per_second": theirs, "duckdb_found": found[0], "ratio": ours / theirs})
}

// paperSpeed measures the paper's rule, and says how many links it finds.
func (b *textFigures) paperSpeed() (speed float64, found int) {
	speed, _ = b.speed(func() error {
		found = 0
		for _, s := range b.bodies {
			found += len(reference.PaperLinks("", s))
		}
		return nil
	})
	return speed, found
}

// times is how often a figure is measured: the best is the least disturbed by what
// else the machine does.
const times = 5

// speed gives the most megabytes of bodies a second that work, done over again,
// comes to.
func (b *textFigures) speed(work func() error) (best float64, err error) {
	for range times {
		start := time.Now()
		if err := work(); err != nil {
			return 0, err
		}
		best = max(best, b.size()/time.Since(start).Seconds())
	}
	return best, nil
}
