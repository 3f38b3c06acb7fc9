package kit

import (
	"math/rand/v2"
	"slices"
)

// shuffledFiles are files in a job's order: another one than given, wherever there
// are two.
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
