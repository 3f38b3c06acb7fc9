package main

import (
	"context"
	"flag"
	"fmt"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/wideswe/wideswe/pipeline/sandbox/docker"
	"github.com/wideswe/wideswe/pipeline/testrun"
)

var update = flag.Bool("update", false, "rewrite the expected files of scripts")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"wideswe": main})
}

// TestScripts runs whole commands: testdata/script/*.txtar.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:           "testdata/script",
		UpdateScripts: *update,
		Condition:     condition,
		Setup: func(env *testscript.Env) error {
			// The Go caches of this machine, so that the demo's tests build quickly;
			// no token of the person who runs this.
			for _, name := range []string{"GOCACHE", "GOMODCACHE"} {
				if v := goEnv(name); v != "" {
					env.Setenv(name, v)
				}
			}
			env.Setenv("XDG_CACHE_HOME", env.WorkDir+"/cache")
			env.Setenv("GITHUB_TOKEN", "")
			env.Setenv("GITHUB_TOKENS", "")
			return nil
		},
	})
}

// condition knows docker: an engine answers that has, or can get, the demo's base image.
func condition(word string) (bool, error) {
	if word != "docker" {
		return false, fmt.Errorf("unknown condition %q", word)
	}
	if testing.Short() {
		return false, nil
	}
	d, err := docker.Open(context.Background())
	if err != nil {
		return false, nil // the steps are skipped by name
	}
	defer d.Close()
	_, err = (&testrun.Runner{Backend: d}).Base(context.Background(), "debian:trixie")
	return err == nil, nil
}
