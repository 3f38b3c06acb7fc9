package evaluate

import (
	"errors"
	"fmt"
	"strings"
	"syscall"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/sandbox"
)

// imageGoneError is an image that was there and is no more: the next try makes it anew.
type imageGoneError struct{ err error }

func (e *imageGoneError) Error() string { return e.err.Error() }
func (e *imageGoneError) Unwrap() error { return e.err }

// isTransient knows trouble that may be over at the next try. An image that nobody has
// would be missing again.
func isTransient(err error) bool {
	var gone *imageGoneError
	var missing *sandbox.MissingImageError
	if errors.As(err, &missing) && !sandbox.IsInfra(err) {
		return errors.As(err, &gone)
	}
	return sandbox.IsInfra(err)
}

// explainFullDisk makes a full disk of ours what a person must act on.
func explainFullDisk(err error, scratch, out string) error {
	if err == nil || isNeed(err) {
		return err
	}
	if errors.Is(err, syscall.ENOSPC) || strings.Contains(strings.ToLower(err.Error()), "no space left on device") {
		return fmt.Errorf("%w (%w)", pipeline.Need("a disk is full (%s, or the one of %s): "+
			"free some space and run the same command again", scratch, out), err)
	}
	return err
}

// isNeed tells whether a person has to act before anything goes on.
func isNeed(err error) bool {
	var need *pipeline.NeedError
	return errors.As(err, &need)
}
