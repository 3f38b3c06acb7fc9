package testrun_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/wideswe/wideswe/pipeline/sandbox"
	"github.com/wideswe/wideswe/pipeline/testrun"
	"github.com/wideswe/wideswe/schema"
)

// TestALayerThatIsRemovedMeanwhileIsMadeAnew: somebody prunes images between the
// making of one and of the next that stands on it.
func TestALayerThatIsRemovedMeanwhileIsMadeAnew(t *testing.T) {
	workspace := suite(t, `func TestA(t *testing.T) {}`)
	q := testrun.ImageRequest{Repository: "o/q", BaseWorkspace: workspace, GoldWorkspace: workspace,
		HiddenFiles: []string{"q_test.go"},
		Recipe:      schema.Recipe{Toolchain: "go", Image: "debian:trixie", Packages: []string{"git"}}}
	gone := &sandbox.MissingImageError{Name: "sha256:layer"}
	for _, times := range []int{1, 2, 3} {
		b := &builder{images: map[string]sandbox.Image{}}
		for range times {
			b.fail = append(b.fail, gone)
		}
		img, err := (&testrun.Runner{Backend: b, Images: map[string]string{"debian:trixie": "local/base"}}).EnsureImage(
			t.Context(), q)
		switch {
		case times < 3 && (err != nil || len(b.built) != 3 || len(img.Layers) != 3):
			t.Errorf("gone %d times: %v after %d builds, layers %+v", times, err, len(b.built), img.Layers)
		case times == 3 && (!sandbox.IsInfra(err) || !strings.Contains(err.Error(), "run again")):
			t.Errorf("gone every time: %v", err)
		}
	}
	// A base image that nobody has is asked for once.
	_, err := (&testrun.Runner{Backend: baseless{&builder{}}}).EnsureImage(t.Context(), q)
	var missing *sandbox.MissingImageError
	if !errors.As(err, &missing) || sandbox.IsInfra(err) {
		t.Errorf("no base: %v", err)
	}
}

type baseless struct{ *builder }

func (baseless) Pin(context.Context, string, bool) (string, error) {
	return "", &sandbox.MissingImageError{Name: "debian:trixie"}
}
func (baseless) ImageID(context.Context, string) (string, error) {
	return "", &sandbox.MissingImageError{Name: "debian:trixie"}
}

// losing is a backend whose first laid workspace is removed before its run.
type losing struct {
	*builder
	laid int
	ran  []string
}

func (l *losing) Abilities() sandbox.Abilities { return sandbox.NewAbilities(nil, l, nil) }

func (l *losing) Prepare(_ context.Context, on string, _ []sandbox.Source, _ map[string]string) (sandbox.Prepared,
	func(), error) {
	l.laid++
	return sandbox.Prepared{Image: on + strings.Repeat("+", l.laid)}, func() {}, nil
}

func (l *losing) Run(_ context.Context, s sandbox.Spec) (sandbox.Result, error) {
	l.ran = append(l.ran, s.Image)
	if s.Image == "i+" {
		return sandbox.Result{}, &sandbox.MissingImageError{Name: s.Image}
	}
	return sandbox.Result{}, nil
}

// TestALaidWorkspaceThatIsRemovedMeanwhileIsLaidAnew by the next run.
func TestALaidWorkspaceThatIsRemovedMeanwhileIsLaidAnew(t *testing.T) {
	b := &losing{builder: &builder{}}
	r := &testrun.Runner{Backend: b, Attempts: 1}
	q := testrun.Request{Repository: "o/q", Image: "i", Workspace: suite(t, `func TestA(t *testing.T) {}`),
		HiddenFiles: []string{"q_test.go"},
		Recipe:      schema.Recipe{Toolchain: "go", Image: "debian:trixie"}}
	q.Laid = r.Workspace(q)
	var missing *sandbox.MissingImageError
	if _, err := r.Run(t.Context(), q); !errors.As(err, &missing) {
		t.Fatalf("got %v", err)
	}
	for range 2 {
		if _, err := r.Run(t.Context(), q); err != nil {
			t.Fatal(err)
		}
	}
	if got := strings.Join(b.ran, " "); got != "i+ i++ i++" {
		t.Errorf("ran in %s", got)
	}
}
