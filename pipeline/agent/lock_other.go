//go:build !unix

package agent

import "os"

// lockFile opens the file; this system has no lock that ends with its process.
func lockFile(name string) (*os.File, error) {
	return os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o644)
}
