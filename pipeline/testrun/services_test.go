package testrun_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/sandbox"
	"github.com/wideswe/wideswe/pipeline/sandbox/dockertest"
	"github.com/wideswe/wideswe/pipeline/sandbox/process"
	"github.com/wideswe/wideswe/pipeline/testrun"
	"github.com/wideswe/wideswe/pipeline/toolchain/registry"
	"github.com/wideswe/wideswe/schema"
)

func withService() schema.Recipe {
	return schema.Recipe{Repository: "o/r", Toolchain: "shell", Select: []string{"test_db.sh"},
		Services: []schema.Service{{Name: "db", Image: "db:1", Port: 7000, Env: map[string]string{"WORD": "rows"},
			Command: []string{"perl", "-MIO::Socket::INET", "-e",
				`$|=1; print "up\n"; $s = IO::Socket::INET->new(LocalPort=>7000, Listen=>5) or die; while ($c = $s->accept) { ` +
					`print $c "$ENV{WORD}\n"; close $c }`}}}}
}

func TestServicesNeedAnEngine(t *testing.T) {
	r := &testrun.Runner{Backend: process.Open(registry.HostCaches(t.Context()))}
	_, err := r.PinServices(t.Context(), withService())
	if reason, skip := pipeline.SkipReason(err); !skip ||
		reason != "the recipe of o/r needs the service db, and the process sandbox has none: use --sandbox docker" {
		t.Error(err)
	}
	if plain, err := r.PinServices(t.Context(), schema.Recipe{Repository: "o/r"}); err != nil || plain.Services != nil {
		t.Error(plain, err)
	}
}

func TestServicesOfARun(t *testing.T) {
	d, img := dockertest.Open(t)
	id, err := d.ImageID(t.Context(), img)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir() + "/o/r"
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(dir+"/test_db.sh", []byte("#!/bin/sh\necho 1..1\n"+
		`perl -MIO::Socket::INET -e '$s = IO::Socket::INET->new("db:7000") or die; print $s->getline eq "rows\n" ? "ok 1 - `+
		`asked\n" : "not ok 1 - asked\n"'`+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	r := &testrun.Runner{Backend: d, Images: map[string]string{"db:1": img}, Limits: sandbox.Limits{Timeout: time.Minute}}
	given := withService()
	recipe, err := r.PinServices(t.Context(), given)
	if err != nil || recipe.Services[0].Pinned != id || given.Services[0].Pinned != "" {
		t.Fatal(recipe.Services, given.Services, err)
	}
	q := testrun.Request{Repository: "o/r", Recipe: recipe, Image: id, Workspace: strings.TrimSuffix(dir, "/o/r"),
		HiddenFiles: []string{"test_db.sh"}}
	rep, err := r.Run(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	if a := rep.First(); a.Status != testrun.OK || len(rep.Results) != 1 || rep.Results[0].Outcome != schema.Pass ||
		!a.NetworkOff ||
		!strings.HasSuffix(string(a.Output), "[the service db printed]\nup\n") {
		t.Errorf("%s %s %v\n%s", a.Status, a.Detail, rep.Results, a.Output)
	}
	q.Recipe.Services[0].Command = []string{"sh", "-c", "echo broken; exit 2"}
	if _, err = r.Run(t.Context(), q); err == nil {
		t.Fatal("a run without its service")
	}
	if reason, skip := pipeline.SkipReason(err); !skip || reason != "o/r: the service db ended with 2: broken" {
		t.Error(err)
	}
	q.Recipe.Services[0].Image, q.Recipe.Services[0].Pinned = "wideswe/nothing:x", ""
	if _, err = r.Run(t.Context(), q); err == nil || !strings.Contains(err.Error(),
		"the service db of o/r: Docker has no image") {
		t.Error(err)
	}
}
