package clitest

import (
	"os"
	"testing"

	"github.com/wideswe/wideswe/pipeline/sandbox"
)

// dockerImage is the image of tests that run in Docker; without an engine or the
// image they are skipped.
func DockerImage(t *testing.T) string {
	t.Helper()
	d, err := sandbox.OpenDocker(t.Context())
	if err != nil {
		t.Skipf("no Docker engine: %v", err)
	}
	defer d.Close()
	image := os.Getenv("WIDESWE_TEST_IMAGE")
	if image == "" {
		image = "wideswe/base:trixie"
	}
	if _, err := d.ImageID(t.Context(), image); err != nil {
		t.Skipf("no base image %s (scripts/base-image makes it)", image)
	}
	return image
}
