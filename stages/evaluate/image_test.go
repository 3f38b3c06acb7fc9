package evaluate

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/sandbox"
	"github.com/wideswe/wideswe/pipeline/testrun"
	"github.com/wideswe/wideswe/schema"
)

// imageless is a runner whose first base image is not to be had.
type imageless struct {
	fake
	asked *int
}

func (f imageless) EnsureImage(ctx context.Context, q testrun.ImageRequest) (testrun.Image, error) {
	if *f.asked++; *f.asked == 1 {
		return testrun.Image{}, &sandbox.MissingImageError{Name: "acme/own:1"}
	}
	return f.fake.EnsureImage(ctx, q)
}

// A base image is a matter of one recipe: the other tasks go on.
func TestAMissingBaseImageIsOneTasksInfra(t *testing.T) {
	r, images := fakeRig(t, makeRelease(t), allPass,
		schema.Prediction{Task: "t1", Patches: patches()}, schema.Prediction{Task: "t2", Patches: patches()})
	asked := 0
	r.Runner = imageless{fake{allPass, images}, &asked}
	_, err := r.run(t)
	var failed *pipeline.FailedItems
	if !errors.As(err, &failed) || failed.Count != 1 {
		t.Fatalf("got %v, want one failed item", err)
	}
	rep := r.report(t)
	if x := rep.Tasks["t1"]; x.Status != schema.StatusInfra ||
		!strings.Contains(x.Reason, "Docker has no image acme/own:1") {
		t.Errorf("t1: %s, %s", x.Status, x.Reason)
	}
	if x := rep.Tasks["t2"]; x.Status != schema.StatusResolved {
		t.Errorf("t2: %s, %s", x.Status, x.Reason)
	}
	// It is there now: a further run completes the report.
	if c, err := r.run(t); err != nil || c.Done != 1 || c.Unchanged != 1 {
		t.Errorf("with the image: %+v, %v", c, err)
	}
}
