package settings

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Date is a day, or empty.
type Date struct{ time.Time }

// UnmarshalYAML reads 2006-01-02 or an RFC 3339 time.
func (d *Date) UnmarshalYAML(b []byte) error {
	s := scalar(b)
	if s == "" || s == "null" {
		d.Time = time.Time{}
		return nil
	}
	for _, layout := range []string{time.DateOnly, time.RFC3339} {
		if t, err := time.Parse(layout, s); err == nil {
			d.Time = t.UTC()
			return nil
		}
	}
	return fmt.Errorf("%q is not a day such as 2024-01-01", s)
}

// Duration is 30m, 24h, or a number of seconds.
type Duration struct{ time.Duration }

// UnmarshalYAML reads a Go duration or seconds.
func (d *Duration) UnmarshalYAML(b []byte) error {
	s := scalar(b)
	if n, err := strconv.Atoi(s); err == nil {
		d.Duration = time.Duration(n) * time.Second
		return nil
	}
	v, err := time.ParseDuration(s)
	if err != nil || v < 0 {
		return fmt.Errorf("%q is not a duration such as 30m or 24h", s)
	}
	d.Duration = v
	return nil
}

// Size is a number of bytes with an optional k, m, g or t.
type Size int64

// UnmarshalYAML reads 8g, 512m or bytes.
func (s *Size) UnmarshalYAML(b []byte) error {
	text := strings.ToLower(scalar(b))
	number := strings.TrimRight(text, "kmgtib")
	n, err := strconv.ParseFloat(number, 64)
	units := map[string]float64{"": 1, "b": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}
	unit, ok := units[strings.TrimRight(strings.TrimPrefix(text, number), "ib")]
	if err != nil || !ok || n <= 0 {
		return fmt.Errorf("%q is not a size such as 8g or 512m", text)
	}
	*s = Size(n * unit)
	return nil
}

// scalar returns the text of a YAML scalar without its quotes.
func scalar(b []byte) string { return strings.Trim(strings.TrimSpace(string(b)), `'"`) }
