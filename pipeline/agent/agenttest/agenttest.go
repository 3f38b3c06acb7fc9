// Package agenttest holds what the tests of pipeline/agent and its parts share.
package agenttest

import (
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// ModelAPI serves answers in the shapes of the model APIs: whole and streamed, with and without usage.
func ModelAPI(t *testing.T) *httptest.Server {
	mux := http.NewServeMux()
	answer := func(kind string, parts ...string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			w.Header().Set("Content-Type", kind)
			for _, p := range parts {
				_, _ = io.WriteString(w, p)
				w.(http.Flusher).Flush()
			}
		}
	}
	mux.HandleFunc("/chat",
		answer("application/json",
			`{"choices":[{"message":{"content":"\"usage\""}}],"usage":{"prompt_tokens":10,"completion_tokens":5,"prompt_tokens_details":{"cached_tokens":4}}}`))
	mux.HandleFunc("/chat-stream", answer("text/event-stream; charset=utf-8", "data: {\"choices\":[]}\n\n",
		"data: {\"choices\":[],\"us", "age\":{\"prompt_tokens\":7,\"completion_tokens\":3}}\n\ndata: [DONE]\n\n"))
	mux.HandleFunc("/untold", answer("text/event-stream", "data: {\"choices\":[],\"usage\":null}\n\n",
		"data: [DONE]\n\n"))
	mux.HandleFunc("/responses", answer("text/event-stream", "event: response.completed\r\ndata: "+
		"{\"type\":\"response.completed\",\"response\":{\"usage\":{\"input_tokens\":100,\"input_tokens_details\":{\"cached_tokens\":60},\"output_tokens\":9}}}"))
	mux.HandleFunc("/messages", answer("text/event-stream", "event: message_start\ndata: "+
		"{\"type\":\"message_start\",\"message\":{\"usage\":{\"input_tokens\":3,\"cache_creation_input_tokens\":20,\"cache_read_input_tokens\":50,\"output_tokens\":1}}}\n\n",
		"event: message_delta\ndata: {\"type\":\"message_delta\",\"usage\":{\"output_tokens\":42}}\n\n",
		"event: message_stop\ndata: {\"usage\":{\"output_tokens\":7}}\n\n"))
	mux.HandleFunc("/zipped", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if !strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
			t.Error("the proxy's own transport does not ask for gzip")
		}
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		_, _ = io.WriteString(z, `{"usage":{"input_tokens":1,"output_tokens":1}}`)
		_ = z.Close()
	})
	mux.HandleFunc("/html", answer("text/html", `{"usage":{"input_tokens":1000}}`))
	mux.HandleFunc("/busy", func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "busy", 529) })
	mux.HandleFunc("/echo/", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "%s %s %s %s %q", r.Method, r.URL.EscapedPath(), r.URL.RawQuery, r.Header.Get("X-Api-Key"),
			r.Header.Values("X-Forwarded-For"))
	})
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s
}

// TreeContents returns the files and links of a tree with their modes and contents.
func TreeContents(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(p string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, _ := filepath.Rel(dir, p)
		info, err := d.Info()
		if err != nil {
			return err
		}
		if to, err := os.Readlink(p); err == nil {
			out[rel] = "-> " + to
			return nil
		}
		b, err := os.ReadFile(p)
		out[rel] = fmt.Sprintf("%v %q", info.Mode()&0o100 != 0, b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
