// Command wideswe builds and scores benchmarks of coding tasks that need
// coordinated changes in several repositories. This folder holds the command
// line: one file a command group, the config file, signals and exit codes. What
// the commands do lives in stages/ and pipeline/.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/sandbox"
)

// The exit codes; others script against them.
const (
	exitDone        = 0
	exitFailed      = 1 // some items failed: run again
	exitUsage       = 2
	exitNeed        = 3 // Docker, token, database in use, disk space
	exitInterrupted = 130
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run is main without the process: the whole program for tests.
func run(args []string, in io.Reader, out, errOut io.Writer) int {
	ctx, stop := interruptible(context.Background())
	defer stop()
	a := &app{in: in, out: out, err: errOut}
	root := newRoot(a)
	root.SetArgs(args)
	root.SetIn(in)
	root.SetOut(out)
	root.SetErr(errOut)
	err := root.ExecuteContext(ctx)
	a.close()
	code := exitCode(ctx, err)
	if err != nil && code != exitInterrupted {
		fmt.Fprintf(errOut, "wideswe: %v\n", err)
	}
	if code == exitInterrupted {
		fmt.Fprintln(errOut, "wideswe: interrupted; what was done is kept, run again to go on")
	}
	return code
}

// oneInterrupt is how long what arrives is the same interrupt: timeout(1), shells and
// CI send it to a program and to the program's group, so that it comes twice.
const oneInterrupt = time.Second

// interruptible ends with the first interrupt, which takes no new item and cleans up;
// a second one ends the program at once.
func interruptible(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-ctx.Done()
		time.Sleep(oneInterrupt)
		stop()
	}()
	return ctx, stop
}

func exitCode(ctx context.Context, err error) int {
	var (
		usage *pipeline.UsageError
		need  *pipeline.NeedError
		image *sandbox.MissingImageError
		code  *exitError
	)
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &code):
		return code.code
	case ctx.Err() != nil, errors.Is(err, context.Canceled):
		return exitInterrupted
	case errors.As(err, &usage):
		return exitUsage
	case errors.As(err, &need), errors.As(err, &image):
		return exitNeed
	}
	return exitFailed
}

// exitError carries an exit code of its own.
type exitError struct {
	code int
	text string
}

func (e *exitError) Error() string { return e.text }
