package git

import (
	"context"
	"errors"
	"strings"
)

// Resolve finds the commit that a person names: an id or the beginning of one, a
// branch, a tag; HEAD is the default branch. A full id that the mirror lacks is
// fetched. It is a [MissingError] where there is none.
func (r *Repo) Resolve(ctx context.Context, name string) (string, error) {
	if objectID.MatchString(name) {
		if err := r.Ensure(ctx, []string{name}, nil); err != nil {
			return "", err
		}
	}
	out, err := r.git(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", name+"^{commit}")
	var exit *exitError
	if errors.As(err, &exit) {
		return "", &MissingError{r.Repository, []string{name}}
	}
	return strings.TrimSpace(string(out)), err
}
