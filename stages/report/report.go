// Package report draws an evaluation for people: one HTML page that needs nothing
// beside itself, the same as Markdown, and the tables as JSON. It counts anew from
// the verdicts of OUT/report.json with the release's own tasks as denominators, so
// that a verdict that is not there is seen and never left out.
//
// Given a release alone it describes the data set. Who passed what is the
// evaluate stage's word; nothing here runs a test.
package report

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/release"
	"github.com/wideswe/wideswe/schema"
)

// maxReport bounds the report.json that is read.
const maxReport = 512 << 20

// Stage writes the files of a report.
type Stage struct {
	Release    string // folder
	Evaluation string // folder with report.json; '' describes the release alone
	Out        string // '' is the evaluation's folder, or the present one without an evaluation
}

// Name implements [pipeline.Stage].
func (Stage) Name() string { return "report" }

// Version implements [pipeline.Stage].
func (Stage) Version() string { return "1" }

// Run implements [pipeline.Stage]. Drawing is cheap, so files that are not as they
// should be are written again whatever the recorded outcome says.
func (s Stage) Run(ctx context.Context, run *pipeline.Run) error {
	result, err := Read(s.Release, s.Evaluation)
	if err != nil {
		return err
	}
	files, err := Draw(result)
	if err != nil {
		return err
	}
	out := s.out()
	id, err := filepath.Abs(out)
	if err != nil {
		return err
	}
	items := []pipeline.Item[[]File]{{ID: id, Hash: pipeline.Hash(files), Value: files}}
	work := func(context.Context, []File) (pipeline.Write, error) { return nil, save(out, files) }
	if err := pipeline.Each(ctx, run, s, items, work, nil); err != nil {
		return err
	}
	return save(out, files)
}

func (s Stage) out() string { return cmp.Or(s.Out, s.Evaluation, ".") }

// Paths gives where the stage puts its files.
func (s Stage) Paths() []string {
	var paths []string
	for _, name := range names(s.Evaluation != "") {
		paths = append(paths, filepath.Join(s.out(), name))
	}
	return paths
}

func names(scored bool) []string {
	if scored {
		return []string{"report.html", "report.md", "tables.json"}
	}
	return []string{"dataset.html", "dataset.md", "dataset.json"}
}

// File is one file of a report.
type File struct {
	Name string
	Text []byte
}

// Draw makes the files of a report.
func Draw(r *Result) ([]File, error) {
	var html, md, tables bytes.Buffer
	enc := json.NewEncoder(&tables)
	enc.SetIndent("", "  ")
	if err := errors.Join(HTML(&html, r), Markdown(&md, r), enc.Encode(r)); err != nil {
		return nil, fmt.Errorf("drawing: %w", err)
	}
	n := names(r.Scored)
	return []File{{n[0], html.Bytes()}, {n[1], md.Bytes()}, {n[2], tables.Bytes()}}, nil
}

// save writes what differs from what is there, each file whole.
func save(dir string, files []File) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("writing report: %w", err)
	}
	for _, f := range files {
		name := filepath.Join(dir, f.Name)
		if old, err := os.ReadFile(name); err == nil && bytes.Equal(old, f.Text) {
			continue
		}
		temp := filepath.Join(dir, "."+f.Name+".tmp")
		err := os.WriteFile(temp, f.Text, 0o644)
		if err == nil {
			err = os.Rename(temp, name)
		}
		if err != nil {
			return fmt.Errorf("writing report: %w", err)
		}
	}
	return nil
}

// Read counts an evaluation of a release, or the release alone where evaluation is ”.
func Read(releaseDir, evaluation string) (*Result, error) {
	rel, err := release.Open(releaseDir)
	if err != nil {
		return nil, err
	}
	defer rel.Close()
	data, err := dataset(rel)
	if err != nil || evaluation == "" {
		return &Result{Data: data}, err
	}
	report, err := readReport(filepath.Join(evaluation, "report.json"))
	if err != nil {
		return nil, err
	}
	if sum := report.Release.SHA256; sum != "" && sum != rel.SHA256 {
		return nil, pipeline.Usage("%s scores %s %s, which is not the release at %s; give the release that was evaluated",
			evaluation, report.Release.Name, report.Release.Version, releaseDir)
	}
	return Count(data, report), nil
}

func readReport(name string) (*schema.Report, error) {
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, pipeline.Usage("there is no %s; wideswe evaluate --out %s writes it", name, filepath.Dir(name))
	}
	if err != nil {
		return nil, fmt.Errorf("reading evaluation: %w", err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxReport+1))
	if err != nil {
		return nil, fmt.Errorf("reading evaluation: %w", err)
	}
	if len(text) > maxReport {
		return nil, pipeline.Usage("%s is over %d MiB; it is not a report of wideswe evaluate", name, maxReport>>20)
	}
	var r schema.Report
	if err := json.Unmarshal(text, &r); err != nil {
		return nil, pipeline.Usage("%s is not a report of wideswe evaluate: %v", name, err)
	}
	if r.Format > 1 {
		return nil, pipeline.Usage("%s has format %d, and this wideswe reads 1; use the one that wrote it", name, r.Format)
	}
	return &r, nil
}
