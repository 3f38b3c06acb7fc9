package docker

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/filters"
	"github.com/docker/docker/api/types/network"
	"github.com/wideswe/wideswe/pipeline/sandbox"
)

// counter answers every line with its number.
func counter(img string) sandbox.Service {
	return sandbox.Service{Name: "counter", Image: img, Port: 7000, Tmpfs: []string{"/data"},
		Env: map[string]string{"WORD": "number"},
		Command: []string{"perl", "-MIO::Socket::INET", "-e",
			`$|=1; open(F, ">/data/x") or die; $s = IO::Socket::INET->new(LocalPort=>7000, Listen=>5, ReuseAddr=>1) or die; ` +
				`print "up\n"; while ($c = $s->accept) { print $c "$ENV{WORD} ".++$n."\n"; close $c }`}}
}

const ask = `perl -MIO::Socket::INET -e '$s = IO::Socket::INET->new(PeerAddr=>$ARGV[0], PeerPort=>$ARGV[1], ` +
	`Timeout=>3) or do { print "unreachable\n"; exit }; print $s->getline' `

// left counts our containers and networks.
func left(t *testing.T, d *Sandbox) (n int) {
	t.Helper()
	by := filters.NewArgs(filters.Arg("label", labelRun+"="+d.owner.run))
	list, err := d.api.ContainerList(context.Background(), container.ListOptions{All: true, Filters: by})
	if err != nil {
		t.Fatal(err)
	}
	nets, err := d.api.NetworkList(context.Background(), network.ListOptions{Filters: by})
	if err != nil {
		t.Fatal(err)
	}
	return len(list) + len(nets)
}

func TestDockerServiceIsReachedByNameAndNothingElseIs(t *testing.T) {
	d, img := dockerAndImage(t)
	for run := 1; run <= 2; run++ { // each run has a service of its own
		r, err := d.Run(t.Context(), sandbox.Spec{Image: img, Services: []sandbox.Service{counter(img)},
			Script: ask + "counter 7000\n" + ask + "counter 7000\n" + ask + "192.0.2.1 80\n" + ask + "example.org 80\n" +
				`for a in $(awk '$2 != "00000000" && NR > 1 { print $2 }' /proc/net/route); do
				gate=$(printf '%d.%d.%d.1' 0x$(echo $a | cut -c7-8) 0x$(echo $a | cut -c5-6) 0x$(echo $a | cut -c3-4)); ` + ask +
				"$gate 22; done"})
		if err != nil {
			t.Fatal(err)
		}
		if got, want := string(r.Output), "number 1\nnumber 2\nunreachable\nunreachable\nunreachable\n"; got != want ||
			!r.NetworkOff {
			t.Errorf("run %d: %q, not %q; %v", run, got, want, r.NetworkOff)
		}
		if log := string(r.Services["counter"]); log != "up\n" {
			t.Errorf("the service's log is %q", log)
		}
	}
	if n := left(t, d); n > 0 {
		t.Errorf("%d containers and networks are left", n)
	}
}

func TestDockerServiceThatDoesNotComeUp(t *testing.T) {
	d, img := dockerAndImage(t)
	for name, c := range map[string]struct {
		service sandbox.Service
		want    string
	}{
		"it ends": {sandbox.Service{Name: "db", Image: img, Port: 1, Command: []string{"sh", "-c",
			"echo no space for data; exit 3"}}, "the service db ended with 3: no space for data"},
		"not for me": {sandbox.Service{Name: "db", Image: img, Ready: "exit 1", Command: []string{"sh", "-c",
			"sleep 2; exit 4"}}, "the service db ended with 4"},
		"no image": {sandbox.Service{Name: "db", Image: "wideswe/nothing:x"}, "Docker has no image wideswe/nothing:x"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := d.Run(t.Context(), sandbox.Spec{Image: img, Services: []sandbox.Service{counter(img), c.service},
				Script: "echo never"})
			var failed *sandbox.ServiceError
			var missing *sandbox.MissingImageError
			if err == nil || !strings.HasPrefix(err.Error(), c.want) || !errors.As(err, &failed) && !errors.As(err, &missing) {
				t.Errorf("%v, not %s", err, c.want)
			}
			if n := left(t, d); n > 0 {
				t.Errorf("%d containers and networks are left", n)
			}
		})
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	if _, err := d.Run(ctx, sandbox.Spec{Image: img, Services: []sandbox.Service{counter(img)},
		Script: "sleep 60"}); err == nil {
		t.Error("an interrupt ends no run")
	}
	if n := left(t, d); n > 0 {
		t.Errorf("after an interrupt %d containers and networks are left", n)
	}
}

func TestDockerSweepsNetworksOfTheDead(t *testing.T) {
	d, img := dockerAndImage(t)
	labels := d.owner.labels(nil, 0)
	labels[labelRun], labels[labelPID], labels[labelStart] = "dead", "4194303", "1"
	dead, err := d.api.NetworkCreate(t.Context(), "wideswe-"+random(), network.CreateOptions{Internal: true,
		Labels: labels})
	if err != nil {
		t.Fatal(err)
	}
	made, err := d.api.ContainerCreate(t.Context(), &container.Config{Image: img, Cmd: []string{"sleep", "60"},
		Labels: labels},
		&container.HostConfig{NetworkMode: container.NetworkMode(dead.ID)}, nil, nil, "wideswe-"+random())
	if err != nil {
		t.Fatal(err)
	}
	if err := d.api.ContainerStart(t.Context(), made.ID, container.StartOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := d.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := d.api.NetworkInspect(t.Context(), dead.ID, network.InspectOptions{}); err == nil {
		t.Error("the dead process's network is there")
	}
}

func TestListens(t *testing.T) {
	const text = "  sl  local_address rem_address   st\n   0: 00000000:1F90 00000000:0000 0A 0\n   1: 0100007F:1538 " +
		"0100007F:1F91 01 0\n"
	for port, want := range map[int]bool{8080: true, 5432: false, 8081: false} {
		if got := listens(text, port); got != want {
			t.Errorf("%d: %v", port, got)
		}
	}
}
