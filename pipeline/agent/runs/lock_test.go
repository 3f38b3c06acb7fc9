package runs

import (
	"path/filepath"
	"testing"
	"time"
)

func TestLockOfAProcessThatIsGoingIsWaitedForAndThatOfALivingOneNot(t *testing.T) {
	name := filepath.Join(t.TempDir(), "lock")
	first, err := lockFile(name)
	if err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(lockPatience/10, func() { first.Close() })
	second, err := lockFile(name)
	if err != nil {
		t.Fatal("the lock was free a moment later: ", err)
	}
	defer second.Close()
	if third, err := lockFile(name); err == nil {
		third.Close()
		t.Error("two hold the lock")
	}
}
