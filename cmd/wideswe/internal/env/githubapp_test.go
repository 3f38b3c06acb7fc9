package env

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/wideswe/wideswe/pipeline"
)

func TestGitHubAppOfTheEnvironment(t *testing.T) {
	key := filepath.Join(t.TempDir(), "key.pem")
	if err := os.WriteFile(key, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		id, file string
		app, bad bool
	}{
		"none":      {},
		"both":      {"42", key, true, false},
		"no key":    {"42", "", false, true},
		"no id":     {"", key, false, true},
		"lost file": {"42", key + "x", false, true},
	} {
		app, err := githubApp(func(n string) string { return map[string]string{"GITHUB_APP_ID": c.id, "GITHUB_APP_KEY": c.file}[n] })
		var usage *pipeline.UsageError
		if (app != nil) != c.app || errors.As(err, &usage) != c.bad || app != nil && (app.ID != "42" || string(app.Key) != "text") {
			t.Errorf("%s: got %+v, %v", name, app, err)
		}
	}
}
