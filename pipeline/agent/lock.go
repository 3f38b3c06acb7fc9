package agent

import (
	"context"
	"errors"
	"syscall"
	"time"

	"github.com/gofrs/flock"
)

// lockPatience is how long a lock may be held by nobody any more: a process that was
// killed as it began another one still holds it until that one is under way.
const lockPatience = 2 * time.Second

// lockFile holds a file for this process alone; the lock ends with the process.
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
