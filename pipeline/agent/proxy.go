package agent

import (
	"context"
	"errors"
	"maps"

	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/sandbox"
)

// Traffic is what the proxy saw of a run.
type Traffic struct {
	Hosts []HostTraffic `json:"hosts"`
	// Calls are calls of a model: answers that told their usage, and streams that did
	// not, Untold of them, whose tokens are missing in Tokens. Failed are requests
	// through a base URL that ended with an error of the host or of the way.
	Calls   int64  `json:"calls"`
	Untold  int64  `json:"untold,omitempty"`
	Failed  int64  `json:"failed"`
	Refused int64  `json:"refused"`
	Tokens  Tokens `json:"tokens"`
	// Asked are destinations that were refused, at most 50 of them.
	Asked []string `json:"asked,omitempty"`
}

// answered counts an answer: a call of a model where it is a stream, or told of its usage.
func (t *Traffic) answered(called, told bool, u Tokens) {
	if !called && !told {
		return
	}
	t.Calls++
	t.Tokens.add(u)
	if !told {
		t.Untold++
	}
}

// HostTraffic is one host's part. What goes through a tunnel is one request, whatever
// is asked inside.
type HostTraffic struct {
	Host     string `json:"host"`
	Requests int64  `json:"requests"`
	Tunnels  int64  `json:"tunnels"`
	Sent     int64  `json:"sent"`
	Received int64  `json:"received"`
}

// proxy is one run's: it lets through what the agent's file allows, and counts.
type proxy struct {
	policy Policy
	bases  map[string]*url.URL // by the variable that names it
	api    *http.Transport

	mu      sync.Mutex
	hosts   map[string]*HostTraffic
	traffic Traffic
	ctx     context.Context
	cancel  context.CancelFunc
	tunnels sync.WaitGroup
}

// basePath begins the paths that stand for base URLs: /-/NAME/….
const basePath = "/-/"

// newProxy makes a run's proxy; what it does ends with the context.
func newProxy(ctx context.Context, r Policy, bases map[string]*url.URL) *proxy {
	ctx, cancel := context.WithCancel(ctx)
	p := &proxy{ctx: ctx, cancel: cancel, policy: r, bases: bases, hosts: map[string]*HostTraffic{}}
	p.api = &http.Transport{DialContext: p.dialBase, ResponseHeaderTimeout: 10 * time.Minute, TLSHandshakeTimeout: 30 * time.Second,
		MaxIdleConnsPerHost: 4, IdleConnTimeout: time.Minute, ForceAttemptHTTP2: true}
	return p
}

// Serve answers on the listener until it is closed.
func (p *proxy) Serve(l net.Listener) {
	s := &http.Server{Handler: p, ReadHeaderTimeout: time.Minute, MaxHeaderBytes: 1 << 20, ErrorLog: log.New(io.Discard, "", 0),
		BaseContext: func(net.Listener) context.Context { return p.ctx }}
	_ = s.Serve(l) // it ends when the listener is closed
	_ = s.Close()
	p.cancel()
	p.tunnels.Wait()
	p.api.CloseIdleConnections()
}

// Traffic gives what was seen so far.
func (p *proxy) Traffic() Traffic {
	p.mu.Lock()
	defer p.mu.Unlock()
	t := p.traffic
	t.Asked = slices.Clone(t.Asked)
	for _, name := range slices.Sorted(maps.Keys(p.hosts)) {
		t.Hosts = append(t.Hosts, *p.hosts[name])
	}
	return t
}

// count changes a host's part under the lock.
func (p *proxy) count(host string, f func(h *HostTraffic, t *Traffic)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	h := p.hosts[host]
	if h == nil {
		h = &HostTraffic{Host: host}
		p.hosts[host] = h
	}
	f(h, &p.traffic)
}

// ServeHTTP implements [http.Handler].
func (p *proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch name, rest, ok := p.baseOf(r); {
	case r.Method == http.MethodConnect:
		p.tunnel(w, r)
	case ok:
		p.base(w, r, name, rest)
	case r.URL.IsAbs():
		p.plain(w, r)
	default:
		http.Error(w, "wideswe: this is a proxy; it knows "+basePath+"NAME/ and the hosts that the agent's file allows", http.StatusBadRequest)
	}
}

// baseOf takes /-/NAME/rest apart. A client that sends everything through its proxy
// sends this as well, with the gate as the host.
func (p *proxy) baseOf(r *http.Request) (name, rest string, ok bool) {
	name, ok = strings.CutPrefix(r.URL.EscapedPath(), basePath)
	name, rest, _ = strings.Cut(name, "/")
	if r.URL.IsAbs() {
		q, err := destinationOf(r.URL)
		ok = ok && err == nil && !p.policy.allows(q) && p.bases[name] != nil
	}
	return name, rest, ok
}

// refuse answers what may not be reached, and notes it.
func (p *proxy) refuse(w http.ResponseWriter, what string) {
	p.mu.Lock()
	p.traffic.Refused++
	if len(p.traffic.Asked) < 50 && len(what) < 300 && !slices.Contains(p.traffic.Asked, what) {
		p.traffic.Asked = append(p.traffic.Asked, pipeline.Printable(what))
	}
	p.mu.Unlock()
	http.Error(w, "wideswe: "+what+" is not allowed by the agent's file", http.StatusForbidden)
}

