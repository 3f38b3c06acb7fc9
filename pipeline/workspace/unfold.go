package workspace

import (
	"fmt"
	"os"

	"github.com/wideswe/wideswe/pipeline/patch"
)

// maxUnfolded bounds what a patch may write: its text, the binary content that it holds
// compressed, and the files that it copies.
const maxUnfolded = 512 << 20

// checkUnfolded refuses a patch that unfolds to more than [maxUnfolded].
func checkUnfolded(root *os.Root, diff []byte) error {
	files, err := patch.Parse(diff)
	if err != nil {
		return &FailedError{err.Error()}
	}
	sum := int64(len(diff))
	for _, f := range files {
		n, err := f.Unfolded()
		if err != nil {
			return &FailedError{err.Error()}
		}
		if f.Op == patch.Copy {
			if info, err := root.Lstat(f.OldPath); err == nil {
				n += info.Size()
			}
		}
		if sum += n; n > maxUnfolded || sum > maxUnfolded {
			return &FailedError{fmt.Sprintf("it unfolds to more than %d MiB at %q", maxUnfolded>>20, f.Path())}
		}
	}
	return nil
}
