package evaluate

import "testing"

func TestHoursText(t *testing.T) {
	for h, want := range map[float64]string{0.001: "4 s", 0.5: "30 min", 2.25: "2.2 h", 40: "40 h"} {
		if got := hoursText(h); got != want {
			t.Errorf("%v h: %q", h, got)
		}
	}
}
