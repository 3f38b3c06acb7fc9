package proxy

import (
	"bytes"
	"encoding/json"
	"io"
	"mime"
	"strings"
	"sync"
)

// usage is the "usage" object of an answer in the forms of OpenAI and Anthropic.
type usage struct {
	PromptTokens     int64 `json:"prompt_tokens"`
	CompletionTokens int64 `json:"completion_tokens"`
	PromptDetails    struct {
		Cached int64 `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`

	InputTokens  int64 `json:"input_tokens"`
	OutputTokens int64 `json:"output_tokens"`
	InputDetails struct {
		Cached int64 `json:"cached_tokens"`
	} `json:"input_tokens_details"`

	// Anthropic counts cache writes and reads beside input_tokens.
	CacheWritten int64 `json:"cache_creation_input_tokens"`
	CacheRead    int64 `json:"cache_read_input_tokens"`
}

func (u usage) tokens() Tokens {
	return Tokens{In: max(u.PromptTokens, u.InputTokens+u.CacheWritten+u.CacheRead),
		Cached: max(u.PromptDetails.Cached, u.InputDetails.Cached, u.CacheRead),
		Out:    max(u.CompletionTokens, u.OutputTokens)}
}

// answer is an answer, or an event of a streamed one, as far as it holds usage.
type answer struct {
	Usage   *usage `json:"usage"`
	Message struct {
		Usage *usage `json:"usage"`
	} `json:"message"`
	Response struct {
		Usage *usage `json:"usage"`
	} `json:"response"`
}

// usageReader reads the usage from an answer's body as it is passed on. The events of one answer report running sums,
// so the largest of each counts.
type usageReader struct {
	body   io.ReadCloser
	events bool
	buf    bytes.Buffer
	over   bool // this line, or the whole of a plain answer, is too long to look at
	found  bool
	tokens Tokens
	once   sync.Once
	done   func(found bool, t Tokens, read int64)
	read   int64
}

// maxAnswer bounds the text that is parsed at once.
const maxAnswer = 16 << 20

// newUsageReader wraps a body; done is called once, when it was read or closed.
func newUsageReader(body io.ReadCloser, contentType string, done func(bool, Tokens, int64)) *usageReader {
	kind, _, _ := mime.ParseMediaType(contentType)
	return &usageReader{body: body, events: kind == "text/event-stream", over: kind != "text/event-stream" &&
		kind != "application/json", done: done}
}

// Read implements [io.Reader].
func (r *usageReader) Read(p []byte) (int, error) {
	n, err := r.body.Read(p)
	r.read += int64(n)
	if r.events {
		r.lines(p[:n])
	} else {
		r.buffer(p[:n])
	}
	if err != nil {
		r.finish()
	}
	return n, err
}

// Close implements [io.Closer].
func (r *usageReader) Close() error {
	r.finish()
	return r.body.Close()
}

func (r *usageReader) finish() {
	r.once.Do(func() {
		if !r.over {
			r.parseUsage(r.buf.Bytes())
		}
		r.done(r.found, r.tokens, r.read)
	})
}

func (r *usageReader) buffer(p []byte) {
	if r.over = r.over || r.buf.Len()+len(p) > maxAnswer; r.over {
		r.buf.Reset()
		return
	}
	r.buf.Write(p)
}

// lines splits an event stream.
func (r *usageReader) lines(p []byte) {
	for {
		i := bytes.IndexByte(p, '\n')
		if i < 0 {
			r.buffer(p)
			return
		}
		r.buffer(p[:i])
		if !r.over {
			r.parseUsage(r.buf.Bytes())
		}
		r.buf.Reset()
		r.over = false
		p = p[i+1:]
	}
}

// parseUsage reads one JSON value: an event's or the whole answer.
func (r *usageReader) parseUsage(line []byte) {
	if r.events {
		data, ok := bytes.CutPrefix(bytes.TrimSpace(line), []byte("data:"))
		if !ok {
			return
		}
		line = data
	}
	if !strings.Contains(string(line), `"usage"`) {
		return
	}
	var a answer
	if json.Unmarshal(line, &a) != nil {
		return
	}
	for _, u := range []*usage{a.Usage, a.Message.Usage, a.Response.Usage} {
		if u == nil {
			continue
		}
		t := u.tokens()
		r.found = true
		r.tokens = Tokens{max(r.tokens.In, t.In), max(r.tokens.Cached, t.Cached), max(r.tokens.Out, t.Out)}
	}
}
