package image

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/wideswe/wideswe/pipeline/sandbox"
)

// Store finds and builds images; every [sandbox.Backend] does.
type Store interface {
	FindImage(ctx context.Context, key string) (sandbox.Image, error)
	BuildImage(ctx context.Context, s sandbox.ImageSpec) (sandbox.Image, error)
}

// Making is how images are found or built.
type Making struct {
	Store Store
	// Take waits for a build's part of the machine; nil never waits.
	Take func(ctx context.Context, l sandbox.Limits) (release func(), err error)
	// Log is the file that keeps what a build prints; "" keeps nothing.
	Log string
	// Pause is the time before the second try; 0 is five seconds.
	Pause time.Duration
}

// tries is how often a build is begun where the network does not answer.
const tries = 3

// FindOrBuild gives the image with the key of a spec, and says whether it was there.
// Else it builds it, anew where the network did not answer: if that stays so, the error
// is the last [sandbox.BuildError].
func (m Making) FindOrBuild(ctx context.Context, s sandbox.ImageSpec) (img sandbox.Image, found bool, err error) {
	if img, err = m.Store.FindImage(ctx, s.Key); err != nil || img.ID != "" {
		return img, err == nil, err
	}
	if m.Take != nil {
		release, err := m.Take(ctx, s.Limits)
		if err != nil {
			return img, false, err
		}
		defer release()
	}
	img, err = m.build(ctx, s)
	return img, false, err
}

// build builds with a log.
func (m Making) build(ctx context.Context, s sandbox.ImageSpec) (sandbox.Image, error) {
	if m.Log == "" {
		return m.try(ctx, s)
	}
	if err := os.MkdirAll(filepath.Dir(m.Log), 0o755); err != nil {
		return sandbox.Image{}, fmt.Errorf("keeping a build log: %w", err)
	}
	log, err := os.Create(m.Log)
	if err != nil {
		return sandbox.Image{}, fmt.Errorf("keeping a build log: %w", err)
	}
	if s.Log == nil {
		s.Log = log
	} else {
		s.Log = io.MultiWriter(log, s.Log)
	}
	img, err := m.try(ctx, s)
	if err != nil {
		fmt.Fprintf(log, "\n== %v ==\n", err)
	}
	return img, errors.Join(err, log.Close())
}

// try builds until the network answers or the tries are used up.
func (m Making) try(ctx context.Context, s sandbox.ImageSpec) (sandbox.Image, error) {
	for n := 1; ; n++ {
		img, err := m.Store.BuildImage(ctx, s)
		if n == tries || !IsTransient(err) {
			return img, err
		}
		if s.Log != nil {
			fmt.Fprintf(s.Log, "\n== %v ==\n", err)
		}
		select {
		case <-ctx.Done():
			return img, ctx.Err()
		case <-time.After(time.Duration(n) * cmp.Or(m.Pause, 5*time.Second)):
		}
	}
}

// IsTransient says whether err is a step that failed since the network did not answer.
func IsTransient(err error) bool {
	var failed *sandbox.BuildError
	return errors.As(err, &failed) && failed.Transient()
}
