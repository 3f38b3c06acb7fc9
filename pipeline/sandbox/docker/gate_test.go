package docker

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/wideswe/wideswe/pipeline/sandbox"
)

// One connection whose server reads nothing must not hold up another.
func TestGateSlowConnectionHoldsUpNoOther(t *testing.T) {
	d, img := dockerAndImage(t)
	serve := func(l net.Listener) {
		for first := true; ; first = false {
			c, err := l.Accept()
			if err != nil {
				return
			}
			if first {
				continue // never read, never closed
			}
			go func() { _, _ = io.WriteString(c, "here\n"); _ = c.Close() }()
		}
	}
	r, err := d.Run(t.Context(), sandbox.Spec{Image: img, Gate: &sandbox.Gate{Image: img, Serve: serve},
		Env: map[string]string{"GATE": sandbox.GateAddress}, Limits: sandbox.Limits{Timeout: time.Minute},
		Script: `perl -MIO::Socket::INET -e '
			my $a = IO::Socket::INET->new(PeerAddr=>$ENV{GATE}) or die; $a->blocking(0);
			my $x = "a" x 65536; my $sent = 0; for (1..400) { my $w = syswrite $a, $x; if ($w) { $sent += $w } else { select undef, undef, undef, 0.005 } }
			my $b = IO::Socket::INET->new(PeerAddr=>$ENV{GATE}) or die; print scalar <$b>; print $sent < 20e6 ? "bounded\n" : "unbounded $sent\n"'`})
	if err != nil {
		t.Fatal(err)
	}
	if string(r.Output) != "here\nbounded\n" {
		t.Errorf("%q", r.Output)
	}
}

// The run reaches its gate and nothing of this machine, by none of its addresses.
func TestGateIsAllThatARunReaches(t *testing.T) {
	d, img := dockerAndImage(t)
	here, err := net.Listen("tcp", "0.0.0.0:0")
	if err != nil {
		t.Fatal(err)
	}
	defer here.Close()
	var touched atomic.Int64
	go func() {
		for {
			c, err := here.Accept()
			if err != nil {
				return
			}
			touched.Add(1)
			_, _ = io.WriteString(c, "host\n")
			_ = c.Close()
		}
	}()
	port := here.Addr().(*net.TCPAddr).Port
	var script strings.Builder
	addrs, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	places := []string{"169.254.169.254"}
	for _, a := range addrs {
		if ip := a.(*net.IPNet).IP; ip.To4() != nil && !ip.IsLoopback() {
			places = append(places, ip.String())
		}
	}
	for _, p := range places {
		fmt.Fprintf(&script, "(%s%s %d) &\n", ask, p, port)
	}
	// Every other address of its network, the bridge's first of all, and no IPv6.
	fmt.Fprintf(&script, `own=$(awk '/32 host/ {print f} {f=$2}' /proc/net/fib_trie | grep -v '^127' | head -n 1); net=${own%%.*}
		for i in 1 2 3 4 254; do [ "$net.$i" = "$own" ] || for p in %d 22; do (%s "$net.$i" $p) & done; done
		(timeout 5 getent hosts example.org && echo resolved) &
		[ -n "$own" ] || echo no address
		[ -s /proc/net/if_inet6 ] && grep -v ' lo$' /proc/net/if_inet6 && echo has ipv6
		wait; echo gate; %s `, port, ask, strings.TrimSuffix(ask, " ")+" ${GATE%:*} ${GATE#*:}")
	script.WriteString("\n")
	gate := func(l net.Listener) {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = io.WriteString(c, "the gate\n")
			_ = c.Close()
		}
	}
	r, err := d.Run(t.Context(), sandbox.Spec{Image: img, Gate: &sandbox.Gate{Image: img, Serve: gate},
		Env: map[string]string{"GATE": sandbox.GateAddress}, Script: "set +e\n" + script.String(),
		Limits: sandbox.Limits{Timeout: 3 * time.Minute}})
	if err != nil {
		t.Fatal(err)
	}
	out := strings.ReplaceAll(string(r.Output), "unreachable\n", "")
	if out != "gate\nthe gate\n" || touched.Load() > 0 || !r.NetworkOff {
		t.Errorf("it reached more than the gate: %d times this machine; %q", touched.Load(), r.Output)
	}
	if n := left(t, d); n > 0 {
		t.Errorf("%d containers and networks are left", n)
	}
}

func TestGateNeedsPerl(t *testing.T) {
	d, img := dockerAndImage(t)
	key := "test-" + random()
	made, err := d.BuildImage(t.Context(), sandbox.ImageSpec{Base: img, Name: "wideswe/test:" + key, Key: key,
		Steps: []sandbox.Step{{Name: "no perl", User: "0:0", Script: "rm /usr/bin/perl*"}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.RemoveImage(context.WithoutCancel(t.Context()), made.ID) })
	_, err = d.Run(t.Context(), sandbox.Spec{Image: img, Gate: &sandbox.Gate{Image: made.ID,
		Serve: func(l net.Listener) { _, _ = l.Accept() }}, Script: "true"})
	if err == nil || !strings.Contains(err.Error(), "perl") {
		t.Errorf("got %v", err)
	}
	if n := left(t, d); n > 0 {
		t.Errorf("%d containers and networks are left", n)
	}
}

func TestMuxRefusesACarrierThatSendsTooMuch(t *testing.T) {
	m := newMux(io.Discard)
	m.open(1)
	c := m.conns[1]
	if err := c.take(make([]byte, gateWindow)); err != nil {
		t.Error(err)
	}
	if err := c.take([]byte{1}); err == nil {
		t.Error("more than the window is taken")
	}
	if err := newMux(io.Discard).read(bytes.NewReader([]byte{'D', 0, 0, 0, 1, 0xff, 0, 0, 0})); err == nil ||
		errors.Is(err, io.EOF) {
		t.Errorf("a frame without end: %v", err)
	}
	_ = m.Close()
}
