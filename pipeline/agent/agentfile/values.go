package agentfile

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Command is a list of words, or a line for the shell.
type Command struct {
	Words []string `json:"words,omitempty"`
	Line  string   `json:"line,omitempty"`
}

// UnmarshalYAML reads a list of words or a line.
func (c *Command) UnmarshalYAML(read func(any) error) error {
	if read(&c.Words) == nil {
		return nil
	}
	c.Words = nil
	return read(&c.Line)
}

// Duration is written as 90m, or in seconds.
type Duration time.Duration

// UnmarshalYAML reads it.
func (d *Duration) UnmarshalYAML(b []byte) error {
	text := strings.Trim(strings.TrimSpace(string(b)), `'"`)
	if n, err := strconv.Atoi(text); err == nil {
		text = fmt.Sprintf("%ds", n)
	}
	v, err := time.ParseDuration(text)
	if err != nil || v <= 0 {
		return fmt.Errorf("%q is not a duration such as 90m or 2h", text)
	}
	*d = Duration(v)
	return nil
}

// Size is written as 8g, 512m, or in bytes.
type Size int64

// UnmarshalYAML reads it.
func (s *Size) UnmarshalYAML(b []byte) error {
	text := strings.ToLower(strings.Trim(strings.TrimSpace(string(b)), `'"`))
	unit := int64(1)
	if i := strings.IndexAny("kmgt", text[max(0, len(text)-1):]); text != "" && i >= 0 {
		unit, text = 1<<(10*(i+1)), text[:len(text)-1]
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || n <= 0 || n*float64(unit) > 1<<50 {
		return fmt.Errorf("%q is not a size such as 8g or 512m", strings.TrimSpace(string(b)))
	}
	*s = Size(n * float64(unit))
	return nil
}
