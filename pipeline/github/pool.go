package github

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/google/go-github/v62/github"
	"golang.org/x/oauth2"

	"github.com/wideswe/wideswe/pipeline"
)

// DefaultURL is the API of github.com.
const DefaultURL = "https://api.github.com/"

// APIVersion is the version asked for: later ones leave out merge_commit_sha.
const APIVersion = "2022-11-28"

// Options of [New]. The zero value asks github.com without a token. Those with a key are the settings under github in
// wideswe.yaml.
type Options struct {
	// Anything that answers like the GitHub REST API. Tokens come from GITHUB_TOKEN, GITHUB_TOKENS
	// (several, separated by commas or spaces) or gh auth token; they are never written anywhere.
	BaseURL string `yaml:"api_url" default:"https://api.github.com/"`

	Tokens    []string          `yaml:"-"`
	App       *App              `yaml:"-"` // beside the tokens, one client for each of its installations; nil for none
	Archive   *Archive          `yaml:"-"` // keeps the pages; nil keeps none
	Log       *slog.Logger      `yaml:"-"`
	Transport http.RoundTripper `yaml:"-"` // below the limits and retries; nil is the network

	// Now and Sleep are the clock; tests give their own.
	Now    func() time.Time                           `yaml:"-"`
	Sleep  func(context.Context, time.Duration) error `yaml:"-"`
	Jitter func() float64                             `yaml:"-"`
}

// Pool is the clients of all tokens.
type Pool struct {
	base    *url.URL
	archive *Archive
	clock   clock
	stats   *counter
	clients []*client
	mu      sync.Mutex                               // over the clients and their load
	app     func(context.Context) ([]*client, error) // makes the rest of them; nil once they are there
	log     *slog.Logger
	notice  func() // what a person should know before the first question; once
}

// New makes a pool. Without a token it makes one client that the host allows
// about sixty requests an hour.
func New(o Options) (*Pool, error) {
	base, err := parseBase(o.BaseURL)
	if err != nil {
		return nil, err
	}
	tokens, err := cleanTokens(o.Tokens)
	if err != nil {
		return nil, err
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Transport == nil {
		o.Transport = network()
	}
	c := clock{o.Now, o.Sleep, o.Jitter}.fill()
	p := &Pool{base: base, archive: o.Archive, clock: c, stats: &counter{clock: c}, log: o.Log}
	p.notice = sync.OnceFunc(func() {
		switch {
		case len(tokens) == 0 && o.App == nil && !isLocal(base):
			o.Log.Warn("no GitHub token: the host allows about 60 requests an hour; set GITHUB_TOKEN or run gh auth login")
		case len(tokens) > 0 && base.Scheme == "http" && !isLocal(base):
			o.Log.Warn("the token is sent unencrypted; use an https address", "github.api_url", base.String())
		}
	})
	if o.App != nil {
		if p.app, err = p.later(o); err != nil {
			return nil, err
		}
	}
	if len(tokens) == 0 && o.App == nil {
		p.clients = []*client{p.client(o, "", "no token")}
	}
	for i, token := range tokens {
		p.clients = append(p.clients, p.client(o, token, fmt.Sprintf("token %d of %d", i+1, len(tokens))))
	}
	return p, nil
}

func (p *Pool) client(o Options, token, name string) *client {
	g := newGate(p.clock)
	rt := p.gated(o, g, name)
	if token != "" {
		// A source of its own for each token: a shared one would be cached for ever.
		rt = &oauth2.Transport{Source: oauth2.StaticTokenSource(&oauth2.Token{AccessToken: token}), Base: rt}
	}
	return &client{api: p.api(rt), gate: g, mark: func() string { return markOf(token) }}
}

// later gives how to make a client for each installation of the app: where it is
// installed is asked when the first question is, not by commands that ask none.
func (p *Pool) later(o Options) (func(context.Context) ([]*client, error), error) {
	s, err := o.App.signer()
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) (list []*client, err error) {
		ids, err := s.installations(ctx, o.Transport, p.clock.now(), p.base.String())
		for _, id := range ids {
			g := newGate(p.clock)
			i := &installation{id: id, signer: s, base: p.base.String(), direct: o.Transport, clock: p.clock,
				next: p.gated(o, g, fmt.Sprintf("installation %d", id))}
			list = append(list, &client{api: p.api(i), gate: g, mark: i.mark})
		}
		return list, err
	}, nil
}

// ready makes the clients that are still to be made.
func (p *Pool) ready(ctx context.Context) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.app == nil {
		return nil
	}
	list, err := p.app(ctx)
	if err == nil {
		p.clients, p.app = append(p.clients, list...), nil
	}
	return err
}

// gated is the network behind one token's gate.
func (p *Pool) gated(o Options, g *gate, name string) http.RoundTripper {
	return &transport{base: o.Transport, gate: g, clock: p.clock, stats: p.stats, log: o.Log, name: name,
		host: p.base.Host}
}

func (p *Pool) api(rt http.RoundTripper) *github.Client {
	api := github.NewClient(&http.Client{Transport: rt, CheckRedirect: p.stay})
	api.BaseURL = p.base
	api.UserAgent = "wideswe"
	return api
}

// Stats counts what the pool did so far.
func (p *Pool) Stats() Stats {
	s := p.stats.snapshot()
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.clients {
		all, searches := c.gate.quotas()
		s.Quotas, s.Searches = append(s.Quotas, all), append(s.Searches, searches)
	}
	return s
}

// Size is the number of clients: requests that can be under way at once.
func (p *Pool) Size() int {
	_ = p.ready(context.Background()) // the first question says what is wrong
	p.mu.Lock()
	defer p.mu.Unlock()
	return max(len(p.clients), 1)
}

// stay follows redirects on the API's own host only: the token goes with every hop.
func (p *Pool) stay(req *http.Request, via []*http.Request) error {
	if len(via) >= 5 {
		return errors.New("more than five redirects")
	}
	if !p.own(req.URL) {
		return fmt.Errorf("redirect to another host, %s, not followed", req.URL.Host)
	}
	return nil
}

func (p *Pool) own(u *url.URL) bool { return u.Host == p.base.Host && u.Scheme == p.base.Scheme }

func parseBase(s string) (*url.URL, error) {
	if s == "" {
		s = DefaultURL
	}
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || u.RawQuery != "" {
		return nil, pipeline.Usage("github.api_url must be an address like %s", DefaultURL)
	}
	u.Path = strings.TrimRight(u.Path, "/") + "/"
	return u, nil
}

// cleanTokens drops empty and repeated tokens.
func cleanTokens(in []string) ([]string, error) {
	var out []string
	seen := map[string]bool{}
	for i, t := range in {
		t = strings.TrimSpace(t)
		if strings.ContainsFunc(t, func(r rune) bool { return r <= ' ' || r > '~' }) {
			return nil, pipeline.Usage("GitHub token %d holds a character that no token has: check GITHUB_TOKEN and "+
				"GITHUB_TOKENS", i+1)
		}
		if t != "" && !seen[t] {
			seen[t] = true
			out = append(out, t)
		}
	}
	return out, nil
}

func isLocal(u *url.URL) bool {
	ip := net.ParseIP(u.Hostname())
	return u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
}

func network() http.RoundTripper {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.ResponseHeaderTimeout = 60 * time.Second
	return t
}
