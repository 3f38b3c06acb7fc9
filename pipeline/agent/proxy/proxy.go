package proxy

import (
	"context"
	"errors"
	"maps"
	"net"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/sandbox"
)

// Proxy lets the requests of one run through to what the policy allows, and counts them.
type Proxy struct {
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

// New makes the proxy of one run. Its connections end with the context.
func New(ctx context.Context, r Policy, bases map[string]*url.URL) *Proxy {
	ctx, cancel := context.WithCancel(ctx)
	p := &Proxy{ctx: ctx, cancel: cancel, policy: r, bases: bases, hosts: map[string]*HostTraffic{}}
	p.api = &http.Transport{DialContext: p.dialBase, ResponseHeaderTimeout: 10 * time.Minute,
		TLSHandshakeTimeout: 30 * time.Second,
		MaxIdleConnsPerHost: 4, IdleConnTimeout: time.Minute, ForceAttemptHTTP2: true}
	return p
}

// dialBase connects to the host of a base URL, which is allowed by being one.
func (p *Proxy) dialBase(ctx context.Context, _, address string) (net.Conn, error) {
	q, err := parseDestination(address)
	if err != nil {
		return nil, err
	}
	r := p.policy
	r.allowed = append(slices.Clone(r.allowed), q)
	return r.dial(ctx, q)
}

// Traffic returns the counts so far.
func (p *Proxy) Traffic() Traffic {
	p.mu.Lock()
	defer p.mu.Unlock()
	t := p.traffic
	t.Asked = slices.Clone(t.Asked)
	for _, name := range slices.Sorted(maps.Keys(p.hosts)) {
		t.Hosts = append(t.Hosts, *p.hosts[name])
	}
	return t
}

// count changes a host's counts under the lock.
func (p *Proxy) count(host string, f func(h *HostTraffic, t *Traffic)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	h := p.hosts[host]
	if h == nil {
		h = &HostTraffic{Host: host}
		p.hosts[host] = h
	}
	f(h, &p.traffic)
}

// refuse answers a request that is not allowed and notes its destination.
func (p *Proxy) refuse(w http.ResponseWriter, what string) {
	p.mu.Lock()
	p.traffic.Refused++
	if len(p.traffic.Asked) < 50 && len(what) < 300 && !slices.Contains(p.traffic.Asked, what) {
		p.traffic.Asked = append(p.traffic.Asked, pipeline.Printable(what))
	}
	p.mu.Unlock()
	http.Error(w, "wideswe: "+what+" is not allowed by the agent's file", http.StatusForbidden)
}

// unreachable answers for a host that could not be reached.
func (p *Proxy) unreachable(w http.ResponseWriter, host string, err error) {
	if errors.Is(err, errRefused) {
		p.refuse(w, host)
		return
	}
	http.Error(w, "wideswe: "+host+" did not answer: "+pipeline.Printable(err.Error()), http.StatusBadGateway)
}

// Environment returns the variables that point an agent at its proxy.
func (p *Proxy) Environment() map[string]string {
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
