package doctor

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/wideswe/wideswe/cmd/wideswe/internal/config"
	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/github"
	"github.com/wideswe/wideswe/pipeline/sandbox"
)

// checkTokens asks with each token for its limits, which costs none of them, where the host answers at all.
func checkTokens(ctx context.Context, api string, tokens []string, answers bool) sandbox.Check {
	c := sandbox.Check{Name: "token"}
	switch {
	case api == config.DemoURL:
		c.OK, c.Detail = true, "the demo's GitHub wants none"
		return c
	case len(tokens) == 0:
		c.Detail = "none; export GITHUB_TOKEN or run gh auth login (without one GitHub allows 60 requests an hour)"
		return c
	case !answers:
		c.OK, c.Detail = true, fmt.Sprintf("%d found, not tried", len(tokens))
		return c
	}
	for i, t := range tokens {
		var refused *pipeline.NeedError
		if err := tryToken(ctx, api, t); errors.As(err, &refused) {
			c.Detail = fmt.Sprintf("%s refuses token %d of %d; check GITHUB_TOKEN, GITHUB_TOKENS or gh auth status, "+
				"and that it has not expired", api, i+1, len(tokens))
			return c
		}
	}
	c.OK, c.Detail = true, fmt.Sprintf("%d found", len(tokens))
	return c
}

// tryToken asks the host with a token; the error is a [pipeline.NeedError] where the host refuses it.
func tryToken(ctx context.Context, api, token string) error {
	ctx, cancel := context.WithTimeout(ctx, 15*time.Second)
	defer cancel()
	pool, err := github.New(github.Options{BaseURL: api, Tokens: []string{token}})
	if err != nil {
		return err
	}
	_, _, err = pool.Get(ctx, "", "rate_limit")
	if err != nil && ctx.Err() == nil && !github.IsTrouble(err) {
		return err
	}
	return nil
}

// checkHost asks for the API's front page: does it answer, and is our clock right? Limits name their end by the host's
// clock.
func checkHost(ctx context.Context, api string, now func() time.Time) sandbox.Check {
	c := sandbox.Check{Name: "clock"}
	if api == config.DemoURL {
		return sandbox.Check{Name: "clock", OK: true, Detail: "the demo's GitHub is in this process"}
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodHead, api, nil)
	if err != nil {
		c.Detail = fmt.Sprintf("github.api_url %q is not a URL", api)
		return c
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		c.Detail = fmt.Sprintf("%s does not answer: %v", api, err)
		return c
	}
	resp.Body.Close()
	host, err := http.ParseTime(resp.Header.Get("Date"))
	if err != nil {
		return sandbox.Check{Name: "clock", OK: true, Detail: api + " answers; it tells no time"}
	}
	off := now().Sub(host).Abs().Round(time.Second)
	c.OK, c.Detail = off < 2*time.Minute, fmt.Sprintf("%s answers; this clock is %s off", api, off)
	if !c.OK {
		c.Detail += "; set it"
	}
	return c
}
