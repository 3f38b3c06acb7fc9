//go:build unix

package docker

import (
	"errors"
	"syscall"
)

// alive says whether a process with this number exists.
func alive(pid int) bool {
	err := syscall.Kill(pid, 0)
	return err == nil || errors.Is(err, syscall.EPERM)
}
