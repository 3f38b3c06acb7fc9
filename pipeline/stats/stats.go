// Package stats is the arithmetic of reports and comparisons: intervals for shares,
// the paired test, agreement of annotators, and what sums up a list of numbers. It
// knows numbers alone; what they count is its callers'.
package stats

import (
	"math"
	"slices"
)

// z95 is the normal distribution's quantile for an interval of 95 %.
const z95 = 1.959963984540054

// Interval is a range of shares between 0 and 1.
type Interval struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// Wilson is the 95 % score interval (without continuity correction) of a share of
// passed in total. Nothing is known of a share of nothing: 0 to 1.
func Wilson(passed, total int) Interval {
	if total <= 0 {
		return Interval{0, 1}
	}
	n, p := float64(total), float64(passed)/float64(total)
	z2 := z95 * z95
	middle := (p + z2/(2*n)) / (1 + z2/n)
	half := z95 / (1 + z2/n) * math.Sqrt(p*(1-p)/n+z2/(4*n*n))
	i := Interval{max(0, middle-half), min(1, middle+half)}
	if passed == 0 { // what rounding leaves of nothing
		i.Low = 0
	}
	if passed == total {
		i.High = 1
	}
	return i
}

// McNemar is the exact two-sided p value of a paired comparison in which a pairs
// changed one way and b the other: a fair coin's chance of a division as uneven.
func McNemar(a, b int) float64 {
	n, k := a+b, min(a, b)
	if n == 0 {
		return 1
	}
	sum := 0.0
	for i := 0; i <= k; i++ {
		sum += math.Exp(choose(n, i) - float64(n)*math.Ln2)
	}
	return min(1, 2*sum)
}

// choose is the logarithm of the number of ways to take k of n.
func choose(n, k int) float64 {
	lg := func(x int) float64 { v, _ := math.Lgamma(float64(x + 1)); return v }
	return lg(n) - lg(k) - lg(n-k)
}

// Agreement is how far two annotators agree.
type Agreement struct {
	Items int     `json:"items"`
	Share float64 `json:"share"` // of the items on which they agree
	// Kappa is Cohen's: what they agree on beyond what their own frequencies would
	// bring about by chance. It is not defined where those leave no room.
	Kappa   float64 `json:"kappa"`
	Defined bool    `json:"defined"`
}

// Agree compares two annotators' answers, item by item.
func Agree[T comparable](pairs [][2]T) Agreement {
	n := float64(len(pairs))
	a := Agreement{Items: len(pairs)}
	if n == 0 {
		return a
	}
	first, second, same := map[T]float64{}, map[T]float64{}, 0.0
	var order []T // so that the sum has one order
	for _, p := range pairs {
		if first[p[0]]++; first[p[0]] == 1 {
			order = append(order, p[0])
		}
		second[p[1]]++
		if p[0] == p[1] {
			same++
		}
	}
	chance := 0.0
	for _, k := range order {
		chance += first[k] / n * second[k] / n
	}
	a.Share = same / n
	if chance < 1 {
		a.Kappa, a.Defined = (a.Share-chance)/(1-chance), true
	}
	return a
}

// Mean is the arithmetic mean, 0 of nothing.
func Mean(list []float64) float64 {
	if len(list) == 0 {
		return 0
	}
	sum := 0.0
	for _, x := range list {
		sum += x
	}
	return sum / float64(len(list))
}

// Variance is the sample's variance (n−1), 0 of fewer than two.
func Variance(list []float64) float64 {
	if len(list) < 2 {
		return 0
	}
	mean, sum := Mean(list), 0.0
	for _, x := range list {
		sum += (x - mean) * (x - mean)
	}
	return sum / float64(len(list)-1)
}

// Median is the middle one, or the mean of the middle two; 0 of nothing.
func Median(list []float64) float64 {
	if len(list) == 0 {
		return 0
	}
	s := slices.Sorted(slices.Values(list))
	return (s[(len(s)-1)/2] + s[len(s)/2]) / 2
}
