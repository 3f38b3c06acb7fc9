package docker

import (
	"errors"
	"testing"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/sandbox"
)

func TestARunWithoutRoomIsTroubleOfOurs(t *testing.T) {
	none := []byte("mkdir: cannot create directory: No space left on device\n")
	down := errors.New("down")
	for name, c := range map[string]struct {
		run, probe sandbox.Result
		err        error
		looks      bool
		need       bool
	}{
		"a test that fails": {run: sandbox.Result{ExitCode: 1, Output: []byte("not ok 1\n")}},
		"no room, and none afterwards": {run: sandbox.Result{ExitCode: 1, Output: none}, probe: sandbox.Result{ExitCode: 1,
			Output: none}, looks: true, need: true},
		"so it says on its errors": {run: sandbox.Result{Errors: none}, probe: sandbox.Result{ExitCode: 1,
			Errors: none}, looks: true, need: true},
		"it says so, or filled it itself": {run: sandbox.Result{ExitCode: 1, Output: none}, looks: true},
		"an image that has no head": {run: sandbox.Result{ExitCode: 1, Output: none},
			probe: sandbox.Result{ExitCode: 127, Output: []byte("head: not found")}, looks: true},
		"the engine has no answer": {run: sandbox.Result{ExitCode: 1, Output: none}, err: down, looks: true},
	} {
		t.Run(name, func(t *testing.T) {
			looked := false
			err := needRoom(c.run, func() (sandbox.Result, error) { looked = true; return c.probe, c.err })
			if looked != c.looks {
				t.Errorf("it looked: %v", looked)
			}
			var need *pipeline.NeedError
			if errors.As(err, &need) != c.need || c.need && !sandbox.IsInfra(err) || c.err != nil && !errors.Is(err, c.err) ||
				!c.need && c.err == nil && err != nil {
				t.Errorf("got %v", err)
			}
		})
	}
}
