package docker

import (
	"bufio"
	_ "embed"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
)

const (
	gateName = "wideswe-gate"
	gatePort = 3128
)

// relayScript is the carrier: see its head for the protocol.
//
//go:embed relay.pl
var relayScript string

// The frames between this program and the carrier.
const (
	frameHello  = 'H'
	frameOpen   = 'O'
	frameData   = 'D'
	frameClose  = 'C'
	frameWindow = 'W'

	frameHead = 9
	// maxFrame bounds one frame, gateWindow what one side sends before the other has
	// taken it, so that one slow connection holds up no other.
	maxFrame   = 64 << 10
	gateWindow = 256 << 10
)

// mux is this program's end of a carrier: a [net.Listener].
type mux struct {
	w       io.Writer // to the carrier
	writing sync.Mutex

	mu     sync.Mutex
	conns  map[uint32]*muxConn
	closed bool

	hello  chan struct{}
	accept chan net.Conn
	done   chan struct{}
	once   sync.Once
}

func newMux(w io.Writer) *mux {
	return &mux{w: w, conns: map[uint32]*muxConn{}, hello: make(chan struct{}), accept: make(chan net.Conn),
		done: make(chan struct{})}
}

// Accept implements [net.Listener].
func (m *mux) Accept() (net.Conn, error) {
	select {
	case c := <-m.accept:
		return c, nil
	case <-m.done:
		return nil, net.ErrClosed
	}
}

// Close implements [net.Listener]: it ends every connection, too.
func (m *mux) Close() error {
	m.once.Do(func() { close(m.done) })
	m.mu.Lock()
	m.closed = true
	list := m.conns
	m.conns = map[uint32]*muxConn{}
	m.mu.Unlock()
	for _, c := range list {
		c.end()
	}
	return nil
}

// Addr implements [net.Listener].
func (m *mux) Addr() net.Addr { return gateAddr{} }

type gateAddr struct{}

func (gateAddr) Network() string { return "gate" }

func (gateAddr) String() string { return gateName }

// send writes one frame.
func (m *mux) send(kind byte, id uint32, data []byte) error {
	head := make([]byte, frameHead, frameHead+len(data))
	head[0] = kind
	binary.BigEndian.PutUint32(head[1:], id)
	binary.BigEndian.PutUint32(head[5:], uint32(len(data)))
	m.writing.Lock()
	defer m.writing.Unlock()
	_, err := m.w.Write(append(head, data...))
	return err
}

// read takes the carrier's frames until its stream ends.
func (m *mux) read(r io.Reader) error {
	defer m.Close()
	b := bufio.NewReaderSize(r, maxFrame)
	greeted := false
	for {
		var head [frameHead]byte
		if _, err := io.ReadFull(b, head[:]); err != nil {
			return err
		}
		id, n := binary.BigEndian.Uint32(head[1:]), binary.BigEndian.Uint32(head[5:])
		if n > maxFrame {
			return fmt.Errorf("the carrier sent a frame of %d bytes", n)
		}
		data := make([]byte, n)
		if _, err := io.ReadFull(b, data); err != nil {
			return err
		}
		if head[0] == frameHello && !greeted {
			greeted = true
			close(m.hello)
			continue
		}
		if err := m.frame(head[0], id, data); err != nil {
			return err
		}
	}
}

func (m *mux) frame(kind byte, id uint32, data []byte) error {
	if kind == frameOpen {
		m.open(id)
		return nil
	}
	m.mu.Lock()
	c := m.conns[id]
	m.mu.Unlock()
	switch {
	case c == nil: // it was ended here already
		return nil
	case kind == frameData:
		return c.take(data)
	case kind == frameClose:
		c.finish()
	case kind == frameWindow && len(data) == 4:
		c.grant(int(binary.BigEndian.Uint32(data)))
	default:
		return fmt.Errorf("the carrier sent a frame of kind %q", kind)
	}
	return nil
}

func (m *mux) open(id uint32) {
	inside, outside := net.Pipe()
	c := &muxConn{m: m, id: id, inside: inside, credit: gateWindow}
	c.cond = sync.NewCond(&c.mu)
	m.mu.Lock()
	if m.closed {
		m.mu.Unlock()
		return
	}
	m.conns[id] = c
	m.mu.Unlock()
	go c.inward()
	go c.outward()
	go func() {
		select {
		case m.accept <- outside:
		case <-m.done:
			_ = outside.Close()
		}
	}()
}

// muxConn is one connection: frames on one side, a pipe to its server on the other.
type muxConn struct {
	m      *mux
	id     uint32
	inside net.Conn

	mu       sync.Mutex
	cond     *sync.Cond
	queue    [][]byte // what the run sent and the server has not read
	queued   int
	credit   int // bytes that may still be sent to the run
	finished bool
	ended    bool
}

// take keeps what the run sent.
func (c *muxConn) take(data []byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.queued += len(data); c.queued > gateWindow {
		return errors.New("the carrier sends more than it may")
	}
	c.queue = append(c.queue, data)
	c.cond.Broadcast()
	return nil
}

func (c *muxConn) finish() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.finished = true
	c.cond.Broadcast()
}

func (c *muxConn) grant(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.credit = min(c.credit+n, gateWindow)
	c.cond.Broadcast()
}

// inward hands the server what the run sent.
func (c *muxConn) inward() {
	for {
		c.mu.Lock()
		for len(c.queue) == 0 && !c.finished && !c.ended {
			c.cond.Wait()
		}
		if c.ended || len(c.queue) == 0 {
			c.mu.Unlock()
			c.end()
			return
		}
		data := c.queue[0]
		c.queue = c.queue[1:]
		c.mu.Unlock()
		if _, err := c.inside.Write(data); err != nil {
			c.end()
			return
		}
		c.mu.Lock()
		c.queued -= len(data)
		c.mu.Unlock()
		if c.m.send(frameWindow, c.id, binary.BigEndian.AppendUint32(nil, uint32(len(data)))) != nil {
			c.end()
			return
		}
	}
}

// outward hands the run what the server writes.
func (c *muxConn) outward() {
	buf := make([]byte, maxFrame)
	for {
		n, err := c.inside.Read(buf)
		for data := buf[:n]; len(data) > 0; {
			k := c.spend(len(data))
			if k == 0 || c.m.send(frameData, c.id, data[:k]) != nil {
				c.end()
				return
			}
			data = data[k:]
		}
		if err != nil {
			c.end()
			return
		}
	}
}

// spend waits for room and takes up to n bytes of it; 0 where the connection ended.
func (c *muxConn) spend(n int) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	for c.credit == 0 && !c.ended {
		c.cond.Wait()
	}
	if c.ended {
		return 0
	}
	n = min(n, c.credit)
	c.credit -= n
	return n
}

// end closes both sides, once.
func (c *muxConn) end() {
	c.mu.Lock()
	was := c.ended
	c.ended = true
	c.cond.Broadcast()
	c.mu.Unlock()
	if was {
		return
	}
	_ = c.inside.Close()
	c.m.mu.Lock()
	delete(c.m.conns, c.id)
	c.m.mu.Unlock()
	_ = c.m.send(frameClose, c.id, nil)
}
