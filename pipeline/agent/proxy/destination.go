package proxy

import (
	"cmp"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
)

// destination is a host and port.
type destination struct {
	host string // in small letters; "*.example.org" is every name below example.org
	port int
}

func (p destination) String() string { return net.JoinHostPort(p.host, strconv.Itoa(p.port)) }

// CheckDestination refuses what is neither HOST nor HOST:PORT.
func CheckDestination(s string) error {
	_, err := parseDestination(s)
	return err
}

// parseDestination reads HOST or HOST:PORT; the default port is 443.
func parseDestination(s string) (destination, error) {
	host, port, err := net.SplitHostPort(s)
	if err != nil {
		host, port = strings.Trim(s, "[]"), "443"
	}
	n, err := strconv.Atoi(port)
	name := strings.TrimPrefix(host, "*.")
	_, ipErr := netip.ParseAddr(host)
	if err != nil || n < 1 || n > 65535 || name == "" || ipErr != nil && strings.ContainsAny(name, "*/:@? \t%[]") {
		return destination{}, fmt.Errorf("%q is no host, as api.example.org or api.example.org:8443", s)
	}
	return destination{canonical(host), n}, nil
}

// canonical returns a host in lower case without a final dot.
func canonical(host string) string { return strings.ToLower(strings.TrimSuffix(host, ".")) }

func (p destination) covers(q destination) bool {
	if p.port != q.port {
		return false
	}
	if below, ok := strings.CutPrefix(p.host, "*."); ok {
		return strings.HasSuffix(q.host, "."+below)
	}
	return p.host == q.host
}

func anyCovers(list []destination, q destination) bool {
	for _, p := range list {
		if p.covers(q) {
			return true
		}
	}
	return false
}

func destinations(list []string) (out []destination) {
	for _, s := range list {
		if d, err := parseDestination(s); err == nil {
			out = append(out, d)
		}
	}
	return out
}

// destinationOf returns where a plain request goes.
func destinationOf(u *url.URL) (destination, error) {
	return parseDestination(net.JoinHostPort(u.Hostname(), cmp.Or(u.Port(), "80")))
}
