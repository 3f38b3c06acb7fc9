package testrun

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/wideswe/wideswe/pipeline/sandbox"
)

func TestBudget(t *testing.T) {
	b := NewBudget(2, 8<<30)
	take := func(cpus float64, memory int64) (<-chan func(), context.CancelFunc) {
		ctx, cancel := context.WithCancel(t.Context())
		got := make(chan func(), 1)
		go func() {
			if release, err := b.Take(ctx, sandbox.Limits{CPUs: cpus, Memory: memory}); err == nil {
				got <- release
			} else if !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
		}()
		return got, cancel
	}
	now := func(c <-chan func()) func() {
		t.Helper()
		select {
		case release := <-c:
			return release
		case <-time.After(5 * time.Second):
			t.Fatal("waits for ever")
			return nil
		}
	}
	waits := func(c <-chan func()) {
		t.Helper()
		select {
		case <-c:
			t.Fatal("got more than there is")
		case <-time.After(50 * time.Millisecond):
		}
	}
	one, _ := take(1, 1<<30)
	free := now(one)
	huge, giveUp := take(64, 100<<30) // more than all: it runs alone
	waits(huge)
	small, _ := take(0.5, 1<<30)
	waits(small) // in order of arrival
	giveUp()
	freeSmall := now(small)
	free()
	free() // once
	all, _ := take(64, 100<<30)
	waits(all)
	freeSmall()
	now(all)()
	if b.cpus != 2 || b.memory != 8<<30 {
		t.Errorf("%v CPUs and %d bytes are left", b.cpus, b.memory)
	}
	if release, err := (*Budget)(nil).Take(t.Context(), sandbox.Limits{}); err != nil {
		t.Error(err)
	} else {
		release()
	}
}

// TestARunAloneWaitsForOthersAndKeepsThemOut: the whole budget is one share.
func TestARunAloneWaitsForOthersAndKeepsThemOut(t *testing.T) {
	b := NewBudget(2, 8<<30)
	small := sandbox.Limits{CPUs: 0.5, Memory: 1 << 20}
	first, err := b.Take(t.Context(), small)
	if err != nil {
		t.Fatal(err)
	}
	alone := make(chan func())
	go func() {
		release, err := b.TakeAll(t.Context())
		if err != nil {
			t.Error(err)
		}
		alone <- release
	}()
	select {
	case <-alone:
		t.Fatal("not alone: another run is under way")
	case <-time.After(20 * time.Millisecond):
	}
	first()
	release := <-alone
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := b.Take(ctx, small); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("another began beside it: %v", err)
	}
	release()
	if _, err := b.Take(t.Context(), small); err != nil {
		t.Error(err)
	}
}
