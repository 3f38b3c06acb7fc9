package store

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"strings"
	"time"

	"github.com/marcboeker/go-duckdb"
)

// timeLayout is how a moment is written; the database keeps UTC.
const timeLayout = "2006-01-02T15:04:05.999999Z"

// Plain turns a value of a query's answer into what JSON and people can read: nil,
// bool, whole numbers and floats, json.Number (decimals and huge integers, exactly),
// string, []any and map[string]any. The column's type, as
// [database/sql.ColumnType.DatabaseTypeName] gives it, tells apart what the driver
// makes alike: dates and times, text and bytes.
func Plain(v any, typeName string) any {
	switch v := v.(type) {
	case time.Time:
		return plainTime(v, typeName)
	case duckdb.Decimal:
		return json.Number(v.String())
	case *big.Int:
		return json.Number(v.String())
	case float64:
		return plainFloat(v)
	case float32:
		return plainFloat(float64(v))
	case duckdb.Interval:
		return plainInterval(v)
	case []byte:
		return plainBytes(v, typeName)
	case []any:
		list := make([]any, len(v))
		for i, x := range v {
			list[i] = Plain(x, elementType(typeName))
		}
		return list
	case map[string]any:
		m := make(map[string]any, len(v))
		for k, x := range v {
			m[k] = Plain(x, "")
		}
		return m
	case duckdb.Map:
		m := make(map[string]any, len(v))
		for k, x := range v {
			m[fmt.Sprint(Plain(k, ""))] = Plain(x, "")
		}
		return m
	}
	return v
}

// elementType takes the last [] or [3] off the type of a list or an array.
func elementType(list string) string {
	if i := strings.LastIndexByte(list, '['); i > 0 {
		return list[:i]
	}
	return ""
}

func plainTime(t time.Time, typeName string) string {
	switch typeName {
	case "DATE":
		return t.UTC().Format(time.DateOnly)
	case "TIME", "TIMETZ":
		return t.Format("15:04:05.999999")
	}
	return t.UTC().Format(timeLayout)
}

// plainFloat writes as text what JSON has no number for.
func plainFloat(f float64) any {
	switch {
	case math.IsNaN(f):
		return "NaN"
	case math.IsInf(f, 1):
		return "Infinity"
	case math.IsInf(f, -1):
		return "-Infinity"
	}
	return f
}

// plainInterval writes an interval as DuckDB does: 1 year 2 months 3 days 04:05:06.5.
func plainInterval(v duckdb.Interval) string {
	var parts []string
	add := func(n int32, unit string) {
		switch n {
		case 0:
		case 1, -1:
			parts = append(parts, fmt.Sprintf("%d %s", n, unit))
		default:
			parts = append(parts, fmt.Sprintf("%d %ss", n, unit))
		}
	}
	add(v.Months/12, "year")
	add(v.Months%12, "month")
	add(v.Days, "day")
	if v.Micros != 0 || len(parts) == 0 {
		sign, d := "", time.Duration(v.Micros)*time.Microsecond
		if d < 0 {
			sign, d = "-", -d
		}
		clock := fmt.Sprintf("%s%02d:%02d:%02d", sign, d/time.Hour, d/time.Minute%60, d/time.Second%60)
		if µ := d % time.Second / time.Microsecond; µ != 0 {
			clock += strings.TrimRight(fmt.Sprintf(".%06d", µ), "0")
		}
		parts = append(parts, clock)
	}
	return strings.Join(parts, " ")
}

// plainBytes writes a BLOB as DuckDB does: \xFF for each byte that is no printable ASCII.
func plainBytes(b []byte, typeName string) string {
	if typeName == "UUID" && len(b) == 16 {
		id := duckdb.UUID(b)
		return id.String()
	}
	var s strings.Builder
	for _, c := range b {
		if c < ' ' || c > '~' || c == '\\' {
			fmt.Fprintf(&s, `\x%02X`, c)
			continue
		}
		s.WriteByte(c)
	}
	return s.String()
}
