package runs

import (
	"context"
	"errors"
	"syscall"
	"time"

	"github.com/gofrs/flock"
)

// lockPatience is how long to wait for a lock: a child process of a killed run may hold it a moment longer.
const lockPatience = 2 * time.Second

// lockFile locks a file for this process; the lock ends with the process.
func lockFile(name string) (*flock.Flock, error) {
	ctx, cancel := context.WithTimeout(context.Background(), lockPatience)
	defer cancel()
	lock := flock.New(name, flock.SetPermissions(0o644))
	locked, err := lock.TryLockContext(ctx, 20*time.Millisecond)
	if locked {
		return lock, nil
	}
	if errors.Is(err, context.DeadlineExceeded) {
		err = syscall.EWOULDBLOCK
	}
	_ = lock.Close()
	return nil, err
}
