package proxy

import (
	"context"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/wideswe/wideswe/pipeline"
)

// forwardToBase passes a request on to the host of a base URL. It asks for an uncompressed answer, so that the usage
// can be read while it passes.
func (p *Proxy) forwardToBase(w http.ResponseWriter, r *http.Request, name, rest string) {
	to := p.bases[name]
	plain, err := url.PathUnescape(rest)
	if to == nil || err != nil || slices.Contains(strings.Split(plain, "/"), "..") {
		p.refuse(w, r.URL.Path)
		return
	}
	target := *to
	target.Path = strings.TrimSuffix(to.Path, "/") + "/" + plain
	target.RawPath = strings.TrimSuffix(to.EscapedPath(), "/") + "/" + rest
	target.RawQuery = r.URL.RawQuery
	sent := &countingBody{ReadCloser: r.Body}
	r.Body = sent
	host := to.Host
	p.count(host, func(h *HostTraffic, _ *Traffic) { h.Requests++ })
	defer func() { p.count(host, func(h *HostTraffic, _ *Traffic) { h.Sent += sent.n.Load() }) }()
	rp := &httputil.ReverseProxy{Transport: p.api, FlushInterval: -1, ErrorLog: log.New(io.Discard, "", 0),
		Rewrite: func(pr *httputil.ProxyRequest) {
			pr.Out.URL, pr.Out.Host = &target, target.Host
			pr.Out.Header.Del("Accept-Encoding")
		},
		ModifyResponse: func(a *http.Response) error {
			if a.StatusCode >= 400 {
				p.count(host, func(_ *HostTraffic, t *Traffic) { t.Failed++ })
			}
			if a.StatusCode == http.StatusSwitchingProtocols {
				return nil // what follows is no answer to look into
			}
			body := newUsageReader(a.Body, a.Header.Get("Content-Type"), nil)
			called := body.events && r.Method == http.MethodPost && a.StatusCode < 300
			body.done = func(found bool, u Tokens, n int64) {
				p.count(host, func(h *HostTraffic, t *Traffic) { h.Received += n; t.answered(called, found, u) })
			}
			a.Body = body
			return nil
		},
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, err error) {
			p.count(host, func(_ *HostTraffic, t *Traffic) { t.Failed++ })
			http.Error(w, "wideswe: "+host+" did not answer: "+pipeline.Printable(err.Error()), http.StatusBadGateway)
		},
	}
	rp.ServeHTTP(w, r)
}

// forwardPlain passes on a request for http://host/….
func (p *Proxy) forwardPlain(w http.ResponseWriter, r *http.Request) {
	q, err := destinationOf(r.URL)
	if err != nil || r.URL.Scheme != "http" || !p.policy.allows(q) {
		p.refuse(w, r.URL.Scheme+"://"+r.URL.Host)
		return
	}
	sent := &countingBody{ReadCloser: r.Body}
	r.Body = sent
	host := q.String()
	p.count(host, func(h *HostTraffic, _ *Traffic) { h.Requests++ })
	defer func() { p.count(host, func(h *HostTraffic, _ *Traffic) { h.Sent += sent.n.Load() }) }()
	t := &http.Transport{DisableKeepAlives: true, DisableCompression: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) { return p.policy.dial(ctx, q) }}
	rp := &httputil.ReverseProxy{Transport: t, FlushInterval: -1, ErrorLog: log.New(io.Discard, "", 0),
		Rewrite: func(pr *httputil.ProxyRequest) { pr.Out.Host = r.URL.Host },
		ModifyResponse: func(a *http.Response) error {
			a.Body = newUsageReader(a.Body, "", func(_ bool, _ Tokens, n int64) {
				p.count(host, func(h *HostTraffic, _ *Traffic) { h.Received += n })
			})
			return nil
		},
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, err error) { p.unreachable(w, host, err) },
	}
	rp.ServeHTTP(w, r)
}

// countingBody counts the bytes that are read.
type countingBody struct {
	io.ReadCloser
	n atomic.Int64 // the transport may still read when the answer is there
}

func (c *countingBody) Read(p []byte) (int, error) {
	n, err := c.ReadCloser.Read(p)
	c.n.Add(int64(n))
	return n, err
}
