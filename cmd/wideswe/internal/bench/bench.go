package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/wideswe/wideswe/cmd/wideswe/internal/demo"
	"github.com/wideswe/wideswe/cmd/wideswe/internal/env"
	"github.com/wideswe/wideswe/cmd/wideswe/internal/walk"
	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/reference"
	"github.com/wideswe/wideswe/pipeline/store"
)

// benchCommand prints what make bench shows: one JSON line a figure, each beside
// what a user would run instead, where there is such a thing.
func NewCommand(e *env.Env) *cobra.Command {
	var pulls int
	c := &cobra.Command{
		Use: "bench", Hidden: true, Args: cobra.NoArgs,
		Short: "Print figures of speed, one JSON line each",
		RunE: func(cmd *cobra.Command, _ []string) error {
			dir, err := os.MkdirTemp("", "wideswe-bench")
			if err != nil {
				return err
			}
			defer os.RemoveAll(dir)
			b := &textFigures{env: e, dir: dir, bodies: syntheticBodies(pulls)}
			for _, f := range []func(context.Context) error{b.ingest, b.paperLinks, b.strictLinks, b.noop} {
				if err := f(cmd.Context()); err != nil {
					return err
				}
			}
			return nil
		},
	}
	c.Flags().IntVar(&pulls, "pulls", 50_000, "synthetic pulls")
	c.AddCommand(newMineCommand(e), newValidateCommand(e), newEvaluateCommand(e))
	return c
}

type textFigures struct {
	env    *env.Env
	dir    string
	bodies []string
}

func (b *textFigures) print(figure map[string]any) error { return printFigure(b.env, figure) }

func (b *textFigures) size() float64 {
	n := 0
	for _, s := range b.bodies {
		n += len(s)
	}
	return float64(n) / 1e6
}

// ingest stores pulls as crawl does: a page of 100 a transaction.
func (b *textFigures) ingest(ctx context.Context) error {
	db, err := store.Open(ctx, filepath.Join(b.dir, "ingest.duckdb"), store.Options{})
	if err != nil {
		return err
	}
	defer db.Close()
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	start := time.Now()
	for i := 0; i < len(b.bodies); i += 100 {
		var rows [][]any
		for j, body := range b.bodies[i:min(i+100, len(b.bodies))] {
			rows = append(rows, []any{int64(i % 60), i + j + 1, "closed", "title", body, "dev", "User", []string{"bug"}, false,
				at, at, at, at, "0123456789abcdef0123456789abcdef01234567", "main", "", "topic", "", "", "list", at})
		}
		if err := db.InTx(ctx, func(ctx context.Context, tx pipeline.Tx) error {
			return tx.Append(ctx, "pull_versions", rows)
		}); err != nil {
			return err
		}
	}
	seconds := time.Since(start).Seconds()
	return b.print(map[string]any{"figure": "pulls ingested", "pulls": len(b.bodies), "mb": b.size(),
		"seconds": seconds, "pulls_per_second": float64(len(b.bodies)) / seconds})
}

func (b *textFigures) paperLinks(ctx context.Context) error {
	ours, found := b.paperSpeed()
	return b.beside(ctx, "links by the paper's rule", ours, found)
}

func (b *textFigures) strictLinks(ctx context.Context) error {
	src := reference.Source{Owner: "acme", Name: "web", Author: "dev", AuthorType: "User", Location: reference.Body}
	found := 0
	ours, err := b.speed(func() error {
		found = 0
		for _, s := range b.bodies {
			found += len(reference.Extract(s, src))
		}
		return nil
	})
	if err != nil {
		return err
	}
	return b.beside(ctx, "links by the strict rule", ours, found)
}

// pythonRule is the paper's rule as a script would write it: the reader of a file
// of bodies, one JSON string a line, and the time of the matching alone, the best
// of a few.
const pythonRule = `import json, re, sys, time
rule = re.compile(r'(?:https://github\.com/)?([A-Za-z0-9_.-]+)/([A-Za-z0-9_.-]+)(?:/pull/|/issues/|#)(\d+)')
bodies = [json.loads(l) for l in open(sys.argv[1], encoding='utf-8')]
best = float('inf')
for _ in range(int(sys.argv[2])):
    start = time.perf_counter(); found = 0
    for b in bodies:
        found += len({(m[0].lower(), m[1].lower(), m[2]) for m in rule.findall(b)})
    best = min(best, time.perf_counter() - start)
print(json.dumps({'seconds': best, 'found': found}))
`

