package proxy

import (
	"context"
	"io"
	"log"
	"net"
	"net/http"
	"strings"
	"time"
)

// Serve answers on the listener until it is closed.
func (p *Proxy) Serve(l net.Listener) {
	s := &http.Server{Handler: p, ReadHeaderTimeout: time.Minute, MaxHeaderBytes: 1 << 20,
		ErrorLog:    log.New(io.Discard, "", 0),
		BaseContext: func(net.Listener) context.Context { return p.ctx }}
	_ = s.Serve(l) // it ends when the listener is closed
	_ = s.Close()
	p.cancel()
	p.tunnels.Wait()
	p.api.CloseIdleConnections()
}

// ServeHTTP implements [http.Handler].
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch name, rest, ok := p.baseOf(r); {
	case r.Method == http.MethodConnect:
		p.tunnel(w, r)
	case ok:
		p.forwardToBase(w, r, name, rest)
	case r.URL.IsAbs():
		p.forwardPlain(w, r)
	default:
		http.Error(w,
			"wideswe: this is a proxy; it knows "+basePath+"NAME/ and the hosts that the agent's file allows",
			http.StatusBadRequest)
	}
}

// baseOf splits /-/NAME/rest. A client that sends everything through its proxy sends this with the gate as the host.
func (p *Proxy) baseOf(r *http.Request) (name, rest string, ok bool) {
	name, ok = strings.CutPrefix(r.URL.EscapedPath(), basePath)
	name, rest, _ = strings.Cut(name, "/")
	if r.URL.IsAbs() {
		q, err := destinationOf(r.URL)
		ok = ok && err == nil && !p.policy.allows(q) && p.bases[name] != nil
	}
	return name, rest, ok
}
