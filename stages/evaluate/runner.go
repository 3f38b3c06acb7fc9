package evaluate

import (
	"context"

	"github.com/wideswe/wideswe/pipeline/sandbox"
	"github.com/wideswe/wideswe/pipeline/testrun"
	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
)

// Runner runs targets' tests; [testrun.Runner] does.
type Runner interface {
	Run(ctx context.Context, q testrun.Request) (*testrun.Report, error)
	Select(q testrun.Request) (kit.Selection, error)
	EnsureImage(ctx context.Context, q testrun.ImageRequest) (testrun.Image, error)
	Workspace(q testrun.Request) *testrun.Workspace
	Base(ctx context.Context, name string) (testrun.BaseImage, error)
	LockedPin(name string) (string, error)
}

// Images is a sandbox as far as images and machines go: whether it has an image, and
// where it runs.
type Images interface {
	Name() string
	ImageID(ctx context.Context, name string) (string, error)
	Host(ctx context.Context) (sandbox.Host, error)
}
