package proxy

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"syscall"
	"time"
)

// Policy lists the destinations that an agent may connect to: hosts of the internet by
// their names, and hosts of private networks, this machine's included, that are named
// for it.
type Policy struct {
	allowed, private []destination
	resolver         *net.Resolver // nil is the machine's
}

// NewPolicy makes a policy of hosts as [CheckDestination] accepts them.
func NewPolicy(allowed, private []string) Policy {
	return Policy{allowed: destinations(allowed), private: destinations(private)}
}

// CoversPrivate tells whether an address's host is one of the private hosts.
func (p Policy) CoversPrivate(u *url.URL) bool {
	q, err := destinationOf(u)
	return err == nil && anyCovers(p.private, q)
}

// allows tells whether an agent may connect to a destination at all.
func (p Policy) allows(q destination) bool { return anyCovers(p.allowed, q) || anyCovers(p.private, q) }

// dial connects to a destination. The address that is really connected to decides: a public name that resolves to an
// address of a private network is refused.
func (p Policy) dial(ctx context.Context, q destination) (net.Conn, error) {
	if !p.allows(q) {
		return nil, fmt.Errorf("%s: %w", q, errRefused)
	}
	d := net.Dialer{Timeout: 30 * time.Second, KeepAlive: 30 * time.Second, Resolver: p.resolver}
	if !anyCovers(p.private, q) {
		d.ControlContext = func(_ context.Context, _, address string,
			_ syscall.RawConn) error {
			return checkPublic(address)
		}
	}
	return d.DialContext(ctx, "tcp", q.String())
}

// errRefused is wrapped by the error for a destination that is not allowed.
var errRefused = errors.New("not allowed by the agent's file")

// checkPublic refuses addresses that are not of the public internet.
func checkPublic(address string) error {
	ap, err := netip.ParseAddrPort(address)
	if err != nil {
		return fmt.Errorf("%s: %w", address, errRefused)
	}
	if !public(ap.Addr()) {
		return fmt.Errorf("%s is an address of a private network: %w (name the host under private)", ap.Addr(),
			errRefused)
	}
	return nil
}

// notPublic lists the special-purpose ranges that netip has no method for.
var notPublic = prefixes("0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24",
	"198.18.0.0/15", "198.51.100.0/24",
	"203.0.113.0/24", "240.0.0.0/4", "::/96", "64:ff9b::/96", "64:ff9b:1::/48", "100::/64", "2001::/23",
	"2001:db8::/32", "2002::/16", "3fff::/20", "5f00::/16", "fec0::/10")

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
