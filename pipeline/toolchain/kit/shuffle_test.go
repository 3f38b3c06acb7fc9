package kit

import (
	"slices"
	"testing"
)

func TestShuffledFiles(t *testing.T) {
	for _, files := range [][]string{nil, {"a"}, {"a", "a"}, {"a", "b"}, {"a", "b", "c", "d"}} {
		before := slices.Clone(files)
		got := ShuffledFiles(files, 3)
		if !slices.Equal(files, before) || !slices.Equal(slices.Sorted(slices.Values(got)), files) {
			t.Errorf("%q became %q", before, got)
		}
		if len(files) > 1 && files[0] != files[1] && slices.Equal(got, files) {
			t.Errorf("%q kept its order", files)
		}
		if !slices.Equal(ShuffledFiles(files, 0), files) {
			t.Errorf("%q is shuffled without a seed", files)
		}
	}
}
