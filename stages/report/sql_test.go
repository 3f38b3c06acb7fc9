package report

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/store"
	"github.com/wideswe/wideswe/pipeline/storetest"
	"github.com/wideswe/wideswe/schema"
)

// rawResults puts every single test's outcome into a database, as an evaluation's
// store holds them, beside what the release says.
func rawResults(t *testing.T) *store.DB {
	t.Helper()
	db := storetest.Open(t)
	err := db.InTx(t.Context(), func(ctx context.Context, tx pipeline.Tx) error {
		for _, q := range []string{
			"CREATE TABLE raw (series VARCHAR, attempt INTEGER, task VARCHAR, kind VARCHAR, paired BOOLEAN, target VARCHAR, " +
				"class VARCHAR, outcome VARCHAR, accepted BOOLEAN, changed BOOLEAN)",
			"CREATE TABLE usage (series VARCHAR, attempt INTEGER, kind VARCHAR, paired BOOLEAN, requests BIGINT)",
		} {
			if err := tx.Exec(ctx, q); err != nil {
				return err
			}
		}
		raw, usage := rawRows(workedData())
		if err := tx.Append(ctx, "raw", raw); err != nil {
			return err
		}
		return tx.Append(ctx, "usage", usage)
	})
	if err != nil {
		t.Fatal(err)
	}
	return db
}

func rawRows(data *Dataset) (raw, usage [][]any) {
	failing := []string{"fail", "error", "skip", "not_run", "missing"}
	for _, w := range worked {
		series := w.label
		if w.mode == schema.Independent {
			series += ", independent"
		}
		for _, t := range data.Tasks {
			d, ok := w.tasks[t.ID]
			usage = append(usage, []any{series, int32(w.attempt), t.Kind, t.ID != "b3", d.requests})
			for i, x := range t.Targets {
				for class, n := range map[string]int{"F2P": x.F2P, "P2P": x.P2P} {
					for k := range n {
						outcome := failing[(k+len(t.ID)+i)%len(failing)]
						if ok && (class == "F2P" && k < d.passes[i][0] || class == "P2P" && k < d.passes[i][1]) {
							outcome = "pass"
						}
						raw = append(raw, []any{series, int32(w.attempt), t.ID, t.Kind, t.ID != "b3", x.Repository, class, outcome,
							d.status == "", ok && d.changed[i] == 'x'})
					}
				}
			}
		}
	}
	return raw, usage
}

// ratesSQL counts every rate of tables 1, 3, 7 and 8 from single tests.
const ratesSQL = `
WITH kinds AS (SELECT *, unnest([kind, 'all']) AS part FROM raw WHERE paired OR NOT ?),
classes AS (SELECT series, attempt, part, task, target, class,
bool_and(outcome = 'pass') AS whole FROM kinds GROUP BY ALL),
targets AS (SELECT series, attempt, part, task, target,
bool_and(outcome = 'pass') AND bool_and(accepted) AS resolved FROM kinds GROUP BY ALL),
tasks AS (SELECT series, attempt, part, task, bool_and(resolved) AS resolved FROM targets GROUP BY ALL)
SELECT series, part, 'Task success', count(*) FILTER (WHERE resolved), count(*) FROM tasks GROUP BY ALL
UNION ALL SELECT series, part, 'Repository success', count(*) FILTER (WHERE resolved),
count(*) FROM targets GROUP BY ALL
UNION ALL SELECT series, part, 'F2P-complete', count(*) FILTER (WHERE whole),
count(*) FROM classes WHERE class = 'F2P' GROUP BY ALL
UNION ALL SELECT series, part, 'P2P-preserved', count(*) FILTER (WHERE whole),
count(*) FROM classes WHERE class = 'P2P' GROUP BY ALL
UNION ALL SELECT series, part, class || ' tests', count(*) FILTER (WHERE outcome = 'pass'),
count(*) FROM kinds GROUP BY ALL
ORDER BY ALL`

// usageSQL is the mean over tasks whose usage is recorded, in tenths.
const usageSQL = `SELECT series, part, 'API requests', coalesce(round(10 * avg(requests) FILTER (WHERE requests > 0)), 0)::BIGINT, 0
FROM (SELECT *, unnest([kind, 'all']) AS part FROM usage WHERE paired OR NOT ?) GROUP BY ALL ORDER BY ALL`

