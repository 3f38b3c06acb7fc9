package env

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"

	"github.com/wideswe/wideswe/cmd/wideswe/internal/config"
	"github.com/wideswe/wideswe/cmd/wideswe/internal/render"
	"github.com/wideswe/wideswe/pipeline/folder"
	"github.com/wideswe/wideswe/pipeline/store"
)

// app is what the commands share in one call of the program.
type Env struct {
	In       io.Reader
	Out, Err io.Writer
	Dir      string // -C
	Verbose  bool
	Quiet    bool

	closers []func()
}

func (a *Env) Close() {
	for i := len(a.closers) - 1; i >= 0; i-- {
		a.closers[i]()
	}
	a.closers = nil
}

func (a *Env) Defer(f func()) { a.closers = append(a.closers, f) }

func (a *Env) Log() *slog.Logger {
	level := slog.LevelWarn
	if a.Verbose {
		level = slog.LevelInfo
	}
	return slog.New(slog.NewTextHandler(a.Err, &slog.HandlerOptions{Level: level}))
}

// curator is an open curator's folder.
type Curator struct {
	folder.Folder
	Config *config.Config
}

// curator finds and reads the folder.
func (a *Env) Curator() (*Curator, error) {
	start := a.Dir
	if start == "" {
		start = "."
	}
	f, err := folder.Find(start)
	if err != nil {
		return nil, err
	}
	c, err := config.Read(f.Config())
	if err != nil {
		return nil, err
	}
	return &Curator{Folder: f, Config: c}, nil
}

// open opens the folder's database for writing.
func (a *Env) OpenDatabase(ctx context.Context, c *Curator) (*store.DB, error) {
	db, err := store.Open(ctx, c.Database(), store.Options{})
	if err != nil {
		return nil, err
	}
	a.Defer(func() { _ = db.Close() })
	// Whoever holds the database owns the scratch space: what a killed command left there goes.
	if err := errors.Join(os.RemoveAll(c.Temp()), os.MkdirAll(c.Temp(), 0o755)); err != nil {
		return nil, err
	}
	return db, nil
}

// read opens the folder's database for reading or, while another command
// writes, the latest snapshot, and says which.
func (a *Env) ReadDatabase(ctx context.Context, c *Curator) (*store.DB, error) {
	db, err := store.Open(ctx, c.Database(), store.Options{ReadOnly: true})
	if err == nil {
		a.Defer(func() { _ = db.Close() })
		return db, nil
	}
	snapshot := c.Snapshot()
	info, statErr := os.Stat(snapshot)
	if !store.InUse(err) || statErr != nil {
		return nil, err
	}
	fmt.Fprintf(a.Err, "wideswe: another command writes the database; this is its snapshot of %s\n", render.Moment(info.ModTime()))
	db, err = store.Open(ctx, snapshot, store.Options{ReadOnly: true})
	if err != nil {
		return nil, err
	}
	a.Defer(func() { _ = db.Close() })
	return db, nil
}

func (a *Env) PrintFigure(figure map[string]any) error {
	return json.NewEncoder(a.Out).Encode(figure)
}

func InitFolder(a *Env, dir, config string) error {
	if _, err := folder.Init(dir, []byte(config)); err != nil {
		return err
	}
	return nil
}

// curatorToRank is the folder of one who has nothing to mine yet.
func (a *Env) CuratorToRank() (*Curator, error) {
	start := a.Dir
	if start == "" {
		start = "."
	}
	f, err := folder.Find(start)
	if err != nil {
		return nil, err
	}
	c, err := config.Load(f.Config())
	return &Curator{Folder: f, Config: c}, err
}

func (a *Env) PrintJSON(v any) error {
	enc := json.NewEncoder(a.Out)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}
