package env

import (
	"context"
	"slices"
	"testing"
)

func TestTokensComeFromOnePlaceEach(t *testing.T) {
	env := map[string]string{"GITHUB_TOKENS": "a, b;a", "GITHUB_TOKEN": "c"}
	gh := func(context.Context) string { return "d\n" }
	if got := tokens(t.Context(), func(n string) string { return env[n] }, gh); !slices.Equal(got, []string{"a", "b", "c"}) {
		t.Errorf("got %q", got)
	}
	if got := tokens(t.Context(), func(string) string { return "" }, gh); !slices.Equal(got, []string{"d"}) {
		t.Errorf("without variables: %q", got)
	}
}
