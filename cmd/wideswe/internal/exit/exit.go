package exit

// The exit codes; others script against them.
const (
	Done        = 0
	Failed      = 1 // some items failed: run again
	Usage       = 2
	Missing     = 3 // Docker, token, database in use, disk space
	Interrupted = 130
)

// exitError carries an exit code of its own.
type Error struct {
	Code int
	Text string
}

func (e *Error) Error() string { return e.Text }
