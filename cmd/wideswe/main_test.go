package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/wideswe/wideswe/pipeline/testscope"
)

// interruptedChild makes this test's program the one that is interrupted.
const interruptedChild = "WIDESWE_TEST_INTERRUPTED"

// What timeout(1) does is one interrupt; a person's second one ends the program.
func TestInterruptThatComesTwiceIsOne(t *testing.T) {
	testscope.NotShort(t, "it runs the whole program")
	if os.Getenv(interruptedChild) != "" {
		cleanUpWhenInterrupted()
		return
	}
	for name, c := range map[string]struct {
		between time.Duration
		cleans  bool
	}{
		"at once":        {50 * time.Millisecond, true},
		"by the patient": {oneInterrupt + 500*time.Millisecond, false},
	} {
		t.Run(name, func(t *testing.T) {
			child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestInterruptThatComesTwiceIsOne$")
			child.Env = append(os.Environ(), interruptedChild+"=1")
			out, err := child.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := child.Start(); err != nil {
				t.Fatal(err)
			}
			lines := bufio.NewScanner(out)
			if !lines.Scan() || lines.Text() != "ready" {
				t.Fatalf("the program said %q", lines.Text())
			}
			for range 2 {
				if err := child.Process.Signal(syscall.SIGTERM); err != nil {
					t.Fatal(err)
				}
				time.Sleep(c.between)
			}
			var said []string
			for lines.Scan() {
				said = append(said, lines.Text())
			}
			_ = child.Wait() // how it ends is what it said
			if got := strings.Contains(strings.Join(said, "\n"), "cleaned"); got != c.cleans {
				t.Errorf("it cleaned up: %v, want %v; it said %q", got, c.cleans, said)
			}
		})
	}
}

func cleanUpWhenInterrupted() {
	ctx, stop := interruptible(context.Background())
	defer stop()
	fmt.Println("ready")
	<-ctx.Done()
	time.Sleep(oneInterrupt + 2*time.Second) // cleaning takes longer than a second interrupt
	fmt.Println("cleaned")
}
