package testrun

import (
	"context"
	"math"
	"sync"

	"github.com/wideswe/wideswe/pipeline/sandbox"
)

// Budget is what runs and builds share of a machine: each takes its limits from it
// and gives them back, and one that does not fit waits, in order of arrival. The
// nil Budget never waits.
type Budget struct {
	mu      sync.Mutex
	cpus    float64
	memory  int64
	total   sandbox.Limits
	machine func(context.Context) (cpus float64, memory int64, err error)
	waiting []*share
}

type share struct {
	cpus   float64
	memory int64
	ready  chan struct{}
}

// NewBudget makes a budget of so many CPUs and bytes of memory.
func NewBudget(cpus float64, memory int64) *Budget {
	return &Budget{cpus: cpus, memory: memory, total: sandbox.Limits{CPUs: cpus, Memory: memory}}
}

// MachineBudget is all that the backend's machine has, which is asked when the first
// share is taken.
func MachineBudget(b sandbox.Backend) *Budget { return &Budget{machine: b.Machine} }

func (b *Budget) ask(ctx context.Context) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.machine == nil {
		return nil
	}
	cpus, memory, err := b.machine(ctx)
	if err != nil {
		return err
	}
	b.cpus, b.memory, b.total, b.machine = cpus, memory, sandbox.Limits{CPUs: cpus, Memory: memory}, nil
	return nil
}

// Take waits until the limits fit and takes them. What asks for more than there is
// in all takes all there is, and so runs alone.
func (b *Budget) Take(ctx context.Context, l sandbox.Limits) (release func(), err error) {
	if b == nil {
		return func() {}, ctx.Err()
	}
	if err := b.ask(ctx); err != nil {
		return nil, err
	}
	l = l.Defaults()
	s := &share{min(l.CPUs, b.total.CPUs), min(l.Memory, b.total.Memory), make(chan struct{})}
	b.mu.Lock()
	b.waiting = append(b.waiting, s)
	b.hand()
	b.mu.Unlock()
	select {
	case <-s.ready:
		return sync.OnceFunc(func() { b.give(s) }), nil
	case <-ctx.Done():
		b.leave(s)
		return nil, ctx.Err()
	}
}

// TakeAll waits until nothing else has a share and takes everything.
func (b *Budget) TakeAll(ctx context.Context) (release func(), err error) {
	return b.Take(ctx, sandbox.Limits{CPUs: math.MaxFloat64, Memory: math.MaxInt64})
}

// hand gives shares out from the front: one that waits for much is not passed by
// those that want little.
func (b *Budget) hand() {
	const rounding = 1e-9
	for len(b.waiting) > 0 {
		s := b.waiting[0]
		if s.cpus > b.cpus+rounding || s.memory > b.memory {
			return
		}
		b.cpus, b.memory = b.cpus-s.cpus, b.memory-s.memory
		b.waiting = b.waiting[1:]
		close(s.ready)
	}
}

func (b *Budget) give(s *share) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.cpus, b.memory = b.cpus+s.cpus, b.memory+s.memory
	b.hand()
}

// leave gives up waiting, or gives back what came at the same moment.
func (b *Budget) leave(s *share) {
	b.mu.Lock()
	for i, w := range b.waiting {
		if w == s {
			b.waiting = append(b.waiting[:i:i], b.waiting[i+1:]...)
			b.hand()
			b.mu.Unlock()
			return
		}
	}
	b.mu.Unlock()
	b.give(s)
}
