package kit

import (
	"math/rand/v2"
	"slices"
)

// ShuffledFiles gives files in a job's order: where there are two or more, in another
// order than the given one, unless the seed is 0.
func ShuffledFiles(files []string, seed int64) []string {
	if seed == 0 || len(files) < 2 {
		return files
	}
	out := slices.Clone(files)
	r := rand.New(rand.NewPCG(uint64(seed), 0))
	for try := 0; try < 20 && slices.Equal(out, files); try++ {
		r.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	}
	return out
}
