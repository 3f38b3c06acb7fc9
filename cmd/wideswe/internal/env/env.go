// Package env is the environment of one call of the program: its streams and common flags, and the functions that open
// what commands work on: the curator's folder and its database, evaluations, releases, the engine, and GitHub.
//
// It holds no command and no logic of one.
package env

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"regexp"
	"strings"

	"github.com/spf13/pflag"
)

// Env is the environment of one call of the program.
type Env struct {
	In       io.Reader
	Out, Err io.Writer // results; progress and messages
	Dir      string    // -C: the curator's folder, "" where it is found upwards from here
	Verbose  bool      // log what is done
	Quiet    bool      // no progress

	closers []func()
}

// AddFlags adds the flags that every command has.
func (e *Env) AddFlags(f *pflag.FlagSet) {
	f.StringVarP(&e.Dir, "dir", "C", "", "the curator's folder (default: found upwards from here)")
	f.BoolVarP(&e.Verbose, "verbose", "v", false, "log what is done")
	f.BoolVarP(&e.Quiet, "quiet", "q", false, "no progress")
}

// WithOut returns an environment whose results go elsewhere. It is closed on its own.
func (e *Env) WithOut(out io.Writer) *Env {
	return &Env{In: e.In, Out: out, Err: e.Err, Dir: e.Dir, Verbose: e.Verbose, Quiet: e.Quiet}
}

// Defer has f called by [Env.Close].
func (e *Env) Defer(f func()) { e.closers = append(e.closers, f) }

// Close closes what was opened, the newest first. The environment can be used again.
func (e *Env) Close() {
	for i := len(e.closers) - 1; i >= 0; i-- {
		e.closers[i]()
	}
	e.closers = nil
}

// Log returns the log, which goes to Err.
func (e *Env) Log() *slog.Logger {
	level := slog.LevelWarn
	if e.Verbose {
		level = slog.LevelInfo
	}
	return slog.New(slog.NewTextHandler(e.Err, &slog.HandlerOptions{Level: level}))
}

// PrintJSON prints a value as indented JSON.
func (e *Env) PrintJSON(v any) error {
	enc := json.NewEncoder(e.Out)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// PrintLine prints a line of work under way to Err. On a terminal it takes the place of the progress bar, which is
// drawn again below.
func (e *Env) PrintLine(line string) {
	if _, ok := e.terminal(); ok {
		line = "\r\x1b[2K" + line
	}
	fmt.Fprintln(e.Err, line)
}

// terminal returns Err where it is a terminal.
func (e *Env) terminal() (*os.File, bool) {
	f, ok := e.Err.(*os.File)
	if !ok {
		return nil, false
	}
	info, err := f.Stat()
	return f, err == nil && info.Mode()&os.ModeCharDevice != 0
}

// Command begins a command line that a message proposes: it names the folder where the person named it.
func (e *Env) Command() string {
	if e.Dir == "" {
		return "wideswe"
	}
	return "wideswe -C " + shellWord(e.Dir)
}

var plainWord = regexp.MustCompile(`^[A-Za-z0-9_./:@%+=,-]+$`)

// shellWord writes s so that a shell reads it as one word.
func shellWord(s string) string {
	if plainWord.MatchString(s) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
