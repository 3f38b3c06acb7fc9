// Package walk wires the stages of a curator's folder and runs them in order, with a snapshot of the database while
// they write. What each stage does is its own; which stages there are is package stages'.
package walk

import (
	"cmp"
	"context"

	"github.com/spf13/cobra"

	"github.com/wideswe/wideswe/cmd/wideswe/internal/config"
	"github.com/wideswe/wideswe/cmd/wideswe/internal/env"
	"github.com/wideswe/wideswe/cmd/wideswe/internal/images"
	"github.com/wideswe/wideswe/pipeline/github"
	"github.com/wideswe/wideswe/pipeline/store"
	"github.com/wideswe/wideswe/stages"
)

// Flags holds the flags of run and of the stages' own commands.
type Flags struct {
	Redo    bool
	Sandbox string

	repeats      int // of validate; 0 is the config's
	updateImages bool
	stress       bool // of validate
	out          string
	withSources  bool
}

// AddTo adds the flags that matter to a command that runs these stages: those of running tests, and those of an export.
func (f *Flags) AddTo(c *cobra.Command, testing, exporting bool) {
	set := c.Flags()
	set.BoolVar(&f.Redo, "redo", false, "work on items whose outcome stands, too")
	if testing {
		set.StringVar(&f.Sandbox, "sandbox", "", "docker or process (default: validate.sandbox of the config)")
		set.BoolVar(&f.updateImages, "update-images", false,
			"take what the names of base images mean now, instead of what images.lock says")
		set.IntVar(&f.repeats, "repeats", 0, "runs of base and of gold (default: validate.repeats of the config)")
		set.BoolVar(&f.stress, "stress", false, "after the repeats run gold in another order, on one CPU, in another time "+
			"zone "+
			"and with a shifted clock, and try what fails there with the network and as root (also validate.stress of the "+
			"config)")
	}
	if exporting {
		set.StringVar(&f.out, "out", "", "the release's folder (default DIR/release)")
		set.BoolVar(&f.withSources, "with-sources", false, "put every repository's sources into the release")
	}
}

// Session is an open curator's folder with its database. Its stages are wired when they are needed first.
type Session struct {
	*env.Curator
	DB    *store.DB
	env   *env.Env
	flags Flags
	deps  *stages.Deps
}

// Open opens the curator's folder and its database for writing.
func Open(ctx context.Context, e *env.Env, f Flags) (*Session, error) {
	cur, err := e.Curator()
	if err != nil {
		return nil, err
	}
	db, err := e.OpenDatabase(ctx, cur)
	return &Session{Curator: cur, DB: db, env: e, flags: f}, err
}

// OpenToRead opens the curator's folder and its database for reading.
func OpenToRead(ctx context.Context, e *env.Env) (*Session, error) {
	cur, db, err := e.ReadFolderDatabase(ctx)
	return &Session{Curator: cur, DB: db, env: e}, err
}

// Deps returns everything that the folder's configuration and the flags give the stages.
func (s *Session) Deps(ctx context.Context) (stages.Deps, error) {
	if s.deps != nil {
		return *s.deps, nil
	}
	d := stages.Deps{DB: s.DB, Folder: s.Folder, Log: s.env.Log(), Bill: s.env.Err, ImagesBuilt: images.Budget(s.env,
		s.Curator)}
	api, histories, err := s.env.Hosts(ctx, s.Curator)
	if err != nil {
		return d, err
	}
	d.Mirrors = s.env.MirrorsOf(s.Curator, histories)
	if d.Pages, err = github.OpenArchive(s.Pages()); err != nil {
		return d, err
	}
	if d.GitHub, d.Secrets, err = s.env.GitHub(ctx, s.Curator, api, d.Pages); err != nil {
		return d, err
	}
	if d.Runner, err = s.env.Runner(s.Curator, s.flags.Sandbox); err != nil {
		return d, err
	}
	d.Runner.Lock.Renew = s.flags.updateImages
	s.flags.configure(&d, s.Curator)
	s.deps = &d
	return d, nil
}

// configure sets what the configuration and the flags say of the stages.
func (f Flags) configure(d *stages.Deps, cur *env.Curator) {
	c := cur.Config
	d.Ecosystems, d.Rank, d.Crawl, d.Group, d.Inspect = c.Ecosystems, c.Rank, c.Crawl, c.Group, c.Review
	d.Validate, d.Export = c.Validate, c.Export
	d.Validate.Repeats, d.Validate.Stress = cmp.Or(f.repeats, c.Validate.Repeats), f.stress || c.Validate.Stress
	d.Out, d.WithSources = cmp.Or(f.out, cur.Release()), f.withSources || c.GitHub.BaseURL == config.DemoURL
}
