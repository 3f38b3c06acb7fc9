package image

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"strings"

	"github.com/distribution/reference"
	"github.com/docker/cli/cli/config"
	"github.com/docker/docker/api/types/registry"

	"github.com/wideswe/wideswe/pipeline"
)

// RepositoryOf is an image's name without its tag or digest.
func RepositoryOf(name string) string {
	name, _, _ = strings.Cut(name, "@")
	if i := strings.LastIndex(name, ":"); i > strings.LastIndex(name, "/") {
		return name[:i]
	}
	return name
}

// hub is the name under which Docker keeps the credentials of its own registry.
const hub = "https://index.docker.io/v1/"

// ReadProgress reads the lines of an engine that loads, pushes or pulls to their end;
// errors come in them, and of a push the digest.
func ReadProgress(r io.Reader) (digest string, err error) {
	for lines := json.NewDecoder(r); ; {
		var line struct {
			Error string `json:"error"`
			Aux   struct {
				Digest string `json:"Digest"`
			} `json:"aux"`
		}
		switch err := lines.Decode(&line); {
		case errors.Is(err, io.EOF):
			return digest, nil
		case err != nil:
			return "", err
		case line.Error != "":
			return "", errors.New(line.Error)
		case line.Aux.Digest != "":
			digest = line.Aux.Digest
		}
	}
}

// RegistryAuth gives the credentials that docker login keeps for a registry, in the
// form the engine takes them; none is no error, since many registries need none.
func RegistryAuth(ref reference.Named) (string, error) {
	host := reference.Domain(ref)
	if host == "docker.io" {
		host = hub
	}
	kept, err := config.Load(os.Getenv("DOCKER_CONFIG"))
	if err != nil {
		return "", pipeline.Need("reading Docker's configuration: %v", err)
	}
	auth, err := kept.GetAuthConfig(host)
	if err != nil {
		return "", pipeline.Need("reading Docker's login for %s: %v; docker login %s makes it anew", host, err, host)
	}
	return registry.EncodeAuthConfig(registry.AuthConfig{
		Username: auth.Username, Password: auth.Password, Auth: auth.Auth, ServerAddress: auth.ServerAddress,
		IdentityToken: auth.IdentityToken, RegistryToken: auth.RegistryToken,
	})
}
