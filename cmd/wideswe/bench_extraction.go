package main

import (
	"context"
	"time"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/reference"
	"github.com/wideswe/wideswe/pipeline/store"
)

// extraction measures the two rules on bodies in memory, on one core, beside the
// paper's rule as a Python script and as DuckDB's own functions.
func (m *mine) extraction(ctx context.Context, dir string, sample int) error {
	b := &bench{app: m.app, dir: dir, bodies: m.sample(sample)}
	if err := b.paperLinks(ctx); err != nil {
		return err
	}
	if err := b.strictLinks(ctx); err != nil {
		return err
	}
	return b.duckdb(ctx)
}

// sample takes bodies from all over the corpus.
func (m *mine) sample(n int) []string {
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

// duckdbRule is the paper's rule in SQL.
const duckdbRule = `SELECT coalesce(sum(len(list_distinct(regexp_extract_all(body,
	'(?:https://github\.com/)?[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+(?:/pull/|/issues/|#)\d+')))), 0)::BIGINT FROM bodies`

func (b *bench) duckdb(ctx context.Context) error {
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
	start := time.Now()
	result, err := db.Query(ctx, duckdbRule)
	if err != nil {
		return err
	}
	found, err := pipeline.Scan[int64](result, nil)
	if err != nil {
		return err
	}
	theirs := b.size() / time.Since(start).Seconds()
	start = time.Now()
	for _, s := range b.bodies {
		reference.PaperLinks("", s)
	}
	ours := b.size() / time.Since(start).Seconds()
	return b.print(map[string]any{"figure": "links by the paper's rule", "beside": "DuckDB regexp_extract_all, one thread", "mb": b.size(),
		"mb_per_second": ours, "duckdb_mb_per_second": theirs, "duckdb_found": found[0], "ratio": ours / theirs})
}
