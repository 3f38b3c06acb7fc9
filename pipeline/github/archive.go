package github

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/google/renameio/v2"
	"github.com/klauspost/compress/zstd"

	"github.com/wideswe/wideswe/pipeline"
)

// Archive keeps raw pages, and remarks between them: one zstd file each, a line of JSON (see [Header]) and
// then the body as it came. Names begin with the time, so their order is the
// order in which the pages came.
type Archive struct {
	dir  string
	mu   sync.Mutex
	last time.Time // that a name holds
}

// Header is the first line of a kept page, or all there is of a remark.
type Header struct {
	URL       string          `json:"url,omitempty"` // '' for a remark
	Status    int             `json:"status,omitempty"`
	ETag      string          `json:"etag,omitempty"`
	Next      string          `json:"next,omitempty"`
	FetchedAt time.Time       `json:"fetched_at"`
	HostTime  time.Time       `json:"host_time,omitzero"`
	Note      json.RawMessage `json:"note,omitempty"` // what the one who asked wants to know when it is read again
}

// Answer gives a kept page as [Pool.Fetch] gave it, the error of a refusal too.
func (h Header) Answer(key string, body []byte) (*Page, error) {
	if h.Status < 200 || h.Status > 299 {
		a := answer{status: h.Status, body: body}
		p := a.problem()
		return nil, &StatusError{Kind: kindOf(h.Status, p), Status: h.Status, URL: h.URL, Message: p.Message,
			FetchedAt: h.FetchedAt}
	}
	return &Page{URL: h.URL, Status: h.Status, ETag: h.ETag, Body: body, Next: h.Next,
		FetchedAt: h.FetchedAt, HostTime: h.HostTime, Key: key, Note: h.Note}, nil
}

// OpenArchive opens or makes the archive in dir.
func OpenArchive(dir string) (*Archive, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, full(dir, fmt.Errorf("opening the page archive: %w", err))
	}
	return &Archive{dir: dir}, nil
}

// One encoder and one decoder serve all: their whole-buffer methods may be called
// from many goroutines.
var (
	encoder, _ = zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	decoder, _ = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(2*largestBody))
)

// Put keeps a page and returns its key. The file appears whole, or not at all.
func (a *Archive) Put(p *Page) (string, error) {
	head, err := json.Marshal(Header{p.URL, p.Status, p.ETag, p.Next, p.FetchedAt, p.HostTime, p.Note})
	if err != nil {
		return "", fmt.Errorf("keeping a page: %w", err)
	}
	plain := bytes.Join([][]byte{head, p.Body}, []byte("\n"))
	sum := sha256.Sum256(plain)
	at, err := a.moment(p.FetchedAt.UTC())
	if err != nil {
		return "", fmt.Errorf("keeping a page: %w", err)
	}
	key := at.Format(keyTime) + "-" + hex.EncodeToString(sum[:8])
	if err := writeWhole(a.path(key), encoder.EncodeAll(plain, nil)); err != nil {
		return "", full(a.dir, fmt.Errorf("keeping a page: %w", err))
	}
	return key, nil
}

// Remark keeps a note between the pages: what was concluded from those before it.
func (a *Archive) Remark(at time.Time, note any) error {
	b, err := json.Marshal(note)
	if err != nil {
		return fmt.Errorf("keeping a remark: %w", err)
	}
	_, err = a.Put(&Page{FetchedAt: at, Note: b})
	return err
}

const keyTime = "2006-01-02/150405.000000000"

// moment is the time that a name begins with: the one given, or just after the
// last one where the clock stood still or was set back.
func (a *Archive) moment(at time.Time) (time.Time, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.last.IsZero() {
		last, err := newest(a.dir)
		if err != nil {
			return at, err
		}
		a.last = last
	}
	if !at.After(a.last) {
		at = a.last.Add(1)
	}
	a.last = at
	return at, nil
}

// newest is the time in the last name of an archive, zero where it is empty.
func newest(dir string) (time.Time, error) {
	days, err := os.ReadDir(dir)
	if err != nil {
		return time.Time{}, err
	}
	for _, day := range slices.Backward(days) {
		pages, err := os.ReadDir(filepath.Join(dir, day.Name()))
		if err != nil {
			continue // a file that is not ours
		}
		for _, page := range slices.Backward(pages) {
			name, _, _ := strings.Cut(page.Name(), "-")
			if at, err := time.Parse(keyTime, day.Name()+"/"+name); err == nil {
				return at, nil
			}
		}
	}
	return time.Time{}, nil
}

// Get reads a kept page.
func (a *Archive) Get(key string) (Header, []byte, error) {
	var h Header
	if !filepath.IsLocal(key) {
		return h, nil, fmt.Errorf("page %q: no key of the archive", key)
	}
	packed, err := os.ReadFile(a.path(key))
	if err != nil {
		return h, nil, fmt.Errorf("page %s: %w", key, err)
	}
	plain, err := decoder.DecodeAll(packed, nil)
	if err != nil {
		return h, nil, fmt.Errorf("page %s: %w", key, err)
	}
	head, body, ok := bytes.Cut(plain, []byte("\n"))
	if err := json.Unmarshal(head, &h); err != nil || !ok {
		return h, nil, fmt.Errorf("page %s: the first line is no header", key)
	}
	return h, body, nil
}

// Each reads all pages in the order in which they came. A file that can't be read
// ends it with an error that names the page.
func (a *Archive) Each(ctx context.Context, visit func(key string, h Header, body []byte) error) error {
	return filepath.WalkDir(a.dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil || d.IsDir() || !strings.HasSuffix(path, suffix) {
			return err
		}
		rel, err := filepath.Rel(a.dir, path)
		if err != nil {
			return err
		}
		key := strings.TrimSuffix(filepath.ToSlash(rel), suffix)
		h, body, err := a.Get(key)
		if err != nil {
			return err
		}
		return visit(key, h, body)
	})
}

const suffix = ".zst"

func (a *Archive) path(key string) string {
	return filepath.Join(a.dir, filepath.FromSlash(key)) + suffix
}

// writeWhole writes beside the place, makes sure it is on the disk, and renames:
// a row that names the page must not outlive it.
func writeWhole(path string, data []byte) error {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if err := renameio.WriteFile(path, data, 0o600, renameio.WithTempDir(dir)); err != nil {
		return err
	}
	return syncDir(dir)
}

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

func full(dir string, err error) error {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return pipeline.Need("the disk that holds %s is full; free some space and run again, nothing recorded is lost", dir)
	}
	return err
}
