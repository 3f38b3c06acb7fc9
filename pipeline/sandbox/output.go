package sandbox

import (
	"bytes"
	"fmt"
	"sync"
)

// keeper is a writer of bounded size: it keeps the first quarter and the last
// three, since a build fails at its start and a test run sums up at its end.
type Output struct {
	mu      sync.Mutex
	max     int64
	head    []byte
	tail    []byte // a ring once it is full
	at      int    // the ring's oldest byte
	dropped int64
}

func NewOutput(max int64) *Output { return &Output{max: max} }

// Write never fails and never keeps more than the bound.
func (k *Output) Write(p []byte) (int, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	n := len(p)
	if room := int(k.max/4) - len(k.head); room > 0 {
		take := min(room, len(p))
		k.head = append(k.head, p[:take]...)
		p = p[take:]
	}
	size := int(k.max - k.max/4)
	if over := len(p) - size; over > 0 {
		k.dropped += int64(over)
		p = p[over:]
	}
	if room := size - len(k.tail); room > 0 {
		take := min(room, len(p))
		k.tail = append(k.tail, p[:take]...)
		p = p[take:]
	}
	for len(p) > 0 {
		c := copy(k.tail[k.at:], p)
		k.dropped += int64(c)
		p, k.at = p[c:], (k.at+c)%size
	}
	return n, nil
}

// result gives what was kept, with a line that says how much is missing.
func (k *Output) Bytes() (out []byte, dropped int64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	var b bytes.Buffer
	b.Write(k.head)
	if k.dropped > 0 {
		fmt.Fprintf(&b, "\n[%d bytes left out]\n", k.dropped)
	}
	b.Write(k.tail[k.at:])
	b.Write(k.tail[:k.at])
	return b.Bytes(), k.dropped
}

// keepers are for a run's two streams: one for both, or one each.
func NewOutputs(max int64, split bool) (out, errs *Output) {
	out = NewOutput(max)
	if !split {
		return out, out
	}
	return out, NewOutput(max)
}

// keep takes over what they kept.
func (r *Result) SetOutput(out, errs *Output) {
	r.Output, r.Truncated = out.Bytes()
	if errs != out {
		var n int64
		r.Errors, n = errs.Bytes()
		r.Truncated += n
	}
}
