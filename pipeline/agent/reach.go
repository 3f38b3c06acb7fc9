package agent

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// place is a host and port that an agent may speak to.
type place struct {
	host string // in small letters; "*.example.org" is every name below example.org
	port int
}

func (p place) String() string { return net.JoinHostPort(p.host, strconv.Itoa(p.port)) }

// parsePlace reads HOST or HOST:PORT; without one the port is 443.
func parsePlace(s string) (place, error) {
	host, port, err := net.SplitHostPort(s)
	if err != nil {
		host, port = strings.Trim(s, "[]"), "443"
	}
	n, err := strconv.Atoi(port)
	name := strings.TrimPrefix(host, "*.")
	_, ipErr := netip.ParseAddr(host)
	if err != nil || n < 1 || n > 65535 || name == "" || ipErr != nil && strings.ContainsAny(name, "*/:@? \t%[]") {
		return place{}, fmt.Errorf("%q is no host, as api.example.org or api.example.org:8443", s)
	}
	return place{canonical(host), n}, nil
}

// canonical spells a host one way.
func canonical(host string) string { return strings.ToLower(strings.TrimSuffix(host, ".")) }

func (p place) covers(q place) bool {
	if p.port != q.port {
		return false
	}
	if below, ok := strings.CutPrefix(p.host, "*."); ok {
		return strings.HasSuffix(q.host, "."+below)
	}
	return p.host == q.host
}

// reach is what an agent may speak to: hosts of the internet by their names, and
// such places of private networks, this machine's included, as are named for it.
type reach struct {
	allowed, private []place
	resolver         *net.Resolver // nil is the machine's
}

func anyCovers(list []place, q place) bool {
	for _, p := range list {
		if p.covers(q) {
			return true
		}
	}
	return false
}

// may says whether a place may be spoken to at all.
func (r reach) may(q place) bool { return anyCovers(r.allowed, q) || anyCovers(r.private, q) }

// errRefused is beneath the error of a place that may not be spoken to.
var errRefused = errors.New("not allowed by the agent's file")

// dial connects to a place. The address that is really connected to decides, so that
// no name can lead where names of its kind must not: a public name that answers with
// an address of a private network is refused.
func (r reach) dial(ctx context.Context, q place) (net.Conn, error) {
	if !r.may(q) {
		return nil, fmt.Errorf("%s: %w", q, errRefused)
	}
	d := net.Dialer{Timeout: 30 * time.Second, KeepAlive: 30 * time.Second, Resolver: r.resolver}
	if !anyCovers(r.private, q) {
		d.ControlContext = func(_ context.Context, _, address string, _ syscall.RawConn) error { return checkPublic(address) }
	}
	return d.DialContext(ctx, "tcp", q.String())
}

// checkPublic refuses addresses that are not of the public internet.
func checkPublic(address string) error {
	ap, err := netip.ParseAddrPort(address)
	if err != nil {
		return fmt.Errorf("%s: %w", address, errRefused)
	}
	if !public(ap.Addr()) {
		return fmt.Errorf("%s is an address of a private network: %w (name the host under private)", ap.Addr(), errRefused)
	}
	return nil
}

// notPublic are the ranges of the registries of special addresses that netip has no
// word for.
var notPublic = prefixes("0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15", "198.51.100.0/24",
	"203.0.113.0/24", "240.0.0.0/4", "::/96", "64:ff9b::/96", "64:ff9b:1::/48", "100::/64", "2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20", "5f00::/16", "fec0::/10")

func prefixes(list ...string) (out []netip.Prefix) {
	for _, s := range list {
		out = append(out, netip.MustParsePrefix(s))
	}
	return out
}

func public(a netip.Addr) bool {
	a = a.Unmap()
	if a.Zone() != "" || !a.IsGlobalUnicast() || a.IsPrivate() || a.IsLoopback() || a.IsLinkLocalUnicast() {
		return false
	}
	for _, p := range notPublic {
		if p.Contains(a) {
			return false
		}
	}
	return true
}
