package testrun

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/sandbox"
	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
	"github.com/wideswe/wideswe/schema"
)

// Variant is a circumstance that tests are run under to see whether they still pass.
type Variant string

// The variants. The first four must change nothing; network and root tell what a
// test needs that a run does not give.
const (
	Order   Variant = "order"
	OneCPU  Variant = "one_cpu"
	Clock   Variant = "clock"
	Zone    Variant = "zone"
	Network Variant = "network"
	Root    Variant = "root"
)

// OtherZone is the time zone of the variant zone, off UTC by no whole hour.
const OtherZone = "Asia/Kathmandu"

const otherOffset = "+0545"

// Stress is a variant with its figures.
type Stress struct {
	Variant Variant
	// Seed decides the order of the variant order.
	Seed int64
	// Shift is how far the variant clock sets the clock ahead; 0 loads the library
	// and leaves the clock alone.
	Shift time.Duration
}

// seenFile holds what the run's own programs saw of a variant before the tests.
const seenFile = ".seen"

// Stress runs a target's tests under a variant. notChecked says why the report is no
// answer: the variant could not be brought about; there may be no report then.
func (r *Runner) Stress(ctx context.Context, q Request, s Stress) (rep *Report, notChecked string, err error) {
	tc, err := r.toolchain(q.Recipe)
	if err != nil {
		return nil, "", fmt.Errorf("%s: %w", q.Repository, err)
	}
	switch s.Variant {
	case Order:
		notChecked = kit.CanShuffle(tc, q.Recipe.Test != "")
	case Clock:
		_, notChecked = kit.Clock(tc)
	case Network, Root:
		if r.Backend.Name() == "process" {
			notChecked = "processes of this machine are given neither"
		}
	}
	if notChecked != "" {
		return nil, notChecked, nil
	}
	q.stress = &s
	rep, err = r.Run(ctx, q)
	if err != nil {
		return nil, "", err
	}
	return rep, s.unseen(rep.First()), nil
}

// unseen says why a run was not under its variant.
func (s Stress) unseen(a Attempt) string {
	saw := func() string { return cmp.Or(a.Seen, "nothing") }
	switch s.Variant {
	case OneCPU:
		if a.Seen != "1" {
			return "the run could not be tied to one CPU (it saw " + saw() + ")"
		}
	case Zone:
		if a.Seen != otherOffset {
			return "the image has no data of time zones (it saw " + saw() + ")"
		}
	case Clock:
		seconds, err := strconv.ParseInt(a.Seen, 10, 64)
		if off := time.Unix(seconds, 0).Sub(a.Started) - s.Shift; err != nil || off < -time.Hour || off > a.Duration+
			time.Hour {
			return "the clock of the tests could not be shifted (they saw " + saw() + ")"
		}
	}
	return ""
}

// limits narrows a run's limits.
func (s *Stress) limits(l sandbox.Limits) sandbox.Limits {
	if s != nil && s.Variant == OneCPU {
		l.CPUs = 1
	}
	return l
}

// widen gives a run what the variant is about.
func (s *Stress) widen(spec *sandbox.Spec) {
	if s == nil {
		return
	}
	spec.Network = s.Variant == Network
	if s.Variant == Root {
		spec.User = "0:0"
	}
}

// seed is the order's.
func (s *Stress) seed() int64 {
	if s == nil || s.Variant != Order {
		return 0
	}
	return cmp.Or(s.Seed, 1)
}

// lines come right before the tests, after the build: they bring the variant about
// and write down what is seen of it.
func (s *Stress) lines(tc kit.Toolchain) (lines []string) {
	if s == nil {
		return nil
	}
	see := func(command string) string { return command + " >\"$WIDESWE_OUT/" + seenFile + "\" 2>/dev/null || :" }
	switch s.Variant {
	case OneCPU:
		return []string{
			// The first that this shell may run on.
			`cpu=$(taskset -cp $$ 2>/dev/null) || :; cpu=${cpu##*: }; cpu=${cpu%%[,-]*}; taskset -cp "${cpu:-0}" $$ ` +
				`>/dev/null 2>&1 || :`,
			"export GOMAXPROCS=1", see("nproc"),
		}
	case Zone:
		return []string{"export TZ=" + OtherZone, see("date +%z")}
	case Clock:
		command, _ := kit.Clock(tc)
		return []string{
			fmt.Sprintf("export FAKETIME=+%ds DONT_FAKE_MONOTONIC=1 FAKETIME_DONT_FAKE_MONOTONIC=1", int(s.Shift.Seconds())),
			`for f in /usr/lib/*/faketime/libfaketimeMT.so.1; do if [ -e "$f" ]; then export LD_PRELOAD="$f"; fi; done`,
			see(command),
		}
	}
	return nil
}

// CanShiftClock says whether a recipe's tests read a clock that can be shifted.
func (r *Runner) CanShiftClock(recipe schema.Recipe) bool {
	tc, err := r.toolchain(recipe)
	if err != nil {
		return false
	}
	_, why := kit.Clock(tc)
	return why == ""
}

// stageStress is the layer with what the variant clock needs. It is no part of a
// task's image: predictions run without it.
const stageStress = "stress"

// ClockImage makes the image for the variant clock from a target's: with libfaketime.
// Where it can't be had, notMade says why.
func (r *Runner) ClockImage(ctx context.Context, q ImageRequest, on string) (id, notMade string, err error) {
	if r.Backend.Name() == "process" {
		return on, "", nil // what this machine has installed is the image
	}
	packages := []string{"libfaketime"}
	spec := r.packagesSpec(ImageRequest{}, pipeline.Hash(stageStress, imageRules, on, packages), packages)
	spec.Name = "wideswe/" + stageStress + ":" + spec.Key
	made, err := r.layer(ctx, q, layer{stageStress, spec}, on)
	var failed *sandbox.BuildError
	if errors.As(err, &failed) {
		return "", "libfaketime can't be installed: " + failed.Error(), nil
	}
	return made.ID, "", err
}
