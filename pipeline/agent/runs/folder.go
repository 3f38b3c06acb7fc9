package runs

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/gofrs/flock"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/schema"
)

// Folder is the OUT folder. predictions.jsonl has a line for each run that ended, runs/TASK/RUN holds its files,
// failed/TASK/RUN the output of a run without a prediction. A run is kept by renaming its folder; its line follows,
// or the next call writes it.
type Folder struct {
	dir  string
	file *os.File // predictions.jsonl
	lock *flock.Flock

	mu    sync.Mutex
	ended map[Job]bool
}

// About is OUT/agent.json: the agent, the release and the sandbox of all runs in the folder.
type About struct {
	Format  int    `json:"format"`
	Agent   string `json:"agent"`
	Digest  string `json:"digest"`
	Release string `json:"release"` // sha256 of its release.json
	Sandbox string `json:"sandbox"`
}

// Names in the folder.
const (
	PredictionsFile  = "predictions.jsonl"
	UnfinishedPrefix = ".unfinished-" // of a run's folder until the run is kept
	failedFolder     = "failed"
)

// Open opens or makes an OUT folder and locks it. It removes what a killed call left unfinished.
func Open(dir string, a About) (*Folder, error) {
	if err := os.MkdirAll(filepath.Join(dir, "runs"), 0o755); err != nil {
		return nil, err
	}
	f := &Folder{dir: dir, ended: map[Job]bool{}}
	if err := f.open(a); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

func (f *Folder) open(a About) (err error) {
	if f.lock, err = lockFile(filepath.Join(f.dir, ".lock")); err != nil {
		return pipeline.Usage("another agent run writes into %s: %v; wait for it, or choose another --out", f.dir, err)
	}
	if err := f.checkOwner(a); err != nil {
		return err
	}
	left, err := filepath.Glob(filepath.Join(f.dir, "runs", UnfinishedPrefix+"*"))
	for _, p := range left { // of a run that was cut short
		err = errors.Join(err, os.RemoveAll(p))
	}
	if err != nil {
		return err
	}
	if f.file, err = os.OpenFile(filepath.Join(f.dir, PredictionsFile), os.O_RDWR|os.O_CREATE|os.O_APPEND,
		0o644); err != nil {
		return err
	}
	if err := f.readPredictions(); err != nil {
		return err
	}
	return f.adoptKept()
}

// checkOwner refuses to mix the runs of two agents or of two releases.
func (f *Folder) checkOwner(a About) error {
	name := filepath.Join(f.dir, "agent.json")
	text, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		text, err = json.MarshalIndent(a, "", "  ")
		if err != nil {
			return err
		}
		return pipeline.WriteFile(name, append(text, '\n'))
	}
	if err != nil {
		return err
	}
	var was About
	if err := json.Unmarshal(text, &was); err != nil {
		return pipeline.Usage("%s can't be read (%v); choose another --out", name, err)
	}
	switch {
	case was.Release != a.Release:
		return pipeline.Usage("%s holds runs on another release; choose another --out", f.dir)
	case was.Digest != a.Digest:
		return pipeline.Usage("%s holds runs of %s whose file was another; choose another --out, so that a "+
			"configuration's runs are all alike", f.dir, was.Agent)
	case was.Sandbox != a.Sandbox:
		return pipeline.Usage("%s holds runs in the %s sandbox; choose another --out", f.dir, was.Sandbox)
	}
	return nil
}

// readPredictions notes which runs ended and removes a line that was cut short.
func (f *Folder) readPredictions() error {
	r := bufio.NewReaderSize(f.file, 1<<20)
	var whole int64
	for {
		line, err := r.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return f.file.Truncate(whole)
		}
		if err != nil {
			return err
		}
		j, err := jobOf(line)
		if err != nil {
			return pipeline.Usage("%s: a line that is no prediction (%v); take it out, or choose another --out",
				filepath.Join(f.dir, PredictionsFile), err)
		}
		f.ended[j] = true
		whole += int64(len(line))
	}
}

func jobOf(line []byte) (Job, error) {
	var p struct {
		Task    string `json:"task_id"`
		Mode    string `json:"mode"`
		Target  string `json:"target"`
		Attempt int    `json:"attempt"`
	}
	err := json.Unmarshal(line, &p)
	return Job{p.Task, p.Mode, p.Target, p.Attempt}, err
}

