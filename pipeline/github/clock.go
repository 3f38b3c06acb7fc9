package github

import (
	"context"
	"math/rand/v2"
	"time"
)

// clock is the time as the pool sees it; tests put in their own.
type clock struct {
	now    func() time.Time
	sleep  func(context.Context, time.Duration) error
	jitter func() float64 // in [0, 1)
}

// fill puts the real clock where the options name none.
func (c clock) fill() clock {
	if c.now == nil {
		c.now = time.Now
	}
	if c.sleep == nil {
		c.sleep = sleep
	}
	if c.jitter == nil {
		c.jitter = rand.Float64
	}
	return c
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// backOff is how long to wait before attempt n+1: doubled each time, and spread
// so that several clients do not come back together.
func (c clock) backOff(n int) time.Duration {
	d := grow(500*time.Millisecond, n, 30*time.Second)
	return d/2 + time.Duration(c.jitter()*float64(d/2))
}
