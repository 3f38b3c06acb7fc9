// Package clitest is what tests of several groups of commands share. Only tests may import it.
package clitest

import (
	"cmp"
	"os"
	"testing"

	"github.com/wideswe/wideswe/pipeline/sandbox/docker"
	"github.com/wideswe/wideswe/pipeline/testscope"
)

// DockerImage returns the image of tests that run in Docker; without an engine or the image the test is skipped.
func DockerImage(t *testing.T) string {
	t.Helper()
	testscope.NotShort(t, "it runs containers")
	d, err := docker.Open(t.Context())
	if err != nil {
		t.Skipf("no Docker engine: %v", err)
	}
	defer d.Close()
	image := cmp.Or(os.Getenv("WIDESWE_TEST_IMAGE"), "wideswe/base:trixie")
	if _, err := d.ImageID(t.Context(), image); err != nil {
		t.Skipf("no base image %s (scripts/base-image makes it)", image)
	}
	return image
}