// dialBase connects to the host of a base URL, which is allowed by being one.
func (p *proxy) dialBase(ctx context.Context, _, address string) (net.Conn, error) {
	q, err := parseDestination(address)
	if err != nil {
		return nil, err
	}
	r := p.policy
	r.allowed = append(slices.Clone(r.allowed), q)
	return r.dial(ctx, q)
}

// base passes a request on to the host that a base URL names. The answer is asked for
// uncompressed, so that its usage can be read on its way.
func (p *proxy) base(w http.ResponseWriter, r *http.Request, name, rest string) {
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
	sent := &counted{ReadCloser: r.Body}
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
			body := newReader(a.Body, a.Header.Get("Content-Type"), nil)
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

// plain passes on a request for http://host/….
func (p *proxy) plain(w http.ResponseWriter, r *http.Request) {
	q, err := destinationOf(r.URL)
	if err != nil || r.URL.Scheme != "http" || !p.policy.allows(q) {
		p.refuse(w, r.URL.Scheme+"://"+r.URL.Host)
		return
	}
	sent := &counted{ReadCloser: r.Body}
	r.Body = sent
	host := q.String()
	p.count(host, func(h *HostTraffic, _ *Traffic) { h.Requests++ })
	defer func() { p.count(host, func(h *HostTraffic, _ *Traffic) { h.Sent += sent.n.Load() }) }()
	t := &http.Transport{DisableKeepAlives: true, DisableCompression: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) { return p.policy.dial(ctx, q) }}
	rp := &httputil.ReverseProxy{Transport: t, FlushInterval: -1, ErrorLog: log.New(io.Discard, "", 0),
		Rewrite: func(pr *httputil.ProxyRequest) { pr.Out.Host = r.URL.Host },
		ModifyResponse: func(a *http.Response) error {
			a.Body = newReader(a.Body, "", func(_ bool, _ Tokens, n int64) {
				p.count(host, func(h *HostTraffic, _ *Traffic) { h.Received += n })
			})
			return nil
		},
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, err error) { p.failed(w, host, err) },
	}
	rp.ServeHTTP(w, r)
}

// failed answers for a host that could not be reached.
func (p *proxy) failed(w http.ResponseWriter, host string, err error) {
	if errors.Is(err, errRefused) {
		p.refuse(w, host)
		return
	}
	http.Error(w, "wideswe: "+host+" did not answer: "+pipeline.Printable(err.Error()), http.StatusBadGateway)
}

// tunnel carries a TLS connection. Its first bytes must name the host that was asked
// for: the same address serves other hosts, too, and those are not allowed.
func (p *proxy) tunnel(w http.ResponseWriter, r *http.Request) {
	q, err := parseDestination(r.Host)
	if err != nil || !p.policy.allows(q) {
		p.refuse(w, r.Host)
		return
	}
	far, err := p.policy.dial(r.Context(), q)
	if err != nil {
		p.failed(w, q.String(), err)
		return
	}
	defer far.Close()
	near, buffered, err := w.(http.Hijacker).Hijack()
	if err != nil {
		return
	}
	p.tunnels.Add(1)
	defer p.tunnels.Done()
	defer near.Close()
	defer context.AfterFunc(p.ctx, func() { _, _ = near.Close(), far.Close() })()
	host := q.String()
	p.count(host, func(h *HostTraffic, _ *Traffic) { h.Tunnels++ })
	if _, err := io.WriteString(near, "HTTP/1.1 200 Connection established\r\n\r\n"); err != nil {
		return
	}
	_ = near.SetReadDeadline(time.Now().Add(time.Minute))
	hello, name, err := clientHello(buffered)
	_ = near.SetReadDeadline(time.Time{})
	if err != nil || !nameFits(name, q) {
		p.mu.Lock()
		p.traffic.Refused++
		p.mu.Unlock()
		return
	}
	p.carry(near, far, io.MultiReader(strings.NewReader(hello), buffered), host)
}

// carry copies both ways until either side ends or the run does.
func (p *proxy) carry(near, far net.Conn, from io.Reader, host string) {
	ended := make(chan struct{}, 2)
	go func() {
		n, _ := io.Copy(far, from)
		p.count(host, func(h *HostTraffic, _ *Traffic) { h.Sent += n })
		ended <- struct{}{}
	}()
	go func() {
		n, _ := io.Copy(near, far)
		p.count(host, func(h *HostTraffic, _ *Traffic) { h.Received += n })
		ended <- struct{}{}
	}()
	<-ended
	// One side has ended: what is under way has a moment to arrive.
	_ = far.SetDeadline(time.Now().Add(time.Second))
	_ = near.SetDeadline(time.Now().Add(time.Second))
	<-ended
}

// counted counts what is read.
type counted struct {
	io.ReadCloser
	n atomic.Int64 // the transport may still read when the answer is there
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.ReadCloser.Read(p)
	c.n.Add(int64(n))
	return n, err
}

// environment points an agent at its proxy.
func (p *proxy) environment() map[string]string {
	env := map[string]string{}
	at := "http://" + sandbox.GateAddress
	if len(p.policy.allowed)+len(p.policy.private) > 0 {
		for _, k := range []string{"HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"} {
			env[k] = at
		}
		env["NO_PROXY"] = "localhost,127.0.0.1," + sandbox.GateHost
		env["no_proxy"] = env["NO_PROXY"]
		env["NODE_USE_ENV_PROXY"] = "1" // else Node's own fetch knows no proxy
	}
	for name := range p.bases {
		env[name] = at + basePath + name
	}
	return env
}
