package env

import (
	"context"
	"os"
	"path/filepath"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/store"
	"github.com/wideswe/wideswe/schema"
	"github.com/wideswe/wideswe/stages/evaluate"
)

// evaluationOf opens an evaluation's report and its store, for reading.
func (a *Env) OpenEvaluation(ctx context.Context, out string) (schema.Report, *store.DB, error) {
	rep, err := evaluate.ReadReport(out)
	if err != nil {
		return rep, nil, err
	}
	db, err := a.OpenEvaluationStore(ctx, out)
	return rep, db, err
}

// storeOf opens an evaluation's store, named by its folder or as a file.
func (a *Env) OpenEvaluationStore(ctx context.Context, out string) (*store.DB, error) {
	file := out
	if info, err := os.Stat(out); err != nil || info.IsDir() {
		file = filepath.Join(out, evaluate.StoreName)
	}
	if _, err := os.Stat(file); err != nil {
		return nil, pipeline.Usage("%s is no evaluation (%v); give the folder that wideswe evaluate wrote with --out", out, err)
	}
	db, err := store.Open(ctx, file, store.Options{ReadOnly: true})
	if store.InUse(err) {
		return nil, pipeline.Need("%s is being written by an evaluation; wait for it to end", out)
	}
	if err != nil {
		return nil, err
	}
	a.Defer(func() { _ = db.Close() })
	return db, nil
}

// readTablesOf opens an evaluation's store where one is named, else the curator's database.
func (a *Env) OpenTables(ctx context.Context, evaluation string) (*store.DB, error) {
	if evaluation != "" {
		return a.OpenEvaluationStore(ctx, evaluation)
	}
	cur, err := a.Curator()
	if err != nil {
		return nil, err
	}
	return a.ReadDatabase(ctx, cur)
}
