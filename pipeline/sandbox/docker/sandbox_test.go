package docker

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/sandbox"
	"github.com/wideswe/wideswe/pipeline/testscope"
)

// dockerAndImage gives an engine and a base image, or skips by name.
func dockerAndImage(t *testing.T) (*Sandbox, string) {
	testscope.NotShort(t, "it runs containers")
	t.Helper()
	d, err := Open(t.Context())
	if err != nil {
		t.Skipf("no Docker engine: %v", err)
	}
	t.Cleanup(func() { d.Close() })
	image := os.Getenv("WIDESWE_TEST_IMAGE")
	if image == "" {
		image = "wideswe/base:trixie"
	}
	if _, err := d.ImageID(t.Context(), image); err != nil {
		t.Skipf("no base image %s (scripts/base-image makes it)", image)
	}
	return d, image
}

func TestAbandonedIsWhatADeadProcessLeft(t *testing.T) {
	me := thisProcess()
	now := time.Now()
	with := func(change func(o *owner)) map[string]string {
		o := me
		o.run = "another"
		change(&o)
		return o.labels(nil, time.Minute)
	}
	for _, c := range []struct {
		name   string
		labels map[string]string
		now    time.Time
		want   bool
	}{
		{"mine", me.labels(nil, time.Minute), now, false},
		{"a living process's", with(func(*owner) {}), now, false},
		{"a living process's, after the machine's clock was moved", with(func(*owner) {}), now.Add(400 * 24 * time.Hour),
			false},
		{"a dead process's", with(func(o *owner) { o.pid = "999999999" }), now, true},
		{"a process number that came back", with(func(o *owner) { o.start = "1" }), now, me.start != ""},
		{"another machine's", with(func(o *owner) { o.host, o.pid = "elsewhere", "999999999" }), now, false},
		{"another machine's, long over", with(func(o *owner) { o.host = "elsewhere" }), now.Add(48 * time.Hour), true},
		{"started by a person from an image of ours", map[string]string{labelRun: "", labelPID: "", labelDeadline: ""}, now,
			false},
	} {
		if got := me.abandoned(c.labels, c.now); got != c.want {
			t.Errorf("%s: got %v", c.name, got)
		}
	}
}

func TestNoEngineIsANeedWithTheNextStep(t *testing.T) {
	t.Setenv("DOCKER_HOST", "unix://"+filepath.Join(t.TempDir(), "none.sock"))
	_, err := Open(t.Context())
	var need *pipeline.NeedError
	if !errors.As(err, &need) || !sandbox.IsInfra(err) || !strings.Contains(need.Message, "systemctl start docker") {
		t.Errorf("got %v", err)
	}
}
