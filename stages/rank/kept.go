package rank

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/wideswe/wideswe/pipeline/github"
)

// Kept is the pages of a ranking that was begun and not ended: one that goes on
// asks for the rest alone. Each page answers once, so that asking again asks the
// host.
type Kept struct {
	archive *github.Archive
	mu      sync.Mutex
	keys    map[string]string // by address
	began   time.Time
}

// OpenKept reads which pages an archive has from a time on. An older page is of
// an older ranking.
func OpenKept(ctx context.Context, archive *github.Archive, since time.Time) (*Kept, error) {
	k := &Kept{archive: archive, keys: map[string]string{}}
	err := archive.Each(ctx, func(key string, h github.Header, _ []byte) error {
		if h.URL == "" || h.Status != 200 || h.FetchedAt.Before(since) {
			return nil
		}
		k.keys[h.URL] = key
		if k.began.IsZero() || h.FetchedAt.Before(k.began) {
			k.began = h.FetchedAt
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("reading the pages of an earlier run: %w", err)
	}
	return k, nil
}

// Size is the number of pages that will not be asked for.
func (k *Kept) Size() int { return len(k.keys) }

// Began is when the first of the pages came, else now: a ranking is dated by its
// first page.
func (k *Kept) Began(now time.Time) time.Time {
	if k.began.IsZero() {
		return now
	}
	return k.began
}

// take gives a page, nil where it must be asked for.
func (k *Kept) take(address string) (*github.Page, error) {
	k.mu.Lock()
	key, ok := k.keys[address]
	delete(k.keys, address)
	k.mu.Unlock()
	if !ok {
		return nil, nil
	}
	h, body, err := k.archive.Get(key)
	if err != nil {
		return nil, err
	}
	return h.Answer(key, body)
}

// GitHub answers what is kept, and asks f, whose API is at base, for the rest.
func (k *Kept) GitHub(base string, f Fetcher) Fetcher {
	return keptFetcher{k, strings.TrimRight(base, "/") + "/", f}
}

type keptFetcher struct {
	kept *Kept
	base string
	Fetcher
}

// Fetch implements [Fetcher].
func (f keptFetcher) Fetch(ctx context.Context, r github.Request) (*github.Page, error) {
	address := f.base + r.Path
	if len(r.Query) > 0 {
		address += "?" + r.Query.Encode()
	}
	if pg, err := f.kept.take(address); pg != nil || err != nil {
		return pg, err
	}
	return f.Fetcher.Fetch(ctx, r)
}

// Site answers what is kept, and asks get for the rest.
func (k *Kept) Site(get func(context.Context, string) ([]byte, error)) func(context.Context, string) ([]byte, error) {
	return func(ctx context.Context, address string) ([]byte, error) {
		if pg, err := k.take(address); pg != nil || err != nil {
			if err != nil {
				return nil, err
			}
			return pg.Body, nil
		}
		return get(ctx, address)
	}
}
