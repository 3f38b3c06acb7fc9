package rank

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

// ErrNoPage says that a site has no such page.
var ErrNoPage = errors.New("no such page")

// Site reads a site's pages one after the other, slowly: they are made for people.
type Site struct {
	Client *http.Client
	Pause  time.Duration                                    // between pages, and twice as long after each trouble
	Keep   func(address string, body []byte) error          // nil: pages are not kept
	Sleep  func(ctx context.Context, d time.Duration) error // nil: the clock's
}

const (
	siteAttempts = 5
	largestPage  = 2 << 20 // a hundred rows are a tenth of it
)

// Get reads a page. What the site has not is [ErrNoPage]; trouble is met with
// patience.
func (s Site) Get(ctx context.Context, address string) ([]byte, error) {
	wait := s.Pause
	for try := 1; ; try++ {
		if err := s.sleep(ctx, wait); err != nil {
			return nil, err
		}
		body, again, err := s.once(ctx, address)
		if err == nil && s.Keep != nil {
			err, again = s.Keep(address, body), false
		}
		if err == nil || !again || try == siteAttempts || ctx.Err() != nil {
			return body, err
		}
		wait = max(2*wait, time.Second)
	}
}

func (s Site) once(ctx context.Context, address string) (body []byte, again bool, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, false, err
	}
	req.Header.Set("User-Agent", "wideswe")
	resp, err := s.Client.Do(req)
	if err != nil {
		return nil, true, err
	}
	defer resp.Body.Close()
	switch code := resp.StatusCode; {
	case code == http.StatusNotFound || code == http.StatusGone:
		return nil, false, fmt.Errorf("%s: %w", address, ErrNoPage)
	case code != http.StatusOK:
		return nil, code >= 500 || code == http.StatusTooManyRequests, fmt.Errorf("%s: %s", address, resp.Status)
	}
	body, err = io.ReadAll(io.LimitReader(resp.Body, largestPage+1))
	if err != nil {
		return nil, true, fmt.Errorf("%s: cut after %d bytes: %w", address, len(body), err)
	}
	if len(body) > largestPage {
		return nil, false, fmt.Errorf("%s: over %d MiB, no ranking page is", address, largestPage>>20)
	}
	return body, false, nil
}

func (s Site) sleep(ctx context.Context, d time.Duration) error {
	if s.Sleep != nil {
		return s.Sleep(ctx, d)
	}
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(d):
		return nil
	}
}
