package storetest_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wideswe/wideswe/pipeline/store"
	"github.com/wideswe/wideswe/pipeline/storetest"
)

// A copied schema is the one that the migrations and the views' files make.
func TestACopiedSchemaIsTheOneThatWasMade(t *testing.T) {
	made, err := store.Open(t.Context(), "", store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer made.Close()
	copied := storetest.Open(t)
	for _, q := range []string{
		`SELECT concat_ws(' ', table_name, column_name, column_index, data_type, is_nullable, column_default)
			FROM duckdb_columns() WHERE NOT internal ORDER BY ALL`,
		"SELECT concat_ws(' ', table_name, constraint_type, constraint_text) FROM duckdb_constraints() ORDER BY ALL",
		"SELECT concat_ws(' ', table_name, index_name, is_unique, expressions) FROM duckdb_indexes() ORDER BY ALL",
		"SELECT sql FROM duckdb_tables() WHERE NOT internal ORDER BY ALL",
		"SELECT sql FROM duckdb_views() WHERE NOT internal ORDER BY ALL",
		"SELECT concat_ws(' ', function_name, macro_definition) FROM duckdb_functions() WHERE NOT internal ORDER BY ALL",
		"SELECT concat_ws(' ', sequence_name, start_value) FROM duckdb_sequences() ORDER BY ALL",
		"SELECT key || value FROM meta ORDER BY ALL",
		"SELECT name FROM migrations ORDER BY ALL",
	} {
		want, got := storetest.Strings(t, made, q), storetest.Strings(t, copied, q)
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s\n%s", q, d)
		}
	}
}
