package proxy

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"net/netip"
)

// clientHello reads the first record of a TLS connection. It returns its bytes and the server name in it, "" if there
// is none.
func clientHello(r *bufio.ReadWriter) (record, name string, err error) {
	head, err := r.Peek(5)
	if err != nil {
		return "", "", err
	}
	n := int(binary.BigEndian.Uint16(head[3:]))
	if head[0] != 22 || head[1] != 3 || n > 16<<10 {
		return "", "", errors.New("no TLS")
	}
	b := make([]byte, 5+n)
	if _, err := io.ReadFull(r, b); err != nil {
		return "", "", err
	}
	name, err = serverName(b[5:])
	return string(b), name, err
}

// tlsBytes reads the length-prefixed vectors of TLS.
type tlsBytes struct {
	b   []byte
	bad bool
}

func (p *tlsBytes) next(n int) []byte {
	if n > len(p.b) {
		p.bad, p.b = true, nil
		return nil
	}
	out := p.b[:n]
	p.b = p.b[n:]
	return out
}

func (p *tlsBytes) number(size int) (n int) {
	for _, c := range p.next(size) {
		n = n<<8 | int(c)
	}
	return n
}

func (p *tlsBytes) vector(size int) *tlsBytes {
	return &tlsBytes{b: p.next(p.number(size)), bad: p.bad}
}

// serverName returns the name in a handshake's first message. A hello of more than one record is refused: no client's
// is that long.
func serverName(b []byte) (string, error) {
	p := &tlsBytes{b: b}
	if p.number(1) != 1 {
		return "", errors.New("no client hello")
	}
	p = p.vector(3)
	p.next(2 + 32)
	p.vector(1)
	p.vector(2)
	p.vector(1)
	if p.bad {
		return "", errors.New("a client hello that can't be read")
	}
	for list := p.vector(2); len(list.b) > 0; {
		kind, data := list.number(2), list.vector(2)
		if list.bad || data.bad {
			return "", errors.New("a client hello that can't be read")
		}
		if kind != 0 {
			continue
		}
		for names := data.vector(2); len(names.b) > 0; {
			kind, name := names.number(1), names.vector(2)
			if names.bad || name.bad {
				return "", errors.New("a client hello that can't be read")
			}
			if kind == 0 {
				return string(name.b), nil
			}
		}
	}
	return "", nil
}

// nameFits tells whether a connection to a destination may begin with this server name. An address has none.
func nameFits(name string, q destination) bool {
	if _, err := netip.ParseAddr(q.host); err == nil {
		return name == "" || canonical(name) == q.host
	}
	return canonical(name) == q.host
}
