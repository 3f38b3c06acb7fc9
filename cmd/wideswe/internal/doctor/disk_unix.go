//go:build linux || darwin

package doctor

import (
	"syscall"
)

// freeBytes returns the free space of the disk that holds a folder.
func freeBytes(dir string) (int64, error) {
	var s syscall.Statfs_t
	err := syscall.Statfs(dir, &s)
	return int64(s.Bavail) * int64(s.Bsize), err
}
