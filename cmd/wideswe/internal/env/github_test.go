package env

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/wideswe/wideswe/pipeline"
)

func TestTokensComeFromOnePlaceEach(t *testing.T) {
	env := map[string]string{"GITHUB_TOKENS": "a, b;a", "GITHUB_TOKEN": "c"}
	gh := func(context.Context) string { return "d\n" }
	if got := tokens(t.Context(), func(n string) string { return env[n] }, gh); !slices.Equal(got, []string{"a", "b",
		"c"}) {
		t.Errorf("got %q", got)
	}
	if got := tokens(t.Context(), func(string) string { return "" }, gh); !slices.Equal(got, []string{"d"}) {
		t.Errorf("without variables: %q", got)
	}
}

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
		app, err := githubApp(func(n string) string {
			return map[string]string{"GITHUB_APP_ID": c.id,
				"GITHUB_APP_KEY": c.file}[n]
		})
		var usage *pipeline.UsageError
		if (app != nil) != c.app || errors.As(err, &usage) != c.bad || app != nil && (app.ID != "42" ||
			string(app.Key) != "text") {
			t.Errorf("%s: got %+v, %v", name, app, err)
		}
	}
}
