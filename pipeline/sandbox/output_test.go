package sandbox

import (
	"bytes"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestOutputKeepsHeadAndTail(t *testing.T) {
	for _, size := range []int{1, 7, 100, 5000} {
		k := NewOutput(40)
		var all bytes.Buffer
		for i := 0; all.Len() < 1000; i++ {
			p := []byte(strings.Repeat(string(rune('a'+i%26)), size))
			all.Write(p)
			if n, err := k.Write(p); n != len(p) || err != nil {
				t.Fatal(n, err)
			}
		}
		got, dropped := k.Bytes()
		want := append(append([]byte{}, all.Bytes()[:10]...), all.Bytes()[all.Len()-30:]...)
		note := "\n[" + strconv.Itoa(all.Len()-40) + " bytes left out]\n"
		if d := cmp.Diff(string(want[:10])+note+string(want[10:]), string(got)); d != "" || dropped != int64(all.Len()-40) {
			t.Errorf("size %d: dropped %d %s", size, dropped, d)
		}
	}
	k := NewOutput(40)
	_, _ = k.Write([]byte("short"))
	if got, dropped := k.Bytes(); string(got) != "short" || dropped != 0 {
		t.Errorf("%q %d", got, dropped)
	}
}
