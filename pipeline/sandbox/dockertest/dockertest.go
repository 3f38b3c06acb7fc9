// Package dockertest gives tests a Docker engine. It is for tests alone.
package dockertest

import (
	"cmp"
	"os"
	"testing"

	"github.com/wideswe/wideswe/pipeline/sandbox/docker"
	"github.com/wideswe/wideswe/pipeline/testscope"
)

// Open gives an engine and the name of a base image on it, or skips the test and says
// what is missing.
func Open(t *testing.T) (d *docker.Sandbox, image string) {
	t.Helper()
	testscope.NotShort(t, "it runs containers")
	d, err := docker.Open(t.Context())
	if err != nil {
		t.Skipf("no Docker engine: %v", err)
	}
	t.Cleanup(func() { _ = d.Close() })
	image = cmp.Or(os.Getenv("WIDESWE_TEST_IMAGE"), "wideswe/base:trixie")
	if _, err := d.ImageID(t.Context(), image); err != nil {
		t.Skipf("no base image %s (scripts/base-image makes it)", image)
	}
	return d, image
}
