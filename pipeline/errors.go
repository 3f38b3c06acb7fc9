package pipeline

import (
	"errors"
	"fmt"
)

// SkipError ends an item as skipped. Its reason is a fact about the item and is
// read by people in SQL.
type SkipError struct{ Reason string }

func (e *SkipError) Error() string { return e.Reason }

// Skip returns the error that ends an item as skipped with this reason.
func Skip(format string, args ...any) error {
	return &SkipError{Reason: fmt.Sprintf(format, args...)}
}

// SkipReason gives the reason where err is a skip.
func SkipReason(err error) (string, bool) {
	var s *SkipError
	if errors.As(err, &s) {
		return s.Reason, true
	}
	return "", false
}

// NeedError says that something the work needs is missing: Docker, a token, disk
// space, the database. It stops the stage, since the next item would meet it too,
// and the program ends with 3. Its text names the next step.
type NeedError struct{ Message string }

func (e *NeedError) Error() string { return e.Message }

// Need returns a [NeedError].
func Need(format string, args ...any) error {
	return &NeedError{Message: fmt.Sprintf(format, args...)}
}

// UsageError says that the person's words, flags or files are wrong; the program
// ends with 2.
type UsageError struct{ Message string }

func (e *UsageError) Error() string { return e.Message }

// Usage returns a [UsageError].
func Usage(format string, args ...any) error {
	return &UsageError{Message: fmt.Sprintf(format, args...)}
}

// FailedItems says that a stage ended and some items failed; the next run tries
// them again. The program ends with 1.
type FailedItems struct {
	Stage string
	Count int
}

func (e *FailedItems) Error() string {
	return fmt.Sprintf("%s: %d items failed; wideswe status --failed shows why, the next run tries them again", e.Stage,
		e.Count)
}
