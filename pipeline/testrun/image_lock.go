package testrun

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/sandbox"
)

// ImageLock is a file of base images: for each name that a recipe gives, the image
// that served when it was first needed, by its digest at the registry or, where no
// registry gave it, by its id. It is read by people and kept in git.
type ImageLock struct {
	// Renew takes what the names mean now, each name once.
	Renew bool

	path    string
	mu      sync.Mutex
	renewed map[string]bool
	told    map[string]bool
}

// LockedImage is one line of an [ImageLock].
type LockedImage struct {
	Name   string // as recipes give it
	Serves string // the local or registry image that served
	Pin    string // its digest or id
}

const lockHead = `# The base images of this folder: the name in a recipe, the image that serves, its digest
# (or its id, where no registry gave it). wideswe adds what is missing. Delete a line, or
# run validate --update-images, to take what the name means now.
`

// OpenImageLock reads and writes the lock at a path, which need not exist yet.
func OpenImageLock(path string) *ImageLock {
	return &ImageLock{path: path, renewed: map[string]bool{}, told: map[string]bool{}}
}

// Get gives a name's line.
func (l *ImageLock) Get(name string) (LockedImage, bool, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	all, err := l.read()
	e, ok := all[name]
	return e, ok && (!l.Renew || l.renewed[name]), err
}

// Put adds or replaces a line; the lines that other processes wrote stay.
func (l *ImageLock) Put(e LockedImage) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	all, err := l.read()
	if err != nil {
		return err
	}
	l.renewed[e.Name] = true
	if all[e.Name] == e {
		return nil
	}
	all[e.Name] = e
	var b bytes.Buffer
	b.WriteString(lockHead)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		fmt.Fprintf(&b, "%s %s %s\n", name, all[name].Serves, all[name].Pin)
	}
	if err := pipeline.WriteFile(l.path, b.Bytes()); err != nil {
		return fmt.Errorf("writing %s: %w", l.path, err)
	}
	return nil
}

func (l *ImageLock) read() (map[string]LockedImage, error) {
	all := map[string]LockedImage{}
	text, err := os.ReadFile(l.path)
	if errors.Is(err, fs.ErrNotExist) {
		return all, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", l.path, err)
	}
	lines := bufio.NewScanner(bytes.NewReader(text))
	for n := 1; lines.Scan(); n++ {
		words := strings.Fields(lines.Text())
		if len(words) == 0 || strings.HasPrefix(words[0], "#") {
			continue
		}
		if len(words) != 3 || !strings.Contains(words[2], "sha256:") {
			return nil, pipeline.Usage("%s line %d: write NAME IMAGE DIGEST, or delete the line and the image is looked up "+
				"again", l.path, n)
		}
		all[words[0]] = LockedImage{words[0], words[1], words[2]}
	}
	return all, lines.Err()
}

// firstTime says whether this process has not said so of a name yet.
func (l *ImageLock) firstTime(name string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	old := l.told[name]
	l.told[name] = true
	return !old
}

// BaseImage is what a recipe's image name stands for.
type BaseImage struct {
	LockedImage
	ID string // content id on this machine
}

// Base finds the image that a recipe names: what the lock says, else what the
// person's images say, else the image of that name, else, for debian:SUITE on a
// machine without a registry, the one that scripts/base-image makes. What was found
// is locked.
func (r *Runner) Base(ctx context.Context, name string) (BaseImage, error) {
	if r.Lock == nil {
		serves, id, err := r.resolve(ctx, name)
		return BaseImage{LockedImage{name, serves, id}, id}, err
	}
	defer r.locks.Lock("base " + name)()
	e, locked, err := r.Lock.Get(name)
	if err != nil {
		return BaseImage{}, err
	}
	if mine, ok := r.Images[name]; locked && (!ok || mine == e.Serves) {
		return r.locked(ctx, e)
	}
	serves, _, err := r.resolve(ctx, name)
	if err != nil {
		return BaseImage{}, err
	}
	pin, err := r.Backend.Pin(ctx, serves, r.Lock.Renew)
	if err != nil {
		return BaseImage{}, err
	}
	id, err := r.Backend.ImageID(ctx, serves)
	if err != nil {
		return BaseImage{}, err
	}
	e = LockedImage{name, serves, pin}
	if strings.Contains(pin, "sha256:") { // where nothing is pinned there is nothing to keep
		err = r.Lock.Put(e)
	}
	return BaseImage{e, id}, err
}

// locked finds the content that the lock names, whatever its name means by now.
func (r *Runner) locked(ctx context.Context, e LockedImage) (BaseImage, error) {
	id, err := r.Backend.ImageID(ctx, e.Pin)
	var missing *sandbox.MissingImageError
	if errors.As(err, &missing) {
		return BaseImage{}, &sandbox.MissingImageError{Name: e.Pin,
			Why: "images.lock names it for " + e.Name + "; delete that line, or run with --update-images, to take what " +
				e.Serves + " is now"}
	}
	if err != nil {
		return BaseImage{}, err
	}
	if now, err := r.Backend.Pin(ctx, e.Serves, false); err == nil && now != e.Pin && r.Log != nil &&
		r.Lock.firstTime(e.Name) {
		r.Log.Warn("a base image changed under its name; the locked one is used, --update-images takes the new one",
			"image", e.Serves, "locked", e.Pin, "now", now)
	}
	return BaseImage{e, id}, nil
}

// resolve finds the image that serves for a name.
func (r *Runner) resolve(ctx context.Context, name string) (serves, id string, err error) {
	if local, ok := r.Images[name]; ok {
		id, err = r.Backend.ImageID(ctx, local)
		return local, id, err
	}
	id, err = r.Backend.ImageID(ctx, name)
	suite, debian := strings.CutPrefix(name, "debian:")
	var missing *sandbox.MissingImageError
	if !debian || !errors.As(err, &missing) {
		return name, id, err
	}
	local := "wideswe/base:" + suite
	if id, localErr := r.Backend.ImageID(ctx, local); localErr == nil {
		return local, id, nil
	}
	return name, "", err
}

// LockedPin is the digest or id that a name is locked to, "" where it is not: what
// results depend on, told without an engine.
func (r *Runner) LockedPin(name string) (string, error) {
	if r.Lock == nil {
		return "", nil
	}
	e, ok, err := r.Lock.Get(name)
	if mine, has := r.Images[name]; !ok || has && mine != e.Serves {
		return "", err
	}
	return e.Pin, err
}
