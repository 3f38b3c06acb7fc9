package sandbox

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"

	"github.com/wideswe/wideswe/pipeline"
)

// InfraError is trouble of the engine or the machine, never the fault of what ran.
type InfraError struct {
	Op  string
	Err error
	// Need is the sentence for the person where waiting does not help: the
	// engine is down, the disk is full.
	Need string
}

func (e *InfraError) Error() string {
	if e.Need != "" {
		return e.Need
	}
	return e.Op + ": " + e.Err.Error()
}

// Unwrap gives the cause; where a person must act it is a [pipeline.NeedError],
// so that the engine stops a stage.
func (e *InfraError) Unwrap() []error {
	if e.Need != "" {
		return []error{e.Err, pipeline.Need("%s", e.Need)}
	}
	return []error{e.Err}
}

// IsInfra says whether err is trouble of the engine or the machine.
func IsInfra(err error) bool {
	var e *InfraError
	return errors.As(err, &e)
}

// MachineError makes an [InfraError] of an error of this machine.
func MachineError(op string, err error) error {
	if err == nil || errors.Is(err, context.Canceled) {
		return err
	}
	e := &InfraError{Op: op, Err: err}
	if errors.Is(err, syscall.ENOSPC) {
		e.Need = "the disk that holds " + os.TempDir() +
			" is full: free some space, or set TMPDIR to a folder on another disk, and run again"
	}
	return e
}

// MissingImageError says that an image is not there and can't be pulled. It is a
// fact about the recipes that name it: what uses other images goes on.
type MissingImageError struct {
	Name string
	Why  string // what the pull ended with, where one was tried
}

func (e *MissingImageError) Error() string {
	if strings.HasPrefix(e.Name, "sha256:") {
		// Nobody names an image so by hand: it was there when it was looked for.
		return "Docker no longer has the image " + e.Name +
			", which docker rmi or docker image prune may have removed; run again, and what is ours is made anew"
	}
	text := "Docker has no image " + e.Name + ": pull it, or build one with scripts/base-image and name it," +
		" under images in wideswe.yaml or by evaluate --image " + e.Name + "=LOCAL"
	if e.Why != "" {
		text += " (" + e.Why + ")"
	}
	return text
}

// ServiceError says that a service did not come up: the recipe's matter.
type ServiceError struct{ Name, Why, Log string }

func (e *ServiceError) Error() string {
	text := "the service " + e.Name + " " + e.Why
	if e.Log != "" {
		text += ": " + LastLines(e.Log, 3)
	}
	return text
}

// BuildError is a step of an image's making that ended badly.
type BuildError struct {
	Step     string
	ExitCode int
	TimedOut bool
	Tail     string // the last lines it printed
	Why      string // what [ImageSpec.Explain] says of them; "" leaves the lines to speak
}

func (e *BuildError) Error() string {
	how := fmt.Sprintf("exit %d", e.ExitCode)
	if e.TimedOut {
		how = "timed out"
	}
	return fmt.Sprintf("%s: %s: %s", e.Step, how, cmp.Or(e.Why, LastLines(e.Tail, 3)))
}

// Transient says whether the step's words speak of a network that did not answer;
// such a build is tried again instead of being held against the repository.
func (e *BuildError) Transient() bool {
	for _, s := range []string{"Temporary failure", "Could not resolve", "Could not connect", "connection timed out",
		"Connection timed out", "TLS handshake timeout", "i/o timeout", "connection refused", "Connection refused",
		"502 Bad Gateway", "503 Service Unavailable", "504 Gateway", "no such host", "Network is unreachable",
		"network is unreachable", "Read timed out", "connection reset by peer"} {
		if strings.Contains(e.Tail, s) {
			return true
		}
	}
	return false
}

// LastLines gives the last n lines that say something, on one line.
func LastLines(s string, n int) string {
	var lines []string
	for _, l := range strings.Split(s, "\n") {
		if l = strings.TrimSpace(l); l != "" {
			lines = append(lines, l)
		}
	}
	if len(lines) > n {
		lines = lines[len(lines)-n:]
	}
	text := strings.ToValidUTF8(strings.Join(lines, " | "), "\uFFFD")
	if r := []rune(text); len(r) > 600 {
		text = "…" + string(r[len(r)-600:])
	}
	return text
}
