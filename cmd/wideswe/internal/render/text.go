// Package render writes answers for people and scripts: rows of queries as a table, CSV or JSON, values as JSON, and
// sizes and times in words. It asks no question of its own.
package render

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/wideswe/wideswe/stages/evaluate/results"
)

// Bytes writes a size as people do.
func Bytes(n int64) string {
	switch {
	case n >= 1e9:
		return fmt.Sprintf("%.1f GB", float64(n)/1e9)
	case n >= 1e6:
		return fmt.Sprintf("%.0f MB", float64(n)/1e6)
	}
	return fmt.Sprintf("%.0f kB", float64(n)/1e3)
}

// Because writes a reason, which may be strangers' text, as one line that follows a statement.
func Because(reason string) string {
	if reason == "" {
		return ""
	}
	return ": " + strings.Join(strings.Fields(results.Plain(reason)), " ")
}

// Moment writes a time and how long ago it was.
func Moment(at time.Time) string {
	ago := max(0, time.Since(at)).Round(time.Second)
	return fmt.Sprintf("%s UTC, %s ago", at.UTC().Format("2006-01-02 15:04:05"), ago)
}

// Indented writes a value as indented JSON in which <, > and & stay as they are.
func Indented(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}
