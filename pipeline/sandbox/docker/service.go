package docker

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	cerrdefs "github.com/containerd/errdefs"
	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/network"
	"github.com/wideswe/wideswe/pipeline/sandbox"
)

const (
	serviceMemory   = 2 << 30
	serviceTmpfs    = "rw,size=1g"
	serviceOutput   = 256 << 10
	servicePatience = 2 * time.Minute
)

// serviceCaps is what images of databases take to leave root behind.
var serviceCaps = []string{"CHOWN", "DAC_OVERRIDE", "FOWNER", "SETGID", "SETUID"}

// services are the running services of one run.
type services struct {
	d       *Sandbox
	network string
	ids     []string
	logs    map[string]*sandbox.Output
	closers []func() // of the gate
}

// startServices starts the services of a run and waits until they are ready; stop is
// to be called in any case.
func (d *Sandbox) startServices(ctx context.Context, s sandbox.Spec) (*services, error) {
	v := &services{d: d, logs: map[string]*sandbox.Output{}}
	if len(s.Services) == 0 && s.Gate == nil {
		return v, nil
	}
	id, err := d.makeNetwork(ctx, "wideswe-"+random(), network.CreateOptions{
		Driver: "bridge", Internal: true, Labels: d.owner.labels(s.Labels, s.Limits.Timeout),
		// The bridge has no address: the machine itself is outside, too.
		Options: map[string]string{"com.docker.network.bridge.inhibit_ipv4": "true"},
	})
	if err != nil {
		return v, d.trouble("making a network", err)
	}
	v.network = id
	for _, one := range s.Services {
		if err := v.start(ctx, s, one); err != nil {
			return v, err
		}
	}
	for i, one := range s.Services {
		if err := v.await(ctx, v.ids[i], one); err != nil {
			return v, err
		}
	}
	if s.Gate != nil {
		return v, v.openGate(ctx, s)
	}
	return v, nil
}

func (v *services) start(ctx context.Context, s sandbox.Spec, one sandbox.Service) error {
	config := &container.Config{Image: one.Image, Cmd: one.Command, Env: sandbox.Environ(one.Env, "", ""),
		AttachStdout: true, AttachStderr: true,
		Labels: v.d.owner.labels(s.Labels, s.Limits.Timeout)}
	limits := s.Limits
	limits.Memory = min(limits.Memory, serviceMemory)
	host := hostConfig(v.network, limits, serviceCaps...)
	host.DNS, host.Tmpfs = deaf, map[string]string{}
	for _, dir := range one.Tmpfs {
		host.Tmpfs[sandbox.AbsolutePath(dir)] = serviceTmpfs
	}
	id, err := v.d.make(ctx, config, host, v.named(one.Name), "wideswe-"+random())
	if cerrdefs.IsNotFound(err) {
		return &sandbox.MissingImageError{Name: one.Image}
	}
	if err != nil {
		return v.d.trouble("creating a service", err)
	}
	v.ids = append(v.ids, id)
	stream, err := v.d.api.ContainerAttach(ctx, id, container.AttachOptions{Stream: true, Stdout: true, Stderr: true})
	if err != nil {
		return v.d.trouble("attaching to a service", err)
	}
	v.logs[one.Name] = sandbox.NewOutput(serviceOutput)
	drain(stream, v.logs[one.Name], v.logs[one.Name]) // it ends with the container
	err = v.d.api.ContainerStart(ctx, id, container.StartOptions{})
	return v.d.trouble("starting a service", err)
}

// named gives a container its name on the network of the services.
func (v *services) named(name string) *network.NetworkingConfig {
	return &network.NetworkingConfig{EndpointsConfig: map[string]*network.EndpointSettings{
		v.network: {Aliases: []string{name}}}}
}

// deaf is a resolver that nobody answers at: names of services are known, and no
// question about another leaves the machine.
var deaf = []string{"127.0.0.1"}

// await waits until a service is ready.
func (v *services) await(ctx context.Context, id string, one sandbox.Service) error {
	deadline := time.Now().Add(servicePatience)
	for {
		state, err := v.d.api.ContainerInspect(ctx, id)
		if err != nil {
			return v.d.trouble("inspecting a service", err)
		}
		if !state.State.Running {
			return &sandbox.ServiceError{Name: one.Name, Why: fmt.Sprintf("ended with %d", state.State.ExitCode),
				Log: v.log(one.Name)}
		}
		ready, err := v.ready(ctx, id, one)
		if ready || err != nil {
			return err
		}
		if time.Now().After(deadline) {
			return &sandbox.ServiceError{Name: one.Name, Why: fmt.Sprintf("was not ready after %s", servicePatience),
				Log: v.log(one.Name)}
		}
		if err := sleep(ctx, 200*time.Millisecond); err != nil {
			return err
		}
	}
}

func (v *services) ready(ctx context.Context, id string, one sandbox.Service) (bool, error) {
	switch {
	case one.Ready != "":
		_, code, err := v.d.exec(ctx, id, "/bin/sh", "-c", one.Ready)
		return code == 0, err
	case one.Port > 0:
		// The kernel's own list: images need no tool for it.
		text, _, err := v.d.exec(ctx, id, "cat", "/proc/net/tcp", "/proc/net/tcp6")
		return listens(text, one.Port), err
	}
	return true, nil
}

// listens reads /proc/net/tcp: state 0A is LISTEN.
func listens(text string, port int) bool {
	for line := range strings.Lines(text) {
		f := strings.Fields(line)
		if len(f) > 3 && strings.HasSuffix(f[1], fmt.Sprintf(":%04X", port)) && f[3] == "0A" {
			return true
		}
	}
	return false
}

func (v *services) log(name string) string {
	if v.logs[name] == nil {
		return ""
	}
	text, _ := v.logs[name].Bytes()
	return string(text)
}

// stop removes services and network, after an interrupt, too, and gives what the
// services printed.
func (v *services) stop(ctx context.Context) map[string][]byte {
	if v.network == "" {
		return nil
	}
	for _, end := range v.closers {
		end()
	}
	for _, id := range v.ids {
		v.d.remove(ctx, id)
	}
	v.d.removeNetwork(ctx, v.network)
	logs := map[string][]byte{}
	for name := range v.logs {
		logs[name] = []byte(v.log(name))
	}
	return logs
}

// sweepNetworks removes networks that dead processes of ours left behind.
func (d *Sandbox) sweepNetworks(ctx context.Context) error {
	list, err := d.api.NetworkList(ctx, network.ListOptions{Filters: labelled(labelRun)})
	if err != nil {
		return d.trouble("listing networks", err)
	}
	var failed []error
	for _, n := range list {
		if !d.owner.abandoned(n.Labels, time.Now()) {
			continue
		}
		if err := d.api.NetworkRemove(ctx, n.ID); err != nil && !cerrdefs.IsNotFound(err) {
			failed = append(failed, d.trouble("removing an abandoned network", err))
		}
	}
	return errors.Join(failed...)
}
