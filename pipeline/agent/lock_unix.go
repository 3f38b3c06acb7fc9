//go:build unix

package agent

import (
	"os"
	"syscall"
	"time"
)

// lockPatience is how long a lock may be held by nobody any more: a process that was
// killed as it began another one still holds it until that one is under way.
const lockPatience = 2 * time.Second

// lockFile holds a file for this process alone; the lock ends with the process.
func lockFile(name string) (*os.File, error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	for end := time.Now().Add(lockPatience); ; time.Sleep(20 * time.Millisecond) {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return f, nil
		}
		if err != syscall.EWOULDBLOCK && err != syscall.EINTR || time.Now().After(end) {
			_ = f.Close()
			return nil, err
		}
	}
}
