package github

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"hash/fnv"
	"log/slog"
	"strings"
	"time"

	"github.com/google/go-github/v62/github"
)

// client sends the requests of one token.
type client struct {
	api  *github.Client
	gate *gate
	mark func() string // of the present token, in its ETags; '' without one
	load int           // requests that were given to it and are not answered
}

// take chooses a client whose limits are not reached, and waits until there is
// one. An ETag is good for one token only, so that one is asked where it is free.
// Otherwise a repository has a token of its own, but none stands idle while
// another has a queue.
func (p *Pool) take(ctx context.Context, r Request) (*client, error) {
	p.notice()
	if err := p.ready(ctx); err != nil {
		return nil, err
	}
	for {
		c, wait := p.choose(r)
		if c != nil {
			return c, nil
		}
		p.log.Log(ctx, waitLevel(wait), "every token's limit is reached", "wait", wait.Round(time.Second))
		p.stats.waiting(wait)
		if err := p.clock.sleep(ctx, wait); err != nil {
			return nil, err
		}
	}
}

// longWait is from where on a person who sees nothing move wants to know why.
const longWait = time.Minute

func waitLevel(wait time.Duration) slog.Level {
	if wait >= longWait {
		return slog.LevelWarn
	}
	return slog.LevelInfo
}

func (p *Pool) give(c *client) {
	p.mu.Lock()
	defer p.mu.Unlock()
	c.load--
}

// choose gives a client, or how long it takes until the first one is free.
func (p *Pool) choose(r Request) (best *client, wait time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now, pinned, kind := p.clock.now(), p.pinned(r.Pin), r.kind()
	for i, c := range p.clients {
		shut := c.gate.opens(kind).Sub(now)
		if i == 0 || shut < wait {
			wait = shut
		}
		switch {
		case shut > 0:
		case best == nil, c.rank(r, pinned) < best.rank(r, pinned):
			best = c
		}
	}
	if best != nil {
		best.load++
	}
	return best, wait
}

// rank orders clients for a request: who has its ETag, who is idle, the pinned
// one, and then the one with the least to do.
func (c *client) rank(r Request, pinned *client) int {
	switch {
	case r.ETag != "" && c.mark() != "" && strings.HasPrefix(r.ETag, c.mark()+":"):
		return 0
	case c.load == 0 && c == pinned:
		return 1
	case c.load == 0:
		return 2
	case c == pinned:
		return 3
	}
	return 3 + c.load
}

// pinned is the client of a repository or an owner: always the same while the
// list of tokens is.
func (p *Pool) pinned(name string) *client {
	h := fnv.New32a()
	h.Write([]byte(strings.ToLower(name)))
	return p.clients[int(h.Sum32()%uint32(len(p.clients)))]
}

// markOf tells tokens apart in ETags, and is too short to tell anything else.
func markOf(token string) string {
	if token == "" {
		return ""
	}
	sum := sha256.Sum256([]byte("wideswe " + token))
	return hex.EncodeToString(sum[:4])
}

// bind names the token that an ETag of the host is good for.
func (c *client) bind(tag string) string {
	mark := c.mark()
	if tag == "" || mark == "" {
		return tag
	}
	return mark + ":" + tag
}

// tag gives the host's ETag where it is good for this client's token.
func (c *client) tag(bound string) string {
	mark, tag, ok := strings.Cut(bound, ":")
	if !ok || strings.ContainsAny(mark, `"/`) {
		mark, tag = "", bound // of a request without a token
	}
	if mark != c.mark() {
		return ""
	}
	return tag
}
