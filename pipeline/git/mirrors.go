package git

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"time"

	gogit "github.com/go-git/go-git/v5"
	"github.com/gofrs/flock"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/schema"
)

// DefaultURL is where GitHub's repositories are fetched from.
const DefaultURL = "https://github.com/{owner}/{name}.git"

// Options are the settings under git in wideswe.yaml.
type Options struct {
	// Where histories are fetched from; {owner} and {name} are filled in.
	URLTemplate string `yaml:"url_template" default:"'https://github.com/{owner}/{name}.git'"`
}

// Check returns what is wrong with the settings.
func (o Options) Check() error {
	if !strings.Contains(o.URLTemplate, "{owner}") || !strings.Contains(o.URLTemplate, "{name}") {
		return errors.New("git.url_template must hold {owner} and {name}")
	}
	return nil
}

// Mirrors is a folder of bare mirrors, made when first asked for. Its methods may
// be called from many goroutines.
type Mirrors struct {
	Options // an empty URLTemplate is [DefaultURL]
	Dir     string
	Log     *slog.Logger  // nil: silent
	Backoff time.Duration // before the first retry, doubled for each; 0 is one second

	mu   sync.Mutex
	open map[string]*Repo
}

// Repo is the mirror of one repository.
type Repo struct {
	Repository string
	dir        string
	url        string
	mirrors    *Mirrors

	mu      sync.Mutex // one fetch at a time, and go-git's handle
	made    bool
	handle  *gogit.Repository
	missing map[string]bool // objects that the host said it does not have
}

// GoneError says that the host has no such repository, or shows it to nobody.
type GoneError struct{ Repository string }

func (e *GoneError) Error() string { return e.Repository + " can't be fetched: it is gone or private" }

// MissingError names objects or refs that neither the mirror nor the host has.
type MissingError struct {
	Repository string
	Objects    []string
}

func (e *MissingError) Error() string {
	names := e.Objects
	more := ""
	if len(names) > 3 {
		names, more = names[:3], fmt.Sprintf(" and %d more", len(e.Objects)-3)
	}
	return fmt.Sprintf("%s has no object %s%s", e.Repository, strings.Join(names, ", "), more)
}

// Mirror gives the mirror of owner/name, making it where there is none. Making it
// fetches every branch, without blobs, once; a mirror that is there is not
// brought up to date (see [Repo.Fetch] and [Repo.Ensure]).
func (m *Mirrors) Mirror(ctx context.Context, repository string) (*Repo, error) {
	r, err := m.repo(repository)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.made {
		return r, nil
	}
	if err := r.make(ctx); err != nil {
		return nil, fmt.Errorf("mirroring %s: %w", repository, err)
	}
	r.made = true
	return r, nil
}

