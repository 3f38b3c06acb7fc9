package store

import (
	"encoding/json"
	"testing"
)

// TestPlain asks a real database, since what the driver gives for a type is its own affair.
func TestPlain(t *testing.T) {
	db, err := Open(t.Context(), "", Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for query, want := range map[string]string{
		"1.50::DECIMAL(5,2)":                           `1.5`,
		"-0.05::DECIMAL(5,2)":                          `-0.05`,
		"sum(x) FROM (SELECT 7 AS x)":                  `7`,
		"12345678901234567890::HUGEINT":                `12345678901234567890`,
		"1e300":                                        `1e+300`,
		"'nan'::DOUBLE":                                `"NaN"`,
		"'-inf'::FLOAT":                                `"-Infinity"`,
		"INTERVAL '1 day 2 hours'":                     `"1 day 02:00:00"`,
		"INTERVAL '14 months'":                         `"1 year 2 months"`,
		"INTERVAL '0 days'":                            `"00:00:00"`,
		"INTERVAL '-1500 milliseconds'":                `"-00:00:01.5"`,
		"DATE '2025-01-02'":                            `"2025-01-02"`,
		"[DATE '2025-01-02', NULL]":                    `["2025-01-02",null]`,
		"TIME '03:04:05'":                              `"03:04:05"`,
		"TIMESTAMP '2025-01-02 03:04:05.678'":          `"2025-01-02T03:04:05.678Z"`,
		"'6ba7b810-9dad-11d1-80b4-00c04fd430c8'::UUID": `"6ba7b810-9dad-11d1-80b4-00c04fd430c8"`,
		"map {'k': [1.5]}":                             `{"k":[1.5]}`,
		"{'x': 1, 'y': DATE '2025-01-02'::VARCHAR}":    `{"x":1,"y":"2025-01-02"}`,
		`'\xFFa'::BLOB`:                                `"\\xFFa"`,
		"'日本 🎉'":                                       `"日本 🎉"`,
		"NULL":                                         `null`,
		"[]":                                           `[]`,
	} {
		rows, err := db.Query(t.Context(), "SELECT "+query)
		if err != nil {
			t.Fatalf("%s: %v", query, err)
		}
		types, err := rows.ColumnTypes()
		if err != nil {
			t.Fatal(err)
		}
		var v any
		if !rows.Next() {
			t.Fatalf("%s: no row", query)
		}
		if err := rows.Scan(&v); err != nil {
			t.Fatal(err)
		}
		rows.Close()
		got, err := json.Marshal(Plain(v, types[0].DatabaseTypeName()))
		if err != nil || string(got) != want {
			t.Errorf("%s: %s (%v), want %s", query, got, err, want)
		}
	}
}
