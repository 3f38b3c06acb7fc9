// Package exit is the exit codes of the program, and the error of a command that chooses its own. Which code any other
// error has is main's to say.
package exit

import "fmt"

// The exit codes; others script against them.
const (
	Done        = 0
	Failed      = 1 // some items failed: run again
	Usage       = 2
	Missing     = 3 // Docker, token, database in use, disk space
	Interrupted = 130
)

// Error is an error with an exit code of its own.
type Error struct {
	Code int
	Text string
}

// Error implements the interface error.
func (e *Error) Error() string { return e.Text }

// Failure returns an error with the code [Failed].
func Failure(format string, args ...any) error {
	return &Error{Code: Failed, Text: fmt.Sprintf(format, args...)}
}