func (m *Mirrors) repo(repository string) (*Repo, error) {
	owner, name, ok := schema.SplitRepository(repository)
	if !ok || !safeName.MatchString(owner) || !safeName.MatchString(name) || strings.HasPrefix(name, "..") || name == "." {
		return nil, fmt.Errorf("%q is not a repository's name", repository)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if r := m.open[repository]; r != nil {
		return r, nil
	}
	template := m.URLTemplate
	if template == "" {
		template = DefaultURL
	}
	r := &Repo{Repository: repository, mirrors: m,
		dir: filepath.Join(m.Dir, schema.FileName(repository)+".git"),
		url: strings.NewReplacer("{owner}", owner, "{name}", name).Replace(template)}
	var err error
	if r.dir, err = filepath.Abs(r.dir); err != nil {
		return nil, fmt.Errorf("mirror of %s: %w", repository, err)
	}
	if m.open == nil {
		m.open = map[string]*Repo{}
	}
	m.open[repository] = r
	return r, nil
}

// safeName is what GitHub allows in owners and names; a dash in front would be read as an option.
var safeName = regexp.MustCompile(`^[A-Za-z0-9_.][A-Za-z0-9_.-]*$`)

// Dir is the mirror's folder.
func (r *Repo) Dir() string { return r.dir }

// make brings the mirror into being: filled beside its place and moved there, so
// that a kill leaves no half of one.
func (r *Repo) make(ctx context.Context) error {
	unlock, err := r.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	if _, err := os.Stat(filepath.Join(r.dir, "HEAD")); err == nil {
		return nil
	}
	part := *r.shallowCopy()
	part.dir = r.dir + ".part"
	if err := os.RemoveAll(part.dir); err != nil {
		return err
	}
	if _, err := (call{args: []string{"init", "--bare", "--quiet", "--template=", part.dir}}).run(ctx); err != nil {
		return err
	}
	if err := part.fetchBranches(ctx); err != nil {
		return errors.Join(err, os.RemoveAll(part.dir)) // it may be what fills the disk
	}
	return os.Rename(part.dir, r.dir)
}

func (r *Repo) shallowCopy() *Repo {
	return &Repo{Repository: r.Repository, dir: r.dir, url: r.url, mirrors: r.mirrors}
}

// lock keeps other processes away from the mirror while it is fetched into.
func (r *Repo) lock(ctx context.Context) (func(), error) {
	if err := os.MkdirAll(filepath.Dir(r.dir), 0o755); err != nil {
		return nil, full(r.dir, err)
	}
	lock := flock.New(r.dir+".lock", flock.SetPermissions(0o644))
	locked, err := lock.TryLockContext(ctx, 200*time.Millisecond)
	if locked {
		return func() { _ = lock.Close() }, nil
	}
	_ = lock.Close()
	var unopened *fs.PathError
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case errors.As(err, &unopened):
		return nil, full(r.dir, err)
	}
	return nil, fmt.Errorf("locking %s: %w", r.dir, err)
}

func full(dir string, err error) error {
	if errors.Is(err, syscall.ENOSPC) {
		return pipeline.Need("the disk that holds the mirrors is full (%s); free some space and run again", dir)
	}
	return err
}

func (r *Repo) log() *slog.Logger {
	if r.mirrors.Log == nil {
		return slog.New(slog.DiscardHandler)
	}
	return r.mirrors.Log
}

// protocols lets git speak the template's own protocol only; http may lead to https.
func (r *Repo) protocols() string {
	u, err := url.Parse(r.url)
	switch {
	case err != nil || u.Scheme == "":
		return "GIT_ALLOW_PROTOCOL=file:ssh" // a path, or user@host:path
	case u.Scheme == "http":
		return "GIT_ALLOW_PROTOCOL=http:https"
	}
	return "GIT_ALLOW_PROTOCOL=" + u.Scheme
}

func (r *Repo) git(ctx context.Context, args ...string) ([]byte, error) {
	return call{dir: r.dir, args: args}.run(ctx)
}

// Snapshot writes owner/name at a commit as tar; see [Repo.Snapshot]. It mirrors
// the repository and fetches the commit where they are not there yet.
func (m *Mirrors) Snapshot(ctx context.Context, repository, commit string, w io.Writer) error {
	r, err := m.Mirror(ctx, repository)
	if err != nil {
		return err
	}
	if err := r.Ensure(ctx, []string{commit}, nil); err != nil {
		return err
	}
	_, err = r.Snapshot(ctx, commit, w)
	return err
}

// TreeID gives the tree of owner/name at a commit.
func (m *Mirrors) TreeID(ctx context.Context, repository, commit string) (string, error) {
	r, err := m.Mirror(ctx, repository)
	if err != nil {
		return "", err
	}
	if err := r.Ensure(ctx, []string{commit}, nil); err != nil {
		return "", err
	}
	return r.Tree(ctx, commit)
}

// CommitBefore gives the newest commit of owner/name's default branch whose
// committer date is not later than t; see [Repo.CommitBefore].
func (m *Mirrors) CommitBefore(ctx context.Context, repository string, t time.Time) (Commit, error) {
	r, err := m.Mirror(ctx, repository)
	if err != nil {
		return Commit{}, err
	}
	branch, err := r.DefaultBranch(ctx)
	if err != nil {
		return Commit{}, err
	}
	return r.CommitBefore(ctx, "refs/heads/"+branch, t)
}