// beside runs the Python script on the same bodies and prints the ratio.
func (b *textFigures) beside(ctx context.Context, name string, ours float64, found int) error {
	figure := map[string]any{"figure": name, "mb": b.size(), "mb_per_second": ours, "found": found}
	python, err := b.python(ctx)
	switch {
	case errors.Is(err, exec.ErrNotFound):
		figure["beside"] = "python3 is not installed"
	case err != nil:
		return err
	default:
		figure["beside"] = "Python re, the paper's rule"
		figure["python_mb_per_second"] = b.size() / python.Seconds
		figure["python_found"] = python.Found
		figure["ratio"] = ours / (b.size() / python.Seconds)
	}
	return b.print(figure)
}

type pythonResult struct {
	Seconds float64 `json:"seconds"`
	Found   int     `json:"found"`
}

func (b *textFigures) python(ctx context.Context) (pythonResult, error) {
	var r pythonResult
	file := filepath.Join(b.dir, "bodies.jsonl")
	if _, err := os.Stat(file); err != nil {
		var lines bytes.Buffer
		enc := json.NewEncoder(&lines)
		for _, s := range b.bodies {
			if err := enc.Encode(s); err != nil {
				return r, err
			}
		}
		if err := os.WriteFile(file, lines.Bytes(), 0o644); err != nil {
			return r, err
		}
	}
	out, err := exec.CommandContext(ctx, "python3", "-c", pythonRule, file, strconv.Itoa(times)).Output()
	if err != nil {
		return r, fmt.Errorf("the Python script: %w", err)
	}
	return r, json.Unmarshal(out, &r)
}

// noop walks the demo once and times the second walk, which has nothing to do.
func (b *textFigures) noop(ctx context.Context) error {
	dir := filepath.Join(b.dir, "demo")
	quiet := &env.Env{In: b.env.In, Out: &bytes.Buffer{}, Err: &bytes.Buffer{}, Quiet: true, Dir: dir}
	defer quiet.Close()
	start := time.Now()
	if err := demo.Run(ctx, quiet, dir, "process"); err != nil {
		return err
	}
	first := time.Since(start)
	quiet.Close()
	start = time.Now()
	if err := walk.Run(ctx, quiet, walk.Flags{}, "rank", "export"); err != nil {
		return err
	}
	return b.print(map[string]any{"figure": "second run with nothing to do", "seconds": time.Since(start).Seconds(),
		"first_run_seconds": first.Seconds()})
}

// syntheticBodies makes the same bodies everywhere: a mix of lengths and forms
// with about one link in sixteen, code, templates and bots' changelogs.
func syntheticBodies(n int) []string {
	r := rand.New(rand.NewPCG(1, 2))
	words := strings.Fields(`the a this fix adds support for when we should not return error value of new option config default
		client server request response test case update path/to/file.go and/or v1.2.3 #12 see issue
		https://example.org/docs/page`)
	bodies := make([]string, n)
	for i := range bodies {
		var b strings.Builder
		if r.IntN(100) < 12 {
			continue // empty
		}
		if r.IntN(4) == 0 {
			b.WriteString("<!-- Thanks for the pull! Link the issue, for example acme/api#12 -->\n## What\n\n")
		}
		for range int(60 + r.ExpFloat64()*150) {
			b.WriteString(words[r.IntN(len(words))])
			b.WriteByte(" \n"[min(1, r.IntN(14)/13)])
		}
		switch r.IntN(48) {
		case 0:
			fmt.Fprintf(&b, "\n\nDepends on acme/api#%d", 1+r.IntN(9000))
		case 1:
			fmt.Fprintf(&b, "\n\nCompanion: https://github.com/acme/sdk-go/pull/%d", 1+r.IntN(9000))
		case 2:
			fmt.Fprintf(&b, "\n\n```\ngh pr view acme/api#%d\n```\n", 1+r.IntN(9000))
		case 3:
			fmt.Fprintf(&b, "\n<details><summary>Release notes</summary>\n\n- fix (acme/api#%d)\n</details>\n", 1+r.IntN(9000))
		}
		bodies[i] = b.String()
	}
	return bodies
}

// printFigure prints a figure as one line of JSON.
func printFigure(e *env.Env, figure map[string]any) error {
	return json.NewEncoder(e.Out).Encode(figure)
}
