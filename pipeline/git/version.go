package git

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"
)

// Tags lists the host's tags with the commits they lead to, asked anew.
func (r *Repo) Tags(ctx context.Context) (map[string]string, error) {
	var out []byte
	err := r.retry(ctx, func() (err error) {
		out, err = call{dir: r.dir, env: []string{r.protocols()}, timeout: 5 * time.Minute,
			args: append(r.promisor(), "ls-remote", "--tags", "origin")}.run(ctx)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("listing the tags of %s: %w", r.Repository, err)
	}
	tags := map[string]string{}
	for line := range strings.Lines(string(out)) {
		id, ref, _ := strings.Cut(strings.TrimSpace(line), "\t")
		name, ok := strings.CutPrefix(ref, "refs/tags/")
		// An annotated tag's own line comes first, its commit's after it.
		if name, peeled := strings.CutSuffix(name, "^{}"); ok && (peeled || tags[name] == "") {
			tags[name] = id
		}
	}
	return tags, nil
}

var pseudoVersion = regexp.MustCompile(`[-.](?:0\.)?[0-9]{14}-([0-9a-f]{12})$`)

// VersionTime is when the commit was made that a published version came from: the
// commit that a pseudo-version names, or that a tag of the version's name leads to.
// known is false where the repository tells of no such version.
func (r *Repo) VersionTime(ctx context.Context, version string) (made time.Time, known bool, err error) {
	var commit string
	if m := pseudoVersion.FindStringSubmatch(version); m != nil {
		commit, err = r.Resolve(ctx, m[1])
	} else {
		commit, err = r.tagged(ctx, strings.TrimSuffix(version, "+incompatible"))
	}
	var missing *MissingError
	if errors.As(err, &missing) || err == nil && commit == "" {
		return time.Time{}, false, nil
	}
	if err != nil {
		return time.Time{}, false, err
	}
	if err := r.Ensure(ctx, []string{commit}, nil); err != nil {
		return time.Time{}, false, err
	}
	c, err := r.Commit(ctx, commit)
	return c.CommitterTime, err == nil, err
}

// tagged finds a version's tag, plain or with a package's name before it.
func (r *Repo) tagged(ctx context.Context, version string) (string, error) {
	tags, err := r.Tags(ctx)
	if err != nil {
		return "", err
	}
	bare := strings.TrimPrefix(version, "v")
	for _, name := range []string{version, "v" + bare, bare, "release-" + bare, "rel-" + bare} {
		if id := tags[name]; id != "" {
			return id, nil
		}
	}
	// A repository of many packages; the earliest in the alphabet, so that the answer is one.
	var found string
	for name := range tags {
		for _, end := range []string{"/v" + bare, "/" + bare, "-" + bare, "-v" + bare, "@" + bare, "_" + bare} {
			if strings.HasSuffix(name, end) && (found == "" || name < found) {
				found = name
			}
		}
	}
	return tags[found], nil
}
