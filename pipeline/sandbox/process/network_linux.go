package process

import (
	"runtime"
	"syscall"
	"unsafe"
)

// withoutNetwork starts a process in a network namespace of its own that has the
// loopback device only, and says whether that worked. Only root may; where it
// does not work nothing was started.
func withoutNetwork(start func() error) (off bool, err error) {
	type answer struct {
		off bool
		err error
	}
	done := make(chan answer)
	go func() {
		// The thread is never unlocked, so it dies with the goroutine and its
		// namespace serves nobody else.
		runtime.LockOSThread()
		if syscall.Unshare(syscall.CLONE_NEWNET) != nil || raiseLoopback() != nil {
			done <- answer{}
			return
		}
		done <- answer{true, start()}
	}()
	a := <-done
	return a.off, a.err
}

// raiseLoopback brings lo up in the thread's network namespace.
func raiseLoopback() error {
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_DGRAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer syscall.Close(fd)
	var ifreq struct {
		name  [syscall.IFNAMSIZ]byte
		flags uint16
		_     [22]byte
	}
	copy(ifreq.name[:], "lo")
	ifreq.flags = syscall.IFF_UP | syscall.IFF_RUNNING
	if _, _, e := syscall.Syscall(syscall.SYS_IOCTL, uintptr(fd), syscall.SIOCSIFFLAGS,
		uintptr(unsafe.Pointer(&ifreq))); e != 0 {
		return e
	}
	return nil
}
