package github

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/wideswe/wideswe/pipeline"
)

const (
	// defaultAttempts is how often an answer that comes broken is asked for.
	defaultAttempts = 7
	// firstAttempts is how often a host is tried that never answered.
	firstAttempts = 3
	// outageAttempts is how often a host is tried that answered before: some four
	// minutes, so that a night's crawl outlives a router's restart.
	outageAttempts = 14
	// limitAttempts is how often one request may meet a secondary limit. The
	// primary one is waited for as often as needed: it always ends.
	limitAttempts = 20
	// tokenAttempts is how often a 401 must come before it counts: single ones are
	// known to pass.
	tokenAttempts = 3
	// requestTimeout is for one whole answer; the host itself gives up after ten seconds.
	requestTimeout = 90 * time.Second
	// largestBody bounds what is read: a page of a hundred pulls has about two megabytes.
	largestBody = 64 << 20
)

// transport sends the requests of one token. What it hands on is whole and has no
// rate headers, since it has obeyed them and go-github would refuse on its own.
type transport struct {
	base  http.RoundTripper
	gate  *gate
	clock clock
	stats *counter
	log   *slog.Logger
	name  string // of the token, never the token: "token 2 of 3"
	host  string // the API's address, for messages
}

type tallyKey struct{}

// RoundTrip implements [http.RoundTripper].
func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx := req.Context()
	tries, ok := ctx.Value(tallyKey{}).(*tally)
	if !ok {
		tries = &tally{kind: core, attempts: defaultAttempts}
	}
	for {
		a, v, err := t.once(ctx, req, tries.kind)
		switch {
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case v == whole:
			return a.response(req), nil
		case errors.Is(err, errShut):
			return nil, err
		}
		if err := t.again(ctx, req, v, err, tries); err != nil {
			return nil, err
		}
	}
}

// tally counts what went wrong with one request, whichever tokens it was sent with.
type tally struct {
	kind                                 string
	attempts, broken, secondary, refused int
}

// again waits before the next attempt, or gives the error that ends them.
func (t *transport) again(ctx context.Context, req *http.Request, v verdict, why error, n *tally) error {
	url := safeURL(req.URL)
	switch v {
	case primary:
		return nil // the gate is shut until the reset
	case secondary:
		if n.secondary++; n.secondary >= limitAttempts {
			return fmt.Errorf("GET %s: still limited after %d waits: %w", url, n.secondary, why)
		}
		return nil
	case refused:
		if n.refused++; n.refused >= tokenAttempts {
			return pipeline.Need("GitHub at %s refuses the access token (%s, 401): check GITHUB_TOKEN, GITHUB_TOKENS or `gh "+
				"auth status`, and that it has not expired", t.host, t.name)
		}
		return t.clock.sleep(ctx, t.clock.backOff(n.refused))
	}
	n.broken++
	attempts := n.attempts
	switch {
	case !unreachable(why):
	case t.stats.reached():
		attempts = outageAttempts
	default: // the first request of all: a wrong address is likelier than an outage
		attempts = firstAttempts
	}
	if n.broken >= attempts {
		if unreachable(why) {
			return pipeline.Need("GitHub at %s can't be reached (%v): check the network, the proxy and github.api_url", t.host,
				why)
		}
		return &TroubleError{URL: url, Attempts: n.broken, Last: why}
	}
	t.stats.change(func(s *Stats) { s.Retries++ })
	level := slog.LevelDebug
	if n.broken == 3 { // by now people wonder what is going on
		level = slog.LevelWarn
	}
	t.log.Log(ctx, level, "no whole answer from GitHub yet; asking again", "url", url, "why", why, "attempt", n.broken+1)
	return t.clock.sleep(ctx, t.clock.backOff(n.broken))
}

// once sends the request when it is its turn.
func (t *transport) once(ctx context.Context, req *http.Request, kind string) (*answer, verdict, error) {
	if err := t.gate.enter(ctx, kind); err != nil {
		return nil, broken, err
	}
	defer t.gate.leave()
	t.stats.sent()
	began := t.clock.now()
	a, err := t.read(ctx, req)
	t.stats.change(func(s *Stats) { s.Busy += t.clock.now().Sub(began) })
	if err != nil {
		return nil, broken, err
	}
	t.stats.change(func(s *Stats) { s.Answers++ })
	t.gate.learn(kind, a.header)
	v, err := judge(a, strings.Contains(req.Header.Get("Accept"), "json"))
	switch v {
	case primary, secondary:
		wait := t.gate.limited(kind, a.header, v == primary)
		t.stats.change(func(s *Stats) { s.Limited++ })
		t.log.Log(ctx, waitLevel(wait), "GitHub's limit is reached", "token", t.name, "wait", wait.Round(time.Second),
			"answer", err)
	case whole:
		t.gate.passed()
	}
	return a, v, err
}

// read sends and reads the whole body: a body that is cut shows only at its end.
func (t *transport) read(ctx context.Context, req *http.Request) (*answer, error) {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	resp, err := t.base.RoundTrip(req.Clone(ctx))
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, largestBody+1))
	if err != nil {
		return nil, fmt.Errorf("the body was cut after %d bytes: %w", len(body), err)
	}
	if len(body) > largestBody {
		return nil, fmt.Errorf("the body is larger than %d bytes", largestBody)
	}
	return &answer{status: resp.StatusCode, header: resp.Header, body: body}, nil
}

func (a *answer) response(req *http.Request) *http.Response {
	h := a.header.Clone()
	for k := range h {
		if strings.HasPrefix(k, "X-Ratelimit-") || k == "Retry-After" {
			h.Del(k)
		}
	}
	return &http.Response{
		Status: fmt.Sprintf("%d %s", a.status, http.StatusText(a.status)), StatusCode: a.status,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: h,
		Body: io.NopCloser(bytes.NewReader(a.body)), ContentLength: int64(len(a.body)), Request: req,
	}
}

// unreachable says whether no connection came about at all.
func unreachable(err error) bool {
	var op *net.OpError
	var dns *net.DNSError
	return errors.As(err, &dns) || errors.As(err, &op) && op.Op == "dial"
}
