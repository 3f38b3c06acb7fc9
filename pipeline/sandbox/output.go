package sandbox

import (
	"bytes"
	"fmt"
	"sync"
)

// Output is a writer of bounded size: it keeps the first quarter and the last
// three, since a build fails at its start and a test run sums up at its end.
type Output struct {
	mu      sync.Mutex
	max     int64
	head    []byte
	tail    []byte // a ring once it is full
	oldest  int    // the ring's oldest byte
	dropped int64
}

// NewOutput makes an output that keeps so many bytes.
func NewOutput(max int64) *Output { return &Output{max: max} }

// NewOutputs makes outputs for a run's two streams: one for both, or one each.
func NewOutputs(max int64, split bool) (out, errs *Output) {
	out = NewOutput(max)
	if !split {
		return out, out
	}
	return out, NewOutput(max)
}

// Write never fails and never keeps more than the bound.
func (o *Output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	n := len(p)
	if room := int(o.max/4) - len(o.head); room > 0 {
		fits := min(room, len(p))
		o.head = append(o.head, p[:fits]...)
		p = p[fits:]
	}
	size := int(o.max - o.max/4)
	if over := len(p) - size; over > 0 {
		o.dropped += int64(over)
		p = p[over:]
	}
	if room := size - len(o.tail); room > 0 {
		fits := min(room, len(p))
		o.tail = append(o.tail, p[:fits]...)
		p = p[fits:]
	}
	for len(p) > 0 {
		c := copy(o.tail[o.oldest:], p)
		o.dropped += int64(c)
		p, o.oldest = p[c:], (o.oldest+c)%size
	}
	return n, nil
}

// Bytes gives what was kept, with a line that says how much is missing.
func (o *Output) Bytes() (kept []byte, dropped int64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	var b bytes.Buffer
	b.Write(o.head)
	if o.dropped > 0 {
		fmt.Fprintf(&b, "\n[%d bytes left out]\n", o.dropped)
	}
	b.Write(o.tail[o.oldest:])
	b.Write(o.tail[:o.oldest])
	return b.Bytes(), o.dropped
}

// SetOutput puts what a run's outputs kept into its result.
func (r *Result) SetOutput(out, errs *Output) {
	r.Output, r.Truncated = out.Bytes()
	if errs != out {
		var n int64
		r.Errors, n = errs.Bytes()
		r.Truncated += n
	}
}
