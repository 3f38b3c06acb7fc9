package proxy

import (
	"bufio"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/wideswe/wideswe/pipeline/agent/agenttest"
)

// started runs a proxy on this machine and gives a client that goes through it.
func started(t *testing.T, r Policy, bases map[string]*url.URL) (*Proxy, string, *http.Client) {
	t.Helper()
	p := New(t.Context(), r, bases)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() { defer close(done); p.Serve(l) }()
	t.Cleanup(func() { _ = l.Close(); <-done })
	at, _ := url.Parse("http://" + l.Addr().String())
	c := &http.Client{Timeout: 20 * time.Second, Transport: &http.Transport{Proxy: http.ProxyURL(at),
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableKeepAlives: true}}
	return p, at.String(), c
}

func get(t *testing.T, c *http.Client, address string) (int, string) {
	t.Helper()
	r, err := c.Get(address)
	if err != nil {
		return 0, err.Error()
	}
	defer r.Body.Close()
	b, _ := io.ReadAll(r.Body)
	return r.StatusCode, string(b)
}

func destinationAt(t *testing.T, address string) destination {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	q, err := destinationOf(u)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

func TestProxyCountsWhatModelsSayTheyUsed(t *testing.T) {
	api := agenttest.ModelAPI(t)
	base, _ := url.Parse(api.URL)
	for name, want := range map[string]Traffic{
		"chat": {Calls: 1, Tokens: Tokens{10, 4, 5}}, "chat-stream": {Calls: 1,
			Tokens: Tokens{7, 0, 3}}, "responses": {Calls: 1, Tokens: Tokens{100, 60, 9}},
		"messages": {Calls: 1, Tokens: Tokens{73, 50, 42}}, "zipped": {Calls: 1,
			Tokens: Tokens{1, 0,
				1}}, "html": {}, "untold": {Calls: 1, Untold: 1}, "busy": {Failed: 1}, "nothing": {Failed: 1},
	} {
		t.Run(name, func(t *testing.T) {
			p, at, _ := started(t, Policy{private: []destination{destinationAt(t, api.URL)}},
				map[string]*url.URL{"API": base})
			r, err := http.Post(at+"/-/API/"+name, "application/json", strings.NewReader(`{"model":"m"}`))
			if err != nil {
				t.Fatal(err)
			}
			body, _ := io.ReadAll(r.Body)
			r.Body.Close()
			got := p.Traffic()
			// What was sent is counted as the request ends, which may be after its answer did.
			for end := time.Now().Add(10 * time.Second); len(got.Hosts) == 1 && got.Hosts[0].Sent == 0 &&
				time.Now().Before(end); got = p.Traffic() {
				time.Sleep(time.Millisecond)
			}
			if len(got.Hosts) != 1 || got.Hosts[0].Requests != 1 || got.Hosts[0].Sent != 13 ||
				got.Hosts[0].Received != int64(len(body)) || got.Hosts[0].Host != base.Host {
				t.Errorf("%+v for %d bytes", got.Hosts, len(body))
			}
			got.Hosts = nil
			if d := cmp.Diff(want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestProxyPassesOnAsItIs(t *testing.T) {
	api := agenttest.ModelAPI(t)
	base, _ := url.Parse(api.URL + "/echo/v1")
	p, at, through := started(t, Policy{private: []destination{destinationAt(t, api.URL)}},
		map[string]*url.URL{"API": base})
	q, _ := http.NewRequest("PUT", at+"/-/API/a%2Fb/c?x=1&y=%20", nil)
	q.Header.Set("X-Api-Key", "k")
	r, err := http.DefaultClient.Do(q)
	if err != nil {
		t.Fatal(err)
	}
	b, _ := io.ReadAll(r.Body)
	if want := `PUT /echo/v1/a%2Fb/c x=1&y=%20 k []`; string(b) != want {
		t.Errorf("%s, not %s", b, want)
	}
	for _, path := range []string{"/-/API/../../busy", "/-/API/%2e%2e/%2e%2e/busy", "/-/API/a%2f..%2f..%2f..%2fbusy",
		"/-/OTHER/x"} {
		c, err := net.Dial("tcp", strings.TrimPrefix(at, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(c, "GET %s HTTP/1.1\r\nHost: gate\r\nConnection: close\r\n\r\n", path)
		line, _ := bufio.NewReader(c).ReadString('\n')
		if !strings.Contains(line, " 403 ") {
			t.Errorf("%s: %s", path, line)
		}
		c.Close()
	}
	// Through the proxy by its own address, as clients do that know no exception.
	if code, body := get(t, through, "http://wideswe-gate:3128/-/API/z"); code != 200 ||
		!strings.HasPrefix(body, "GET /echo/v1/z ") {
		t.Errorf("%d %s", code, body)
	}
	if n := p.Traffic().Refused; n != 4 {
		t.Errorf("%d refused", n)
	}
}

// Streams arrive as they are made, not when they end.
func TestProxyStreams(t *testing.T) {
	next := make(chan struct{})
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "data: 1\n\n")
		w.(http.Flusher).Flush()
		<-next
		_, _ = io.WriteString(w, "data: 2\n\n")
	}))
	defer api.Close()
	base, _ := url.Parse(api.URL)
	_, at, _ := started(t, Policy{private: []destination{destinationAt(t, api.URL)}}, map[string]*url.URL{"API": base})
	r, err := http.Get(at + "/-/API/x")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	b := bufio.NewReader(r.Body)
	if line, err := b.ReadString('\n'); err != nil || line != "data: 1\n" {
		t.Fatalf("%q %v", line, err)
	}
	close(next)
	if rest, err := io.ReadAll(b); err != nil || string(rest) != "\ndata: 2\n\n" {
		t.Errorf("%q %v", rest, err)
	}
}

func TestProxyReachesWhatIsAllowedAndNothingElse(t *testing.T) {
	open := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_,
			_ = io.WriteString(w, "open")
	}))
	closed := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter,
		*http.Request) {
		t.Error("a host that is not allowed was reached")
	}))
	secure := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_,
			_ = io.WriteString(w, "secure")
	}))
	hidden := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		t.Error("a name that is public by its entry led to this machine")
	}))
	for _, s := range []*httptest.Server{open, closed, secure, hidden} {
		defer s.Close()
	}
	port := func(s *httptest.Server) int { return destinationAt(t, s.URL).port }
	r := Policy{private: []destination{destinationAt(t, open.URL), {"localhost", port(secure)},
		destinationAt(t, secure.URL)}, allowed: []destination{{"localhost", port(hidden)}, {"127.0.0.1", port(hidden)}}}
	p, _, c := started(t, r, nil)
	for _, tc := range []struct {
		address string
		code    int
		body    string
	}{
		{open.URL, 200, "open"},
		{fmt.Sprintf("https://localhost:%d", port(secure)), 200, "secure"},
		{secure.URL, 200, "secure"},
		{closed.URL, 403, ""},
		{fmt.Sprintf("http://localhost:%d", port(open)), 403, ""}, // the name is not the one that is allowed
		{fmt.Sprintf("https://localhost:%d", port(hidden)), 0, "Forbidden"},
		{hidden.URL, 0, "Forbidden"},
		{"http://169.254.169.254/latest", 403, ""},
		{"https://example.org", 0, "Forbidden"},
		{"ftp://example.org/x", 0, ""},
	} {
		code, body := get(t, c, tc.address)
		if code != tc.code || !strings.Contains(body, tc.body) {
			t.Errorf("%s: %d %s, want %d %s", tc.address, code, body, tc.code, tc.body)
		}
	}
	got := p.Traffic()
	if len(got.Hosts) != 3 || got.Refused < 6 || !strings.Contains(strings.Join(got.Asked, " "), "example.org:443") {
		t.Errorf("%+v", got)
	}
}

