//go:build !linux && !darwin

package doctor

import "errors"

// freeBytes returns the free space of the disk that holds a folder.
func freeBytes(string) (int64, error) {
	return 0, errors.New("free space is not known on this system")
}
