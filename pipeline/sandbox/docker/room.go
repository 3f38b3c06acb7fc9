package docker

import (
	"bytes"
	"context"
	"errors"
	"time"

	"github.com/wideswe/wideswe/pipeline/sandbox"
)

// fullDisk is what to do about it.
const fullDisk = "the disk that holds Docker's data is full: free some space (docker system df shows what is there) " +
	"and run again"

// speaksOfRoom says whether a run's output tells of a disk that is full. It proves
// nothing, since a run writes what it likes: it is a reason to look.
func speaksOfRoom(r sandbox.Result) bool {
	for _, text := range [][]byte{r.Output, r.Errors} {
		text = bytes.ToLower(text)
		for _, word := range []string{"no space left on device", "enospc", "disk full", "disk is full",
			"disk quota exceeded"} {
			if bytes.Contains(text, []byte(word)) {
				return true
			}
		}
	}
	return false
}

// needRoom makes a run without room trouble of ours. Its container is gone by now, so
// that what it wrote itself is no reason; look is a run that has nothing of its code.
func needRoom(r sandbox.Result, look func() (sandbox.Result, error)) error {
	if !speaksOfRoom(r) {
		return nil
	}
	probe, err := look()
	if err != nil {
		return err
	}
	if probe.ExitCode == 0 || !speaksOfRoom(probe) {
		return nil
	}
	return &sandbox.InfraError{Op: "running a container", Err: errors.New("no space left on device"), Need: fullDisk}
}

// room tries to write some megabytes as the user of the run, who may have less room
// than the engine has.
func (d *Sandbox) room(ctx context.Context, s sandbox.Spec) (sandbox.Result, error) {
	l := sandbox.Limits{Timeout: time.Minute}
	return d.runBeside(ctx, sandbox.Spec{Image: s.Image, User: s.User, Limits: l.Defaults(),
		Script: "head -c 8388608 /dev/zero > /tmp/wideswe/.room\n"}, "")
}
