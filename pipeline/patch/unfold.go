package patch

import (
	"bytes"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Unfolded gives how many bytes the binary content of a section becomes when it is
// applied: a compressed patch may be far smaller than what it writes.
func (f File) Unfolded() (n int64, err error) {
	if !f.BinaryData {
		return 0, nil
	}
	lines := bytes.SplitAfter(f.Raw, []byte("\n"))
	for i, l := range lines {
		if !binaryHead.Match(l) {
			continue
		}
		kind, size, _ := strings.Cut(strings.TrimSpace(string(l)), " ")
		declared, err := strconv.ParseInt(size, 10, 64)
		if err != nil {
			return 0, err
		}
		n += declared
		if kind == "delta" {
			result, err := deltaResult(lines[i+1:])
			if err != nil {
				return 0, fmt.Errorf("binary content of %q can't be read: %w", f.Path(), err)
			}
			n += result
		}
	}
	return n, nil
}

// deltaResult reads the size of what a delta makes, which stands at its begin.
func deltaResult(lines [][]byte) (int64, error) {
	var packed []byte
	for _, l := range lines[:min(len(lines), 4)] {
		l = bytes.TrimRight(l, "\r\n")
		if len(l) == 0 {
			break
		}
		b, err := decodeLine(l)
		if err != nil {
			return 0, err
		}
		packed = append(packed, b...)
	}
	z, err := zlib.NewReader(bytes.NewReader(packed))
	if err != nil {
		return 0, err
	}
	head := make([]byte, 20) // two sizes of at most ten bytes
	k, err := io.ReadFull(z, head)
	if k == 0 {
		return 0, err
	}
	r := bytes.NewReader(head[:k])
	if _, err := deltaSize(r); err != nil {
		return 0, err
	}
	return deltaSize(r)
}

// deltaSize reads one size: seven bits a byte, the lowest first.
func deltaSize(r *bytes.Reader) (n int64, err error) {
	for shift := 0; shift < 56; shift += 7 {
		c, err := r.ReadByte()
		if err != nil {
			return 0, err
		}
		n |= int64(c&0x7f) << shift
		if c&0x80 == 0 {
			return n, nil
		}
	}
	return 0, errors.New("a size without end")
}

const base85 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~"

// decodeLine decodes a line of git's base85: its first letter is the number of bytes.
func decodeLine(l []byte) ([]byte, error) {
	var size int
	switch c := l[0]; {
	case c >= 'A' && c <= 'Z':
		size = int(c-'A') + 1
	case c >= 'a' && c <= 'z':
		size = int(c-'a') + 27
	default:
		return nil, errors.New("a line without its length")
	}
	if len(l)-1 != (size+3)/4*5 {
		return nil, errors.New("a line of another length")
	}
	var out []byte
	for i := 1; i < len(l); i += 5 {
		var v uint32
		for _, c := range l[i : i+5] {
			d := strings.IndexByte(base85, c)
			if d < 0 {
				return nil, fmt.Errorf("%q in base85", c)
			}
			v = v*85 + uint32(d)
		}
		out = append(out, byte(v>>24), byte(v>>16), byte(v>>8), byte(v))
	}
	return out[:size], nil
}
