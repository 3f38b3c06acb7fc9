package env

import (
	"os"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/github"
)

// githubApp is the GitHub App of the environment, nil where there is none:
// GITHUB_APP_ID, and GITHUB_APP_KEY, the name of the file with its private key.
func githubApp(env func(string) string) (*github.App, error) {
	id, file := env("GITHUB_APP_ID"), env("GITHUB_APP_KEY")
	switch {
	case id == "" && file == "":
		return nil, nil
	case id == "" || file == "":
		return nil, pipeline.Usage("a GitHub App needs both GITHUB_APP_ID and GITHUB_APP_KEY, the file with its private key")
	}
	key, err := os.ReadFile(file)
	if err != nil {
		return nil, pipeline.Usage("GITHUB_APP_KEY: %v", err)
	}
	return &github.App{ID: id, Key: key}, nil
}
