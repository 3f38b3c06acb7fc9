package process

import (
	"context"
	_ "embed"
	"net"

	"github.com/wideswe/wideswe/pipeline/sandbox"
)

// listenHere is the gate of the process backend: a port of this machine's loopback.
func listenHere(ctx context.Context, g *sandbox.Gate) (address string, stop func(), err error) {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	done := make(chan struct{})
	go func() { defer close(done); g.Serve(l) }()
	return l.Addr().String(), func() { _ = l.Close(); <-done }, nil
}
