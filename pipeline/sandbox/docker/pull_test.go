package docker

import (
	"errors"
	"strings"
	"testing"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/sandbox"
)

func TestDockerImageThatCanNotBeHad(t *testing.T) {
	d, _ := dockerAndImage(t)
	// The first is ours alone and never asked for; the second's registry is this
	// machine's discard port, which refuses.
	for _, name := range []string{"wideswe/absent:none", "127.0.0.1:9/absent:none"} {
		_, err := d.ImageID(t.Context(), name)
		var missing *sandbox.MissingImageError
		var need *pipeline.NeedError
		if !errors.As(err, &missing) || missing.Name != name || errors.As(err, &need) || !strings.Contains(err.Error(),
			name) || !strings.Contains(err.Error(), "scripts/base-image") {
			t.Errorf("%s: got %v", name, err)
		}
	}
}
