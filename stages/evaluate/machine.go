package evaluate

import (
	"context"
	"sync"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/schema"
)

// machine is where tests run.
type machine struct {
	images         Images
	runner         Runner
	allowEmulation bool

	mu    sync.Mutex
	known *schema.Machine
}

// describe asks the sandbox once.
func (m *machine) describe(ctx context.Context) (schema.Machine, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.known != nil {
		return *m.known, nil
	}
	h, err := m.images.Host(ctx)
	if err != nil {
		return schema.Machine{}, err
	}
	m.known = &schema.Machine{Sandbox: m.images.Name(), Platform: h.Platform, Engine: h.Engine, Kernel: h.Kernel}
	return *m.known, nil
}

// emulates tells whether a task that was validated on a platform runs emulated here. It
// is an error where the person does not allow that.
func (m *machine) emulates(ctx context.Context, task, platform string) (bool, error) {
	here, err := m.describe(ctx)
	if err != nil || platform == "" || platform == here.Platform {
		return false, err
	}
	if !m.allowEmulation {
		return false, pipeline.Need("%s was validated on %s and this is %s, where tests may end otherwise: "+
			"evaluate on such a machine, or say --allow-emulation", task, platform, here.Platform)
	}
	return true, nil
}

// imageContent names the content that a target's tests run on: validation's image where
// it is here, else the base image that one is made from.
func (m *machine) imageContent(ctx context.Context, validated, base string) (string, error) {
	if validated != "" {
		if id, err := m.images.ImageID(ctx, validated); err == nil {
			return id, nil
		}
	}
	on, err := m.runner.Base(ctx, base)
	return "made on " + on.Pin, err
}
