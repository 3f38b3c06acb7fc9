package stats

import (
	"math"
	"testing"
)

func near(t *testing.T, name string, got, want, within float64) {
	t.Helper()
	if math.IsNaN(got) || math.Abs(got-want) > within {
		t.Errorf("%s: %v, want %v", name, got, want)
	}
}

// The first four are the worked examples of Newcombe (1998), method 3.
func TestWilson(t *testing.T) {
	for _, tt := range []struct {
		passed, total int
		low, high     float64
	}{
		{81, 263, 0.2553, 0.3662}, {15, 148, 0.0624, 0.1605}, {0, 20, 0, 0.1611}, {1, 29, 0.0061, 0.1718},
		{29, 29, 0.8830, 1}, {0, 0, 0, 1}, {51, 120, 0.3402, 0.5144},
	} {
		i := Wilson(tt.passed, tt.total)
		near(t, "low", i.Low, tt.low, 0.00006)
		near(t, "high", i.High, tt.high, 0.00006)
	}
}

// The values are binomial sums over a power of two, written out.
func TestMcNemar(t *testing.T) {
	for _, tt := range []struct {
		a, b int
		want float64
	}{
		{0, 0, 1}, {1, 0, 1}, {0, 6, 2.0 / 64}, {5, 5, 1}, {1, 4, 12.0 / 32}, {11, 4, 2 * 1941.0 / 32768},
		{12, 8, 2 * 263950.0 / 1048576}, {17, 19, 0.8679}, {1000, 1000, 1}, {2000, 0, 0},
	} {
		near(t, "p", McNemar(tt.a, tt.b), tt.want, 0.00005)
		near(t, "the other way round", McNemar(tt.b, tt.a), tt.want, 0.00005)
	}
}

// table makes the pairs of a square of counts.
func table(counts [][]int) (pairs [][2]int) {
	for i, row := range counts {
		for j, n := range row {
			for range n {
				pairs = append(pairs, [2]int{i, j})
			}
		}
	}
	return pairs
}

func TestAgree(t *testing.T) {
	for name, tt := range map[string]struct {
		counts       [][]int
		share, kappa float64
		defined      bool
	}{
		"a textbook's":   {[][]int{{20, 5}, {10, 15}}, 0.7, 0.4, true},
		"the same share": {[][]int{{45, 15}, {25, 15}}, 0.6, 0.1304, true},
		"other margins":  {[][]int{{25, 35}, {5, 35}}, 0.6, 0.2593, true},
		"three classes": {[][]int{{10, 1, 0}, {2, 5, 1}, {0, 0, 6}}, 21.0 / 25, (21.0/25 - 222.0/625) / (1 - 222.0/625),
			true},
		"whole":             {[][]int{{3, 0}, {0, 4}}, 1, 1, true},
		"worse than chance": {[][]int{{0, 5}, {5, 0}}, 0, -1, true},
		"one class alone":   {[][]int{{7}}, 1, 0, false},
		"nothing":           {nil, 0, 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			a := Agree(table(tt.counts))
			near(t, "share", a.Share, tt.share, 0.00005)
			near(t, "kappa", a.Kappa, tt.kappa, 0.00005)
			if a.Defined != tt.defined {
				t.Errorf("defined: %v", a.Defined)
			}
		})
	}
}

func TestLists(t *testing.T) {
	for _, tt := range []struct {
		list                   []float64
		mean, variance, median float64
	}{
		{nil, 0, 0, 0}, {[]float64{4}, 4, 0, 4}, {[]float64{2, 4, 4, 4, 5, 5, 7, 9}, 5, 32.0 / 7, 4.5}, {[]float64{9, 1, 3},
			13.0 / 3, 52.0 / 3, 3},
	} {
		near(t, "mean", Mean(tt.list), tt.mean, 1e-12)
		near(t, "variance", Variance(tt.list), tt.variance, 1e-12)
		near(t, "median", Median(tt.list), tt.median, 1e-12)
	}
}
