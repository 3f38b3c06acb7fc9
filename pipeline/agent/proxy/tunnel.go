package proxy

import (
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"time"
)

// tunnel carries a TLS connection. Its first bytes must name the host that was asked for: the same address serves
// other hosts too, which are not allowed.
func (p *Proxy) tunnel(w http.ResponseWriter, r *http.Request) {
	q, err := parseDestination(r.Host)
	if err != nil || !p.policy.allows(q) {
		p.refuse(w, r.Host)
		return
	}
	far, err := p.policy.dial(r.Context(), q)
	if err != nil {
		p.unreachable(w, q.String(), err)
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
	p.copyBoth(near, far, io.MultiReader(strings.NewReader(hello), buffered), host)
}

// copyBoth copies in both directions until either side ends or the run does.
func (p *Proxy) copyBoth(near, far net.Conn, from io.Reader, host string) {
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
