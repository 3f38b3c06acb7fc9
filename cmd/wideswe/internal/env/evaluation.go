package env

import (
	"context"
	"os"
	"path/filepath"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/release"
	"github.com/wideswe/wideswe/pipeline/store"
	"github.com/wideswe/wideswe/schema"
	"github.com/wideswe/wideswe/stages/evaluate/results"
)

// OpenRelease opens the release in a folder and verifies its index.
func (e *Env) OpenRelease(dir string) (*release.Release, error) {
	if dir == "" {
		return nil, pipeline.Usage("--release is missing; give the folder that export wrote")
	}
	rel, err := release.Open(dir)
	if err != nil {
		return nil, err
	}
	e.Defer(func() { _ = rel.Close() })
	return rel, nil
}

// OpenEvaluation opens an evaluation's report and its store, for reading.
func (e *Env) OpenEvaluation(ctx context.Context, out string) (schema.Report, *store.DB, error) {
	rep, err := results.ReadReport(out)
	if err != nil {
		return rep, nil, err
	}
	db, err := e.openEvaluationStore(ctx, out)
	return rep, db, err
}

// OpenTables opens an evaluation's store for reading where one is named, else the curator's database.
func (e *Env) OpenTables(ctx context.Context, evaluation string) (*store.DB, error) {
	if evaluation != "" {
		return e.openEvaluationStore(ctx, evaluation)
	}
	_, db, err := e.ReadFolderDatabase(ctx)
	return db, err
}

// openEvaluationStore opens an evaluation's store for reading, named by its folder or as a file.
func (e *Env) openEvaluationStore(ctx context.Context, out string) (*store.DB, error) {
	file := out
	if info, err := os.Stat(out); err != nil || info.IsDir() {
		file = filepath.Join(out, results.StoreName)
	}
	if _, err := os.Stat(file); err != nil {
		return nil, pipeline.Usage("%s is no evaluation (%v); give the folder that wideswe evaluate wrote with --out", out,
			err)
	}
	db, err := e.openStore(ctx, file, store.Options{ReadOnly: true})
	if store.InUse(err) {
		return nil, pipeline.Need("%s is being written by an evaluation; wait for it to end", out)
	}
	return db, err
}
