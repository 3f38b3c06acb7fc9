package pipeline

import "fmt"

// DidYouMean is the part of a message that asks whether a person meant the name
// nearest to an unknown word; none where no name is near enough to be meant.
func DidYouMean(word string, names []string) string {
	name := nearest(word, names)
	if name == "" || distance(word, name) > 1+max(len(word), len(name))/3 {
		return ""
	}
	return fmt.Sprintf(" (did you mean %q?)", name)
}

// nearest gives the name with the smallest edit distance to a word.
func nearest(word string, names []string) string {
	best, least := "", 1<<30
	for _, n := range names {
		if d := distance(word, n); d < least {
			best, least = n, d
		}
	}
	return best
}

func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		diagonal := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			change := diagonal
			if a[i-1] != b[j-1] {
				change++
			}
			diagonal = row[j]
			row[j] = min(change, row[j]+1, row[j-1]+1)
		}
	}
	return row[len(b)]
}
