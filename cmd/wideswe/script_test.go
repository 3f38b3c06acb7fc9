package main

import (
	"flag"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
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
