package env

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/wideswe/wideswe/cmd/wideswe/internal/config"
	"github.com/wideswe/wideswe/cmd/wideswe/internal/render"
	"github.com/wideswe/wideswe/pipeline/folder"
	"github.com/wideswe/wideswe/pipeline/store"
)

// Curator is an open curator's folder with its configuration.
type Curator struct {
	folder.Folder
	Config *config.Config
}

// Curator finds the curator's folder and reads its configuration, which must name something to mine.
func (e *Env) Curator() (*Curator, error) { return e.openFolder(config.Read) }

// CuratorToRank is [Env.Curator] for those who have nothing to mine yet.
func (e *Env) CuratorToRank() (*Curator, error) { return e.openFolder(config.Load) }

func (e *Env) openFolder(read func(path string) (*config.Config, error)) (*Curator, error) {
	f, err := folder.Find(cmp.Or(e.Dir, "."))
	if err != nil {
		return nil, err
	}
	c, err := read(f.Config())
	if err != nil {
		return nil, err
	}
	return &Curator{Folder: f, Config: c}, nil
}

// OpenDatabase opens the folder's database for writing.
func (e *Env) OpenDatabase(ctx context.Context, c *Curator) (*store.DB, error) {
	db, err := e.openStore(ctx, c.Database(), store.Options{})
	if err != nil {
		return nil, err
	}
	// Who holds the database owns the scratch space: what a killed command left there goes.
	if err := errors.Join(os.RemoveAll(c.Temp()), os.MkdirAll(c.Temp(), 0o755)); err != nil {
		return nil, err
	}
	return db, nil
}

// ReadDatabase opens the folder's database for reading or, while another command writes it, the latest snapshot, and
// prints of when that is.
func (e *Env) ReadDatabase(ctx context.Context, c *Curator) (*store.DB, error) {
	db, err := e.openStore(ctx, c.Database(), store.Options{ReadOnly: true})
	if err == nil {
		return db, nil
	}
	info, statErr := os.Stat(c.Snapshot())
	if !store.InUse(err) || statErr != nil {
		return nil, err
	}
	fmt.Fprintf(e.Err, "wideswe: another command writes the database; this is its snapshot of %s\n",
		render.Moment(info.ModTime()))
	return e.openStore(ctx, c.Snapshot(), store.Options{ReadOnly: true})
}

// ReadFolderDatabase finds the curator's folder and opens its database for reading.
func (e *Env) ReadFolderDatabase(ctx context.Context) (*Curator, *store.DB, error) {
	cur, err := e.Curator()
	if err != nil {
		return nil, nil, err
	}
	db, err := e.ReadDatabase(ctx, cur)
	return cur, db, err
}

// openStore opens a database that [Env.Close] closes.
func (e *Env) openStore(ctx context.Context, path string, o store.Options) (*store.DB, error) {
	db, err := store.Open(ctx, path, o)
	if err != nil {
		return nil, err
	}
	e.Defer(func() { _ = db.Close() })
	return db, nil
}
