package agent

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

// book is the OUT folder of runs: predictions.jsonl has a line for each run that
// ended, runs/TASK/RUN what is kept of it, failed/TASK/RUN what a run said that is no
// prediction. A run is kept as a whole, by the renaming of its folder; its line follows,
// or is written by the next call.
type book struct {
	dir  string
	file *os.File // predictions.jsonl
	lock *flock.Flock

	mu   sync.Mutex
	have map[Job]bool
}

// about is OUT/agent.json: whose runs these are.
type about struct {
	Format  int    `json:"format"`
	Agent   string `json:"agent"`
	Digest  string `json:"digest"`
	Release string `json:"release"` // sha256 of its release.json
	Sandbox string `json:"sandbox"`
}

const (
	predictionsName = "predictions.jsonl"
	failedName      = "failed"
	unfinished      = ".unfinished-"
)

func openBook(dir string, a about) (*book, error) {
	if err := os.MkdirAll(filepath.Join(dir, "runs"), 0o755); err != nil {
		return nil, err
	}
	b := &book{dir: dir, have: map[Job]bool{}}
	if err := b.open(a); err != nil {
		b.close()
		return nil, err
	}
	return b, nil
}

func (b *book) open(a about) (err error) {
	if b.lock, err = lockFile(filepath.Join(b.dir, ".lock")); err != nil {
		return pipeline.Usage("another agent run writes into %s: %v; wait for it, or choose another --out", b.dir, err)
	}
	if err := b.same(a); err != nil {
		return err
	}
	left, err := filepath.Glob(filepath.Join(b.dir, "runs", unfinished+"*"))
	for _, p := range left { // of a run that was cut short
		err = errors.Join(err, os.RemoveAll(p))
	}
	if err != nil {
		return err
	}
	if b.file, err = os.OpenFile(filepath.Join(b.dir, predictionsName), os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o644); err != nil {
		return err
	}
	if err := b.read(); err != nil {
		return err
	}
	return b.adopt()
}

// same refuses to mix the runs of two agents, or of two releases.
func (b *book) same(a about) error {
	name := filepath.Join(b.dir, "agent.json")
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
	var was about
	if err := json.Unmarshal(text, &was); err != nil {
		return pipeline.Usage("%s can't be read (%v); choose another --out", name, err)
	}
	switch {
	case was.Release != a.Release:
		return pipeline.Usage("%s holds runs on another release; choose another --out", b.dir)
	case was.Digest != a.Digest:
		return pipeline.Usage("%s holds runs of %s whose file was another; choose another --out, so that a configuration's runs are all alike", b.dir, was.Agent)
	case was.Sandbox != a.Sandbox:
		return pipeline.Usage("%s holds runs in the %s sandbox; choose another --out", b.dir, was.Sandbox)
	}
	return nil
}

// read learns which runs ended, and takes away a line that was cut short.
func (b *book) read() error {
	r := bufio.NewReaderSize(b.file, 1<<20)
	var whole int64
	for {
		line, err := r.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return b.file.Truncate(whole)
		}
		if err != nil {
			return err
		}
		j, err := jobOf(line)
		if err != nil {
			return pipeline.Usage("%s: a line that is no prediction (%v); take it out, or choose another --out", filepath.Join(b.dir, predictionsName), err)
		}
		b.have[j] = true
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

// adopt writes the lines of runs that were kept when the program was killed before
// their lines stood.
func (b *book) adopt() error {
	kept, err := filepath.Glob(filepath.Join(b.dir, "runs", "*", "*", "prediction.json"))
	if err != nil {
		return err
	}
	for _, name := range kept {
		line, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		j, err := jobOf(line)
		if err != nil || b.have[j] || filepath.Join(b.dir, "runs", j.dir()) != filepath.Dir(name) {
			continue
		}
		if err := b.append(j, line); err != nil {
			return err
		}
	}
	return nil
}

func (b *book) done(j Job) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.have[j]
}

// begin makes the folder for what is kept of a run.
func (b *book) begin() (string, error) {
	dir, err := os.MkdirTemp(filepath.Join(b.dir, "runs"), unfinished)
	if err != nil {
		return "", err
	}
	return dir, os.Chmod(dir, 0o755)
}

// end keeps a run: its folder takes its place, then its line is written.
func (b *book) end(dir string, rec *Record, patches map[string][]byte) error {
	var line bytes.Buffer
	e := json.NewEncoder(&line)
	e.SetEscapeHTML(false)
	if err := e.Encode(rec.prediction(patches)); err != nil {
		return err
	}
	err := errors.Join(writeRecord(dir, rec), os.Mkdir(filepath.Join(dir, "patches"), 0o755))
	for _, r := range slices.Sorted(maps.Keys(patches)) {
		err = errors.Join(err, os.WriteFile(filepath.Join(dir, "patches", schema.FileName(r)+".patch"), patches[r], 0o644))
	}
	err = errors.Join(err, os.WriteFile(filepath.Join(dir, "prediction.json"), line.Bytes(), 0o644))
	if err != nil {
		return fmt.Errorf("keeping the run: %w", err)
	}
	if err := replace(dir, filepath.Join(b.dir, "runs", rec.Job.dir())); err != nil {
		return err
	}
	return errors.Join(b.append(rec.Job, line.Bytes()), b.forget(rec.Job))
}

// fail keeps what a run said that is no prediction, for people, until it was done.
func (b *book) fail(dir string, rec *Record, why error) error {
	to := filepath.Join(b.dir, failedName, rec.Job.dir())
	if err := errors.Join(writeRecord(dir, rec), replace(dir, to)); err != nil {
		return errors.Join(why, err)
	}
	return fmt.Errorf("%w (what it said is in %s)", why, to)
}

// forget takes away what an earlier try of a job said.
func (b *book) forget(j Job) error {
	at := filepath.Join(b.dir, failedName, j.dir())
	if err := os.RemoveAll(at); err != nil {
		return err
	}
	_ = os.Remove(filepath.Dir(at)) // where others failed too they stay
	_ = os.Remove(filepath.Join(b.dir, failedName))
	return nil
}

func writeRecord(dir string, rec *Record) error {
	text, err := json.MarshalIndent(rec, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "run.json"), append(text, '\n'), 0o644)
}

// replace puts a folder in its place.
func replace(dir, to string) error {
	if err := errors.Join(os.MkdirAll(filepath.Dir(to), 0o755), os.RemoveAll(to), os.Rename(dir, to)); err != nil {
		return fmt.Errorf("keeping the run: %w", err)
	}
	return nil
}

// append writes one line, in one piece.
func (b *book) append(j Job, line []byte) error {
	if !bytes.HasSuffix(line, []byte("\n")) || strings.Count(string(line), "\n") != 1 {
		return fmt.Errorf("the prediction of %s is not one line", j)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, err := b.file.Write(line); err != nil {
		return fmt.Errorf("writing a prediction: %w", err)
	}
	b.have[j] = true
	return b.file.Sync()
}

func (b *book) close() {
	if b.file != nil {
		_ = b.file.Close()
	}
	if b.lock != nil {
		_ = b.lock.Close()
	}
}
