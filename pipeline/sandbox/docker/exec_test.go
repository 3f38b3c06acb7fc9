package docker

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"path"
	"strings"
	"testing"

	"github.com/docker/docker/pkg/stdcopy"

	"github.com/wideswe/wideswe/pipeline/sandbox"
)

// execEngine is an engine with one container, in which an exec prints "yes" and ends
// with 3. What it was asked it answers by 500 where trouble says so.
type execEngine struct {
	running bool
	trouble func(question string, asked int) bool
	asked   map[string]int
	looks   int // at the exec's end, before the engine notes it
}

func (e *execEngine) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Api-Version", "1.41")
	w.Header().Set("Content-Type", "application/json")
	question := path.Base(r.URL.Path)
	if strings.Contains(r.URL.Path, "/containers/db/") && question == "json" {
		question = "state"
	}
	e.asked[question]++
	if strings.Contains(r.URL.Path, "/db/") && e.trouble(question, e.asked[question]) {
		http.Error(w, `{"message":"cannot exec in a stopped state"}`, http.StatusInternalServerError)
		return
	}
	switch {
	case question == "state":
		_ = json.NewEncoder(w).Encode(map[string]any{"Id": "db", "State": map[string]any{"Running": e.running}})
	case question == "exec":
		w.WriteHeader(http.StatusCreated)
		_, _ = w.Write([]byte(`{"Id":"db"}`))
	case question == "start":
		answerStream(w, "yes")
	case strings.Contains(r.URL.Path, "/exec/"):
		_ = json.NewEncoder(w).Encode(map[string]any{"Running": e.asked[question] <= e.looks, "ExitCode": 3})
	case question == "json", question == "networks":
		_, _ = w.Write([]byte("[]"))
	default:
		_, _ = w.Write([]byte("{}"))
	}
}

func answerStream(w http.ResponseWriter, text string) {
	conn, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		return
	}
	defer conn.Close()
	_, _ = conn.Write([]byte("HTTP/1.1 101 UPGRADED\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n"))
	_, _ = stdcopy.NewStdWriter(conn, stdcopy.Stdout).Write([]byte(text))
}

// A container may end between any two questions, and the engine answers each then by
// what it likes.
func TestExecWhereTheContainerEnds(t *testing.T) {
	never := func(string, int) bool { return false }
	for name, c := range map[string]struct {
		running bool
		trouble func(question string, asked int) bool
		looks   int
		out     string
		code    int
		infra   bool
	}{
		"it runs":                          {running: true, trouble: never, out: "yes", code: 3},
		"its end is noted a moment later":  {running: true, trouble: never, looks: 3, out: "yes", code: 3},
		"it ended before the exec is made": {trouble: func(q string, _ int) bool { return q == "exec" }, code: 1},
		"it ended before the exec starts":  {trouble: func(q string, _ int) bool { return q == "start" }, code: 1},
		"it ended before the code is told": {trouble: func(q string, _ int) bool { return q == "json" }, code: 1},
		"it runs, once refused": {running: true, out: "yes", code: 3,
			trouble: func(q string, asked int) bool { return q == "start" && asked == 1 }},
		"it runs, always refused": {running: true, code: 1, infra: true,
			trouble: func(q string, _ int) bool { return q == "start" }},
		"nothing is known": {code: 1, infra: true, trouble: func(string, int) bool { return true }},
	} {
		t.Run(name, func(t *testing.T) {
			engine := httptest.NewServer(&execEngine{c.running, c.trouble, map[string]int{}, c.looks})
			defer engine.Close()
			t.Setenv("DOCKER_HOST", strings.Replace(engine.URL, "http://", "tcp://", 1))
			d, err := Open(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			defer d.Close()
			out, code, err := d.exec(t.Context(), "db", "true")
			if out != c.out || code != c.code || sandbox.IsInfra(err) != c.infra || (err != nil) != c.infra {
				t.Errorf("got %q, %d, %v", out, code, err)
			}
		})
	}
}
