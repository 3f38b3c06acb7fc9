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

	"github.com/wideswe/wideswe/cmd/wideswe/internal/env"
	"github.com/wideswe/wideswe/cmd/wideswe/internal/exit"
	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/sandbox"
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run is main without the process: the whole program for tests.
func run(args []string, in io.Reader, out, errOut io.Writer) int {
	ctx, stop := interruptible(context.Background())
	defer stop()
	a := &env.Env{In: in, Out: out, Err: errOut}
	root := newRoot(a)
	root.SetArgs(args)
	root.SetIn(in)
	root.SetOut(out)
	root.SetErr(errOut)
	err := root.ExecuteContext(ctx)
	a.Close()
	code := exitCode(ctx, err)
	if err != nil && code != exit.Interrupted {
		fmt.Fprintf(errOut, "wideswe: %v\n", err)
	}
	if code == exit.Interrupted {
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
		code  *exit.Error
	)
	switch {
	case err == nil:
		return exit.Done
	case errors.As(err, &code):
		return code.Code
	case ctx.Err() != nil, errors.Is(err, context.Canceled):
		return exit.Interrupted
	case errors.As(err, &usage):
		return exit.Usage
	case errors.As(err, &need), errors.As(err, &image):
		return exit.Missing
	}
	return exit.Failed
}