// A tunnel to a host begins with that host's name: others that the same address
// serves are not reached through it, nor is anything that is no TLS.
func TestProxyTunnelsToTheNamedHostAlone(t *testing.T) {
	secure := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_,
			_ = io.WriteString(w, r.TLS.ServerName)
	}))
	defer secure.Close()
	q := destination{"localhost", destinationAt(t, secure.URL).port}
	p, at, _ := started(t, Policy{private: []destination{q}}, nil)
	connect := func() net.Conn {
		c, err := net.Dial("tcp", strings.TrimPrefix(at, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(c, "CONNECT %s HTTP/1.1\r\nHost: %s\r\n\r\n", q, q)
		b := make([]byte, len("HTTP/1.1 200 Connection established\r\n\r\n"))
		if _, err := io.ReadFull(c, b); err != nil {
			t.Fatal(err)
		}
		return c
	}
	for name, ok := range map[string]bool{"localhost": true, "LOCALHOST": true, "other.example.org": false, "": false} {
		c := tls.Client(connect(), &tls.Config{ServerName: name, InsecureSkipVerify: true})
		if err := c.Handshake(); (err == nil) != ok {
			t.Errorf("%q: %v", name, err)
		}
		c.Close()
	}
	c := connect()
	_, _ = io.WriteString(c, "SSH-2.0-x\r\nmore than five bytes\r\n")
	if b, _ := io.ReadAll(c); len(b) > 0 {
		t.Errorf("what is no TLS was answered with %q", b)
	}
	if got := p.Traffic(); got.Refused != 3 {
		t.Errorf("%+v", got)
	}
}

func TestPublicAddresses(t *testing.T) {
	for a, want := range map[string]bool{
		"8.8.8.8": true, "2606:4700::1111": true, "127.0.0.1": false, "10.0.0.1": false, "172.17.0.1": false,
		"192.168.1.1": false, "169.254.169.254": false,
		"100.64.0.1": false, "0.0.0.0": false, "255.255.255.255": false, "224.0.0.1": false, "::1": false, "fe80::1": false,
		"fd00::2": false, "::ffff:127.0.0.1": false,
		"::ffff:8.8.8.8": true, "64:ff9b::7f00:1": false, "::127.0.0.1": false, "2002:7f00:1::": false, "ff02::1": false,
		"192.0.2.2": false, "198.18.0.1": false,
	} {
		if got := public(netip.MustParseAddr(a)); got != want {
			t.Errorf("%s: %v", a, got)
		}
	}
}

func TestPlaces(t *testing.T) {
	for s, want := range map[string]string{"api.example.org": "api.example.org:443",
		"API.Example.org.:8443": "api.example.org:8443", "*.example.org": "*.example.org:443",
		"[::1]:80": "[::1]:80", "10.0.0.1:80": "10.0.0.1:80", "": "", "https://x": "", "*": "", "a.*.b": "", "x:0": "",
		"x:99999": "", "a/b": "", "u@h": ""} {
		got, err := parseDestination(s)
		if (err == nil) != (want != "") || err == nil && got.String() != want {
			t.Errorf("%q: %v %v", s, got, err)
		}
	}
	any, _ := parseDestination("*.example.org")
	for host, want := range map[string]bool{"a.example.org": true, "a.b.example.org": true, "example.org": false,
		"badexample.org": false, "a.example.org.evil.com": false} {
		if got := any.covers(destination{host, 443}); got != want {
			t.Errorf("%s: %v", host, got)
		}
	}
}

// A stream that never ends a line, or an answer that is too long, is passed on and not kept.
func TestReaderIsBounded(t *testing.T) {
	long := strings.Repeat("x", maxAnswer+10)
	for kind, text := range map[string]string{"application/json": `{"usage":{"input_tokens":5},"x":"` + long + `"}`,
		"text/event-stream": "data: " + long + "\ndata: {\"usage\":{\"input_tokens\":5}}\n"} {
		var found bool
		r := newUsageReader(io.NopCloser(strings.NewReader(text)), kind, func(f bool, _ Tokens, _ int64) { found = f })
		n, err := io.Copy(io.Discard, r)
		if err != nil || n != int64(len(text)) || found != (kind == "text/event-stream") ||
			r.buf.Cap() > 2*maxAnswer+1<<20 {
			t.Errorf("%s: %d bytes, found %v, %v", kind, n, found, err)
		}
	}
}

func TestProxyEndsWithItsListener(t *testing.T) {
	secure := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter,
		r *http.Request) {
		<-r.Context().Done()
	}))
	defer secure.Close()
	q := destination{"127.0.0.1", destinationAt(t, secure.URL).port}
	p := New(context.Background(), Policy{private: []destination{q}}, nil)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() { defer close(done); p.Serve(l) }()
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	fmt.Fprintf(c, "CONNECT %s HTTP/1.1\r\nHost: %s\r\n\r\n", q, q)
	if _, err := c.Read(make([]byte, 100)); err != nil {
		t.Fatal(err)
	}
	_ = l.Close()
	select {
	case <-done:
	case <-time.After(10 * time.Second):
		t.Error("a tunnel that nobody uses keeps the proxy")
	}
}

func FuzzServerName(f *testing.F) {
	f.Add([]byte{1, 0, 0, 4, 3, 3, 0, 0})
	f.Fuzz(func(t *testing.T, b []byte) { _, _ = serverName(b) })
}