// cells reads rows of (series, part, rate, passed, total).
func cells(t *testing.T, db *store.DB, args []any, queries ...string) map[string]string {
	t.Helper()
	type row struct {
		series, part, rate string
		passed, total      int64
	}
	out := map[string]string{}
	for _, q := range queries {
		rows, err := db.Query(t.Context(), q, args...)
		if err != nil {
			t.Fatal(err)
		}
		list, err := pipeline.Scan(rows, func(r *row) []any {
			return []any{&r.series, &r.part, &r.rate, &r.passed,
				&r.total}
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range list {
			out[r.series+" | "+r.part+" | "+r.rate] = fmt.Sprintf("%d/%d", r.passed, r.total)
		}
	}
	return out
}

var partOf = map[string]string{"Bug fix": schema.Bugfix, "Feature": schema.Feature, "All": "all"}

// shown are a table's cells in the shape of cells; columns names each column's series.
func shown(table *Table, columns []string) map[string]string {
	out := map[string]string{}
	for _, r := range table.Rows {
		for i, c := range r[2:] {
			key := columns[i] + " | " + partOf[r[0].Text] + " | " + r[1].Text
			switch {
			case c.Tally != nil:
				out[key] = fmt.Sprintf("%d/%d", c.Tally.Passed, c.Tally.Total)
			case c.Number != nil:
				out[key] = fmt.Sprintf("%.0f/0", 10**c.Number)
			default:
				out[key] = "0/0"
			}
		}
	}
	return out
}

func merge(a, b map[string]string) map[string]string {
	for k, v := range b {
		a[k] = v
	}
	return a
}

func only(m map[string]string, prefixes ...string) map[string]string {
	out := map[string]string{}
	for k, v := range m {
		for _, p := range prefixes {
			if strings.HasPrefix(k, p+" | ") {
				out[k] = v
			}
		}
	}
	return out
}

// Every cell of tables 1 and 7, and of 3 and 8, is what SQL counts over single tests.
func TestTablesAgreeWithSQLOverRawResults(t *testing.T) {
	db := rawResults(t)
	res := workedResult(t, options{pairs: "equal"})
	series := []string{"A", "A, independent", "B", "C"}
	if d := cmp.Diff(series, res.titles()); d != "" {
		t.Fatal(d)
	}
	got := merge(shown(res.table("table1"), series), shown(res.table("table7"), series))
	if d := cmp.Diff(cells(t, db, []any{false}, ratesSQL, usageSQL), got); d != "" {
		t.Errorf("tables 1 and 7 (-SQL +report): %s", d)
	}
	if len(got) != 4*3*7 {
		t.Errorf("%d cells", len(got))
	}
	pair := series[:2]
	got = merge(shown(res.table("table3"), pair), shown(res.table("table8"), pair))
	if d := cmp.Diff(only(cells(t, db, []any{true}, ratesSQL, usageSQL), pair...), got); d != "" {
		t.Errorf("tables 3 and 8 (-SQL +report): %s", d)
	}
}

// pairsSQL counts the paired outcomes and the recovery of what fails in joint mode.
const pairsSQL = `
WITH kinds AS (SELECT *, unnest([kind, 'all']) AS part FROM raw WHERE paired),
targets AS (SELECT series, part, task, target, bool_and(outcome = 'pass') AS ok,
bool_or(changed) AS changed FROM kinds WHERE series LIKE 'A%' GROUP BY ALL),
tasks AS (SELECT series, part, task, bool_and(ok) AS ok FROM targets GROUP BY ALL),
pairs AS (
    SELECT 'Tasks' AS unit, j.part, j.ok AS j, i.ok AS i,
    false AS changed FROM tasks j JOIN tasks i ON j.part = i.part AND j.task = i.task WHERE j.series = 'A' AND i.series <> 'A'
    UNION ALL
    SELECT 'Repositories', j.part, j.ok, i.ok, j.changed FROM targets j JOIN targets i ON j.part = i.part AND j.task = i.task AND j.target = i.target WHERE j.series = 'A' AND i.series <> 'A')
SELECT unit, part, 'Both', count(*) FILTER (WHERE j AND i), count(*) FROM pairs GROUP BY ALL
UNION ALL SELECT unit, part, 'Joint only', count(*) FILTER (WHERE j AND NOT i), count(*) FROM pairs GROUP BY ALL
UNION ALL SELECT unit, part, 'Independent only', count(*) FILTER (WHERE i AND NOT j), count(*) FROM pairs GROUP BY ALL
UNION ALL SELECT unit, part, 'Neither', count(*) FILTER (WHERE NOT i AND NOT j), count(*) FROM pairs GROUP BY ALL
UNION ALL SELECT unit, part, 'Reversals', count(*) FILTER (WHERE i <> j), count(*) FROM pairs GROUP BY ALL
UNION ALL SELECT 'Recovered', 'all', CASE WHEN changed THEN 'Modified' ELSE 'Not modified' END,
count(*) FILTER (WHERE i), count(*)
FROM pairs WHERE unit = 'Repositories' AND part = 'all' AND NOT j GROUP BY ALL
UNION ALL SELECT 'Recovered', 'all', 'All', count(*) FILTER (WHERE i),
count(*) FROM pairs WHERE unit = 'Repositories' AND part = 'all' AND NOT j`

func TestPairedTablesAgreeWithSQLOverRawResults(t *testing.T) {
	res := workedResult(t, options{pairs: "equal"})
	five := *res.table("table5")
	var rows [][]Cell
	for _, r := range five.Rows {
		if r[1].Text != "p" {
			rows = append(rows, r)
		}
	}
	five.Rows = rows
	got := shown(&five, []string{"Tasks", "Repositories"})
	for _, r := range res.table("table6").Rows {
		got["Recovered | all | "+r[0].Text] = fmt.Sprintf("%d/%s", r[2].Tally.Passed, r[1].Text)
	}
	if d := cmp.Diff(cells(t, rawResults(t), nil, pairsSQL), got); d != "" {
		t.Errorf("(-SQL +report): %s", d)
	}
}