// adoptKept writes the lines of runs that were kept just before the program was killed.
func (f *Folder) adoptKept() error {
	kept, err := filepath.Glob(filepath.Join(f.dir, "runs", "*", "*", "prediction.json"))
	if err != nil {
		return err
	}
	for _, name := range kept {
		line, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		j, err := jobOf(line)
		if err != nil || f.ended[j] || filepath.Join(f.dir, "runs", j.Dir()) != filepath.Dir(name) {
			continue
		}
		if err := f.appendLine(j, line); err != nil {
			return err
		}
	}
	return nil
}

// Done tells whether a job has its prediction.
func (f *Folder) Done(j Job) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.ended[j]
}

// Begin makes the folder for the files of a run.
func (f *Folder) Begin() (string, error) {
	dir, err := os.MkdirTemp(filepath.Join(f.dir, "runs"), UnfinishedPrefix)
	if err != nil {
		return "", err
	}
	return dir, os.Chmod(dir, 0o755)
}

// Keep moves a run's folder into place and writes its prediction.
func (f *Folder) Keep(dir string, rec *Record, patches map[string][]byte) error {
	var line bytes.Buffer
	e := json.NewEncoder(&line)
	e.SetEscapeHTML(false)
	if err := e.Encode(rec.prediction(patches)); err != nil {
		return err
	}
	err := errors.Join(writeRecord(dir, rec), os.Mkdir(filepath.Join(dir, "patches"), 0o755))
	for _, r := range slices.Sorted(maps.Keys(patches)) {
		err = errors.Join(err, os.WriteFile(filepath.Join(dir, "patches", schema.FileName(r)+".patch"), patches[r],
			0o644))
	}
	err = errors.Join(err, os.WriteFile(filepath.Join(dir, "prediction.json"), line.Bytes(), 0o644))
	if err != nil {
		return fmt.Errorf("keeping the run: %w", err)
	}
	if err := moveInto(dir, filepath.Join(f.dir, "runs", rec.Job.Dir())); err != nil {
		return err
	}
	return errors.Join(f.appendLine(rec.Job, line.Bytes()), f.removeFailed(rec.Job))
}

// KeepFailed keeps the output of a run without a prediction until the job succeeds.
func (f *Folder) KeepFailed(dir string, rec *Record, why error) error {
	to := filepath.Join(f.dir, failedFolder, rec.Job.Dir())
	if err := errors.Join(writeRecord(dir, rec), moveInto(dir, to)); err != nil {
		return errors.Join(why, err)
	}
	return fmt.Errorf("%w (its output is in %s)", why, to)
}

// removeFailed removes the output of earlier failed tries of a job.
func (f *Folder) removeFailed(j Job) error {
	at := filepath.Join(f.dir, failedFolder, j.Dir())
	if err := os.RemoveAll(at); err != nil {
		return err
	}
	_ = os.Remove(filepath.Dir(at)) // where others failed too they stay
	_ = os.Remove(filepath.Join(f.dir, failedFolder))
	return nil
}

func writeRecord(dir string, rec *Record) error {
	text, err := json.MarshalIndent(rec, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "run.json"), append(text, '\n'), 0o644)
}

// moveInto renames a folder to its final place.
func moveInto(dir, to string) error {
	if err := errors.Join(os.MkdirAll(filepath.Dir(to), 0o755), os.RemoveAll(to), os.Rename(dir, to)); err != nil {
		return fmt.Errorf("keeping the run: %w", err)
	}
	return nil
}

// appendLine writes one line in one piece.
func (f *Folder) appendLine(j Job, line []byte) error {
	if !bytes.HasSuffix(line, []byte("\n")) || strings.Count(string(line), "\n") != 1 {
		return fmt.Errorf("the prediction of %s is not one line", j)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, err := f.file.Write(line); err != nil {
		return fmt.Errorf("writing a prediction: %w", err)
	}
	f.ended[j] = true
	return f.file.Sync()
}

// Close releases the folder.
func (f *Folder) Close() {
	if f.file != nil {
		_ = f.file.Close()
	}
	if f.lock != nil {
		_ = f.lock.Close()
	}
}
