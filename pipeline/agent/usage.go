package agent

import (
	"bytes"
	"encoding/json"
	"io"
	"mime"
	"strings"
	"sync"
)

// Tokens are what model APIs say a run used. In holds all that was read, Cached what
// of it came from a cache.
type Tokens struct {
	In     int64 `json:"in"`
	Cached int64 `json:"cached"`
	Out    int64 `json:"out"`
}

func (t *Tokens) add(u Tokens) {
	t.In += u.In
	t.Cached += u.Cached
	t.Out += u.Out
}

// usage is the "usage" of an answer as the APIs of OpenAI and Anthropic write it.
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

	// Anthropic counts what it writes to and reads from its cache beside input_tokens.
	CacheWritten int64 `json:"cache_creation_input_tokens"`
	CacheRead    int64 `json:"cache_read_input_tokens"`
}

func (u usage) tokens() Tokens {
	return Tokens{In: max(u.PromptTokens, u.InputTokens+u.CacheWritten+u.CacheRead), Cached: max(u.PromptDetails.Cached, u.InputDetails.Cached, u.CacheRead),
		Out: max(u.CompletionTokens, u.OutputTokens)}
}

// answer is where an answer, or an event of a streamed one, keeps its usage.
type answer struct {
	Usage   *usage `json:"usage"`
	Message struct {
		Usage *usage `json:"usage"`
	} `json:"message"`
	Response struct {
		Usage *usage `json:"usage"`
	} `json:"response"`
}

// reader looks for the usage in an answer's body as it is passed on. Events of one
// answer tell sums so far, so the largest of each stands.
type reader struct {
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

// maxAnswer bounds what is looked at at once.
const maxAnswer = 16 << 20

// newReader wraps a body; done is called once it was read or closed.
func newReader(body io.ReadCloser, contentType string, done func(bool, Tokens, int64)) *reader {
	kind, _, _ := mime.ParseMediaType(contentType)
	return &reader{body: body, events: kind == "text/event-stream", over: kind != "text/event-stream" && kind != "application/json", done: done}
}

// Read implements [io.Reader].
func (r *reader) Read(p []byte) (int, error) {
	n, err := r.body.Read(p)
	r.read += int64(n)
	if r.events {
		r.lines(p[:n])
	} else {
		r.keep(p[:n])
	}
	if err != nil {
		r.end()
	}
	return n, err
}

// Close implements [io.Closer].
func (r *reader) Close() error {
	r.end()
	return r.body.Close()
}

func (r *reader) end() {
	r.once.Do(func() {
		if !r.over {
			r.look(r.buf.Bytes())
		}
		r.done(r.found, r.tokens, r.read)
	})
}

func (r *reader) keep(p []byte) {
	if r.over = r.over || r.buf.Len()+len(p) > maxAnswer; r.over {
		r.buf.Reset()
		return
	}
	r.buf.Write(p)
}

// lines takes an event stream apart.
func (r *reader) lines(p []byte) {
	for {
		i := bytes.IndexByte(p, '\n')
		if i < 0 {
			r.keep(p)
			return
		}
		r.keep(p[:i])
		if !r.over {
			r.look(r.buf.Bytes())
		}
		r.buf.Reset()
		r.over = false
		p = p[i+1:]
	}
}

// look reads one JSON value, an event's or the whole answer.
func (r *reader) look(line []byte) {
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
