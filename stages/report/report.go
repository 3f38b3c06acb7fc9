// Package report draws evaluations for people: the paper's tables and figures as
// Markdown, CSV, JSON, SVG and PNG, and one HTML page that needs nothing beside
// itself. It counts anew from the verdicts of report.json with the release's own
// tasks as denominators, so that a verdict that is not there is seen and never left
// out. Given a release alone it describes the data set.
//
// Why unresolved runs failed is people's word: a rule proposes, annotators decide in
// files, and the tables say how far they agree. Who passed what is the evaluate
// stage's word; nothing here runs a test.
package report

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/figure"
)

// Source is one evaluation that a report is drawn of.
type Source struct {
	Folder string // with report.json
	// Label is its configuration's name; '' takes the predictions' model.
	Label string
	// Runs is the folder that agent run wrote its predictions to, for evidence; '' is none.
	Runs string
}

// Stage writes the files of a report.
type Stage struct {
	Release     string // folder
	Evaluations []Source
	Out         string // '' is the evaluation's folder, or the present one without an evaluation
	// Pairs names the set of tasks that joint and independent runs are compared on;
	// '' are all that have a prediction in both modes.
	Pairs string
	// Annotations is the folder of annotators' sheets, '' for none.
	Annotations string
	// Force replaces files that no earlier report wrote.
	Force bool
}

// Name implements [pipeline.Stage].
func (Stage) Name() string { return "report" }

// Version implements [pipeline.Stage].
func (Stage) Version() string { return "2" }

// Run implements [pipeline.Stage]. Drawing is cheap, so files that are not as they
// should be are written again whatever the recorded outcome says.
func (s Stage) Run(ctx context.Context, run *pipeline.Run) error {
	result, err := s.read()
	if err != nil {
		return err
	}
	files, err := Draw(result)
	if err != nil {
		return err
	}
	out := s.Folder()
	if !s.Force {
		if err := checkFolder(out, files); err != nil {
			return err
		}
	}
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

// Folder is where the stage writes.
func (s Stage) Folder() string {
	if s.Out == "" && len(s.Evaluations) == 1 {
		return s.Evaluations[0].Folder
	}
	return cmp.Or(s.Out, ".")
}

// Paths gives where the stage puts the files that a person opens first.
func (s Stage) Paths() []string {
	var paths []string
	for _, name := range names(len(s.Evaluations) > 0) {
		paths = append(paths, filepath.Join(s.Folder(), name))
	}
	return append(paths, filepath.Join(s.Folder(), "tables"), filepath.Join(s.Folder(), "figures"))
}

func names(scored bool) []string {
	if scored {
		return []string{"report.html", "report.md", "tables.json"}
	}
	return []string{"dataset.html", "dataset.md", "dataset.json"}
}

// File is one file of a report.
type File struct {
	Name string // with slashes, under the folder
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
	files := []File{{n[0], html.Bytes()}, {n[1], md.Bytes()}, {n[2], tables.Bytes()}}
	for _, t := range r.Tables {
		text, err := t.CSV()
		if err != nil {
			return nil, fmt.Errorf("drawing %s: %w", t.Name, err)
		}
		files = append(files, File{"tables/" + t.Name + ".csv", text})
	}
	for _, d := range r.Figures {
		svg, err := d.figure.SVG(figure.Wide)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", d.Name, err)
		}
		png, err := d.figure.PNG(figure.Wide)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", d.Name, err)
		}
		files = append(files, File{"figures/" + d.Name + ".svg", svg}, File{"figures/" + d.Name + ".png", png})
	}
	return files, nil
}

// checkFolder refuses a folder in which a person's files have the names of a report's. A
// folder with the data of an earlier report, which only a report writes, is ours.
func checkFolder(dir string, files []File) error {
	for _, n := range []string{names(true)[2], names(false)[2]} {
		text, err := os.ReadFile(filepath.Join(dir, n))
		var earlier Result
		if err == nil && json.Unmarshal(text, &earlier) == nil && earlier.Data != nil && len(earlier.Tables) > 0 {
			return nil
		}
	}
	for _, f := range files {
		name := filepath.Join(dir, filepath.FromSlash(f.Name))
		if old, err := os.ReadFile(name); err == nil && !bytes.Equal(old, f.Text) {
			return pipeline.Usage("%s is there already, and no earlier report is in %s; give --out another folder, or "+
				"--force to replace it", name, dir)
		}
	}
	return nil
}

// save writes what differs from what is there, each file whole. The data comes first:
// checkFolder knows by it a report that was cut short.
func save(dir string, files []File) error {
	data := func(f File) bool { return f.Name == names(true)[2] || f.Name == names(false)[2] }
	files = slices.Clone(files)
	slices.SortStableFunc(files, func(a, b File) int { return oneIf(data(b)) - oneIf(data(a)) })
	for _, f := range files {
		if err := pipeline.WriteFile(filepath.Join(dir, filepath.FromSlash(f.Name)), f.Text); err != nil {
			return fmt.Errorf("writing report: %w", err)
		}
	}
	return nil
}
