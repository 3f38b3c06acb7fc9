package render

import (
	"fmt"
	"strings"
	"time"

	"github.com/wideswe/wideswe/stages/evaluate"
)

// bytesText writes a size as people do.
func Bytes(n int64) string {
	switch {
	case n >= 1e9:
		return fmt.Sprintf("%.1f GB", float64(n)/1e9)
	case n >= 1e6:
		return fmt.Sprintf("%.0f MB", float64(n)/1e6)
	}
	return fmt.Sprintf("%.0f kB", float64(n)/1e3)
}

// because adds a reason, which may be strangers' text, as one line.
func Because(reason string) string {
	if reason == "" {
		return ""
	}
	return ": " + strings.Join(strings.Fields(evaluate.Plain(reason)), " ")
}

// moment writes a time and how long ago it was.
func Moment(at time.Time) string {
	return fmt.Sprintf("%s UTC, %s ago", at.UTC().Format("2006-01-02 15:04:05"), max(0, time.Since(at)).Round(time.Second))
}
