package github

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/google/go-github/v62/github"

	"github.com/wideswe/wideswe/schema"
)

// Request is one question.
type Request struct {
	Pin      string     // owner/name or owner: its requests go by the same token as long as that is free
	Path     string     // from the API's root, as [RepositoryPath] makes it
	Query    url.Values // nil: none
	ETag     string     // of the answer already here; where it is still good the page says NotModified
	Attempts int        // for broken answers; 0 is the default
	Note     any        // kept with the answer, for who reads the archive; a refusal is kept only where there is one
}

// kind is what the host charges the question to.
func (r Request) kind() string {
	if strings.HasPrefix(r.Path, "search/") {
		return search
	}
	return core
}

// Page is one answer.
type Page struct {
	URL         string
	Status      int
	ETag        string // for [Request.ETag]; it names the token that it is good for
	Body        []byte
	Next        string // the page after this one, '' at the end
	NotModified bool
	Moved       bool      // the host answered from another name; the body has the present one
	FetchedAt   time.Time // by our clock
	HostTime    time.Time // by the host's, zero where it does not say
	Key         string    // of the kept page in the archive, '' where none is kept
	Note        json.RawMessage
}

// Fetch asks, and keeps the answer in the archive.
func (p *Pool) Fetch(ctx context.Context, r Request) (*Page, error) {
	path := r.Path
	if len(r.Query) > 0 {
		path += "?" + r.Query.Encode()
	}
	tries := &tally{kind: r.kind(), attempts: r.Attempts}
	if r.Attempts <= 0 {
		tries.attempts = defaultAttempts
	}
	ctx = context.WithValue(ctx, tallyKey{}, tries)
	for {
		c, err := p.take(ctx, r)
		if err != nil {
			return nil, err
		}
		pg, err := p.ask(ctx, c, path, r)
		p.give(c)
		if !errors.Is(err, errShut) {
			return pg, err
		}
	}
}

// ask sends the request with one client.
func (p *Pool) ask(ctx context.Context, c *client, path string, r Request) (*Page, error) {
	req, err := c.api.NewRequest(http.MethodGet, path, nil, github.WithVersion(APIVersion))
	if err != nil {
		return nil, fmt.Errorf("asking for %s: %w", path, err)
	}
	if !p.own(req.URL) {
		return nil, fmt.Errorf("%s is on another host than the API, not asked", safeURL(req.URL))
	}
	if tag := c.tag(r.ETag); tag != "" {
		req.Header.Set("If-None-Match", tag)
	}
	resp, err := c.api.BareDo(ctx, req)
	if resp == nil || resp.Response == nil {
		return nil, bare(err)
	}
	defer resp.Body.Close()
	return p.page(c, req, resp, r.Note, err)
}

// page reads an answer that the transport let through: whole, or a final refusal.
func (p *Pool) page(c *client, req *http.Request, resp *github.Response, note any, err error) (*Page, error) {
	var body bytes.Buffer
	if _, rerr := body.ReadFrom(resp.Body); rerr != nil {
		return nil, rerr
	}
	pg := &Page{URL: safeURL(req.URL), Status: resp.StatusCode, ETag: c.bind(resp.Header.Get("ETag")), Body: body.Bytes(),
		Moved: resp.Request != nil && resp.Request.URL.Path != req.URL.Path, FetchedAt: p.clock.now().UTC()}
	pg.HostTime, _ = http.ParseTime(resp.Header.Get("Date"))
	if resp.StatusCode == http.StatusNotModified {
		p.stats.change(func(s *Stats) { s.NotModified++ })
		pg.NotModified = true
		return pg, nil
	}
	if err != nil {
		a := answer{resp.StatusCode, resp.Header, pg.Body}
		pr := a.problem()
		if note != nil {
			if err := p.keep(pg, note); err != nil {
				return nil, err
			}
		}
		return nil, &StatusError{kindOf(resp.StatusCode, pr), resp.StatusCode, pg.URL, pr.Message,
			resp.Header.Get("X-GitHub-Request-Id"), pg.FetchedAt}
	}
	pg.Next = nextLink(resp.Header.Get("Link"))
	return pg, p.keep(pg, note)
}

// keep puts an answer into the archive.
func (p *Pool) keep(pg *Page, note any) (err error) {
	if p.archive == nil {
		return nil
	}
	if note != nil {
		if pg.Note, err = json.Marshal(note); err != nil {
			return fmt.Errorf("the note on %s: %w", pg.URL, err)
		}
	}
	pg.Key, err = p.archive.Put(pg)
	return err
}

// Get is [Pool.Fetch] for those who want the body and the next page only. path is
// from the API's root, or the next that an earlier answer gave.
func (p *Pool) Get(ctx context.Context, repository, path string) (body []byte, next string, err error) {
	pg, err := p.Fetch(ctx, Request{Pin: repository, Path: strings.TrimPrefix(path, "/")})
	if err != nil {
		return nil, "", err
	}
	return pg.Body, pg.Next, nil
}

var plainName = regexp.MustCompile(`^[A-Za-z0-9._-]{1,100}$`)

// RepositoryPath is repos/owner/name and what follows. Names come from links that
// strangers wrote: one that can't be a name is an error, and asks for nothing.
func RepositoryPath(repository string, rest ...string) (string, error) {
	owner, name, ok := schema.SplitRepository(repository)
	if !ok || !plainName.MatchString(owner) || !plainName.MatchString(name) || strings.Trim(owner, ".") == "" ||
		strings.Trim(name, ".") == "" {
		return "", fmt.Errorf("%q is no name of a repository", repository)
	}
	return strings.Join(append([]string{"repos", owner, name}, rest...), "/"), nil
}

// AccountPath is orgs/owner or users/owner and what follows.
func AccountPath(kind, owner string, rest ...string) (string, error) {
	if !plainName.MatchString(owner) || strings.Trim(owner, ".") == "" {
		return "", fmt.Errorf("%q is no name of an organization", owner)
	}
	return strings.Join(append([]string{kind, owner}, rest...), "/"), nil
}

// nextLink reads rel="next" of a Link header.
func nextLink(h string) string {
	for _, part := range strings.Split(h, ",") {
		target, params, ok := strings.Cut(part, ";")
		if ok && strings.Contains(params, `rel="next"`) {
			return strings.Trim(strings.TrimSpace(target), "<>")
		}
	}
	return ""
}

// safeURL writes an address without anything that could be a secret.
func safeURL(u *url.URL) string {
	c := *u
	c.User = nil
	q := c.Query()
	for _, k := range []string{"access_token", "client_secret", "token"} {
		q.Del(k)
	}
	c.RawQuery = q.Encode()
	return c.String()
}

// bare takes the client's wrapping off: our own errors name the address already.
func bare(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err
	}
	return err
}
