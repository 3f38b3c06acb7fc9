package env

import (
	"context"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// tokens gives the GitHub tokens of the environment: GITHUB_TOKENS (several),
// GITHUB_TOKEN, or what gh is logged in with. This is the one place that reads
// them; they go to the API client and nowhere else.
func tokens(ctx context.Context, env func(string) string, gh func(context.Context) string) []string {
	var list []string
	for _, name := range []string{"GITHUB_TOKENS", "GITHUB_TOKEN"} {
		for _, t := range strings.FieldsFunc(env(name), func(r rune) bool { return r == ',' || r == ';' || r <= ' ' }) {
			if !slices.Contains(list, t) {
				list = append(list, t)
			}
		}
	}
	if len(list) == 0 {
		if t := strings.TrimSpace(gh(ctx)); t != "" {
			list = append(list, t)
		}
	}
	return list
}

func (a *Env) Tokens(ctx context.Context) []string { return tokens(ctx, os.Getenv, ghToken) }

// ghToken asks the gh program; without it, or without a login, there is none.
func ghToken(ctx context.Context) string {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, "gh", "auth", "token").Output()
	if err != nil {
		return ""
	}
	return string(out)
}
