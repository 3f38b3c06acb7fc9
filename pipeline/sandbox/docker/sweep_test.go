package docker

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/docker/docker/api/types/container"
)

// A container that the engine can't get rid of, or is about to, holds up nobody: the
// others are removed, and work begins.
func TestSweepIsNotHeldUp(t *testing.T) {
	was := sweepPatience
	sweepPatience = 300 * time.Millisecond
	defer func() { sweepPatience = was }()
	dead := map[string]string{labelRun: "dead", labelHost: thisProcess().host, labelPID: "999999999", labelStart: "1"}
	var removed []string
	hung := make(chan struct{})
	engine := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Api-Version", "1.41")
		w.Header().Set("Content-Type", "application/json")
		switch _, rest, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/"); {
		case r.Method == http.MethodDelete && strings.HasPrefix(rest, "containers/"):
			if removed = append(removed, path.Base(rest)); path.Base(rest) == "stuck" {
				select {
				case <-hung:
				case <-r.Context().Done():
				}
			}
			if path.Base(rest) == "broken" {
				http.Error(w, `{"message":"unlinkat: file name too long"}`, http.StatusInternalServerError)
			}
		case r.Method == http.MethodDelete: // a network that the stuck container is in
			http.Error(w, `{"message":"network has active endpoints"}`, http.StatusForbidden)
		case rest == "containers/json":
			_ = json.NewEncoder(w).Encode([]container.Summary{{ID: "stuck", State: "exited", Labels: dead}, {ID: "broken",
				State: "dead", Labels: dead}, {ID: "removing", State: "removing", Labels: dead}, {ID: "plain", State: "exited",
				Labels: dead}})
		case rest == "networks":
			_ = json.NewEncoder(w).Encode([]map[string]any{{"Id": "n", "Labels": dead}})
		case strings.HasSuffix(r.URL.Path, "/json"):
			_, _ = w.Write([]byte("[]"))
		default:
			_, _ = w.Write([]byte("{}"))
		}
	}))
	defer engine.Close()
	defer close(hung)
	t.Setenv("DOCKER_HOST", strings.Replace(engine.URL, "http://", "tcp://", 1))
	begun := time.Now()
	d, err := Open(t.Context())
	if err != nil {
		t.Fatalf("after %s: %v", time.Since(begun), err)
	}
	_ = d.Close()
	if slices.Sort(removed); !slices.Equal(removed, []string{"broken", "plain", "stuck"}) {
		t.Errorf("removed %v", removed)
	}
}
