package sandbox

import (
	_ "embed"
	"net"
)

// Gate is the one address that a run may connect to. What it connects to is no
// network: connections come to this program as they are, and Serve decides on each
// of them. In a container the address is that of a second container which has no way
// out either and carries bytes over its standard streams; so nothing of this machine
// listens where the run could reach it.
type Gate struct {
	// Image runs the carrier; it must have perl, as every Debian image does.
	Image string
	// Serve takes the connections until the listener is closed.
	Serve func(net.Listener)
}

// GateAddress stands in environment values for the gate's host and port, GateHost for
// the host alone.
const (
	GateAddress = "{gate}"
	GateHost    = "{gate-host}"
)

// Service is a container beside a run: a database, a queue. The run reaches it by its
// name, on a network of the two that leads nowhere else.
type Service struct {
	Name    string
	Image   string // name, digest or id
	Command []string
	Env     map[string]string
	// Ready is a shell line run in the service's container until it ends with 0; Port
	// is waited for where there is none.
	Ready string
	Port  int
	Tmpfs []string // folders that lie in memory
}
