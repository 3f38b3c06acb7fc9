package docker

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/filters"
	"github.com/docker/docker/api/types/network"
	"github.com/wideswe/wideswe/pipeline/sandbox"
)

// besideAService makes this test's program the process that is to be killed.
const besideAService = "WIDESWE_TEST_BESIDE_A_SERVICE"

// A process that is killed while its tests run beside a service leaves three things:
// the run's container, the service's, their network. The next one removes them.
func TestDockerServiceOfAKilledProcessIsRemoved(t *testing.T) {
	if img := os.Getenv(besideAService); img != "" {
		runUntilKilled(t, img)
		return
	}
	d, img := dockerAndImage(t)
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$")
	child.Env = append(os.Environ(), besideAService+"="+img)
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	first, err := bufio.NewReader(out).ReadString('\n')
	name, ok := strings.CutPrefix(strings.TrimSpace(first), "run ")
	if err != nil || !ok {
		t.Fatalf("the process said %q: %v", first, err)
	}
	count := func() (containers, networks int) {
		by := filters.NewArgs(filters.Arg("label", labelRun+"="+name))
		list, err := d.api.ContainerList(context.Background(), container.ListOptions{All: true, Filters: by})
		if err != nil {
			t.Fatal(err)
		}
		nets, err := d.api.NetworkList(context.Background(), network.ListOptions{Filters: by})
		if err != nil {
			t.Fatal(err)
		}
		return len(list), len(nets)
	}
	for begun := time.Now(); ; time.Sleep(100 * time.Millisecond) {
		if c, n := count(); c == 2 && n == 1 {
			break
		}
		if time.Since(begun) > 2*time.Minute {
			t.Fatal("the run did not begin")
		}
	}
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = child.Wait() // killed
	if c, n := count(); c != 2 || n != 1 {
		t.Fatalf("%d containers and %d networks are left by the killed process", c, n)
	}
	if err := d.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	if c, n := count(); c+n != 0 {
		t.Errorf("%d containers and %d networks are left after the sweep", c, n)
	}
}

func runUntilKilled(t *testing.T, img string) {
	d, err := Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	_, _ = os.Stdout.WriteString("run " + d.owner.run + "\n")
	if _, err := d.Run(t.Context(), sandbox.Spec{Image: img, Services: []sandbox.Service{counter(img)},
		Script: "sleep 600", Limits: sandbox.Limits{Timeout: 10 * time.Minute}}); err != nil {
		t.Fatal(err)
	}
}
