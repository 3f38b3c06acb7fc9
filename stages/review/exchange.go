package review

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/schema"
)

// Given is a verdict as it is carried between people: a JSON line or a CSV row.
type Given struct {
	Candidate  string    `json:"candidate,omitempty"`
	Pulls      []string  `json:"pulls,omitempty"` // judged; in CSV separated by blanks
	Reviewer   string    `json:"reviewer"`
	Verdict    string    `json:"verdict"`
	Kind       string    `json:"kind,omitempty"`
	Pattern    string    `json:"pattern,omitempty"`
	Reason     string    `json:"reason,omitempty"`
	Note       string    `json:"note,omitempty"`
	ReviewedAt time.Time `json:"reviewed_at,omitzero"`
}

var columns = []string{"candidate", "pulls", "reviewer", "verdict", "kind", "pattern", "reason", "note", "reviewed_at"}

// Bounds of an import.
const (
	maxImport = 64 << 20
	maxLine   = 1 << 20
)

// ImportOptions are the words of review import.
type ImportOptions struct {
	CSV      bool
	Reviewer string // for lines that name none
	DryRun   bool   // check, write nothing
}

// ImportResult counts what an import did.
type ImportResult struct {
	Written   int      `json:"written"`
	Unchanged int      `json:"unchanged"` // the folder says the same
	Older     []string `json:"older"`     // files that hold a later verdict of the same reviewer; kept
}

// Import takes verdicts from JSON lines or CSV. A line names the candidate, the
// pulls judged, or both. Every line is checked before the first file is written.
func (d Desk) Import(ctx context.Context, r io.Reader, o ImportOptions) (ImportResult, error) {
	res := ImportResult{Older: []string{}}
	text, err := io.ReadAll(io.LimitReader(r, maxImport+1))
	if err != nil {
		return res, fmt.Errorf("reading verdicts: %w", err)
	}
	if len(text) > maxImport {
		return res, pipeline.Usage("the verdicts are over %d MiB; import them in parts", maxImport>>20)
	}
	parse := parseLines
	if o.CSV {
		parse = parseCSV
	}
	given, err := parse(text)
	if err != nil {
		return res, err
	}
	st, err := load(ctx, d.DB, d.Folder)
	if err != nil {
		return res, err
	}
	reviews, err := d.place(st, given, o)
	if err != nil {
		return res, err
	}
	return d.store(st, reviews, o, res)
}

type numbered struct {
	Given
	line int
}

func parseLines(text []byte) ([]numbered, error) {
	var out []numbered
	sc := bufio.NewScanner(bytes.NewReader(text))
	sc.Buffer(nil, maxLine)
	for n := 1; sc.Scan(); n++ {
		if len(bytes.TrimSpace(sc.Bytes())) == 0 {
			continue
		}
		g := numbered{line: n}
		dec := json.NewDecoder(bytes.NewReader(sc.Bytes()))
		dec.DisallowUnknownFields()
		err := dec.Decode(&g.Given)
		if err == nil && dec.More() {
			err = errors.New("more than one value on the line")
		}
		if err != nil {
			return nil, pipeline.Usage("line %d: %v; a line has %s", n, err, strings.Join(columns, ", "))
		}
		out = append(out, g)
	}
	if err := sc.Err(); err != nil {
		return nil, pipeline.Usage("line %d: %v", len(out)+1, err)
	}
	return out, nil
}

func parseCSV(text []byte) ([]numbered, error) {
	r := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(text, []byte("\uFEFF"))))
	head, err := r.Read()
	if errors.Is(err, io.EOF) {
		return nil, nil
	}
	if err != nil {
		return nil, pipeline.Usage("reading CSV: %v", err)
	}
	for _, h := range head {
		if !slices.Contains(columns, h) {
			return nil, pipeline.Usage("line 1: unknown column %q; the columns are %s", h, strings.Join(columns, ", "))
		}
	}
	var out []numbered
	for {
		row, err := r.Read()
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, pipeline.Usage("reading CSV: %v", err)
		}
		line, _ := r.FieldPos(0)
		g, err := fromCSV(head, row)
		if err != nil {
			return nil, pipeline.Usage("line %d: %v", line, err)
		}
		out = append(out, numbered{g, line})
	}
}

func fromCSV(head, row []string) (g Given, err error) {
	for i, h := range head {
		switch v := row[i]; h {
		case "candidate":
			g.Candidate = v
		case "pulls":
			g.Pulls = strings.Fields(v)
		case "reviewer":
			g.Reviewer = v
		case "verdict":
			g.Verdict = v
		case "kind":
			g.Kind = v
		case "pattern":
			g.Pattern = v
		case "reason":
			g.Reason = v
		case "note":
			g.Note = v
		case "reviewed_at":
			if v != "" {
				if g.ReviewedAt, err = time.Parse(time.RFC3339, v); err != nil {
					return g, fmt.Errorf("reviewed_at is %q; write it as 2025-12-31T12:00:00Z", v)
				}
			}
		}
	}
	return g, nil
}

// place finds the candidate of each line and checks the whole of it.
func (d Desk) place(st *state, given []numbered, o ImportOptions) ([]schema.Review, error) {
	var out []schema.Review
	lines := map[string]int{}
	now := d.now()
	for _, g := range given {
		r := schema.Review{Reviewer: cmp.Or(g.Reviewer, o.Reviewer), Verdict: g.Verdict, Kind: g.Kind, Pattern: g.Pattern,
			Reason: g.Reason, Note: g.Note, Pulls: g.Pulls, ReviewedAt: g.ReviewedAt}
		if r.ReviewedAt.IsZero() {
			r.ReviewedAt = now
		}
		id, pulls, err := st.place(g.Given)
		if err != nil {
			return nil, pipeline.Usage("line %d: %v", g.line, err)
		}
		r.ReviewedAs, r.Pulls = id, pulls
		if r, err = d.Folder.CheckReview(r); err != nil {
			return nil, pipeline.Usage("line %d: %v", g.line, err)
		}
		if before := lines[r.File]; before > 0 {
			return nil, pipeline.Usage("line %d: %s judges %s on line %d already", g.line, r.Reviewer, id, before)
		}
		lines[r.File] = g.line
		out = append(out, r)
	}
	return out, nil
}

func (st *state) place(g Given) (id string, pulls []string, err error) {
	if g.Candidate != "" {
		j, err := st.find(g.Candidate)
		switch {
		case err == nil && len(g.Pulls) == 0:
			return j.ID, j.Pulls, nil
		case err == nil:
			return j.ID, g.Pulls, nil
		case len(g.Pulls) == 0:
			return "", nil, fmt.Errorf("%w; or name the pulls judged", err)
		}
		return g.Candidate, g.Pulls, nil // an id of once: the pulls say what it was
	}
	if len(g.Pulls) == 0 {
		return "", nil, errors.New("names neither a candidate nor pulls")
	}
	keys := st.keys(g.Pulls)
	found := st.answering("", keys)
	if len(found) == 0 {
		return "", nil, fmt.Errorf("no candidate holds any of %s", strings.Join(g.Pulls, ", "))
	}
	shared := func(j *judged) (n int) {
		for key := range j.keys() {
			if keys[key] {
				n++
			}
		}
		return n
	}
	slices.SortStableFunc(found, func(a, b *judged) int { return shared(b) - shared(a) })
	return found[0].ID, g.Pulls, nil
}

func (d Desk) store(st *state, reviews []schema.Review, o ImportOptions, res ImportResult) (ImportResult, error) {
	present := map[string]schema.Review{}
	for _, j := range append(st.candidates, st.orphans...) {
		for _, r := range j.Reviews {
			present[r.File] = r
		}
	}
	for _, r := range reviews {
		switch old, ok := present[r.File]; {
		case ok && same(old, r):
			res.Unchanged++
			continue
		case ok && old.ReviewedAt.After(r.ReviewedAt):
			res.Older = append(res.Older, r.File)
			continue
		}
		if !o.DryRun {
			if _, err := d.Folder.WriteReview(r); err != nil {
				return res, err
			}
		}
		res.Written++
	}
	return res, nil
}

func same(a, b schema.Review) bool {
	return a.Verdict == b.Verdict && a.Kind == b.Kind && a.Pattern == b.Pattern && a.Reason == b.Reason &&
		a.Note == b.Note && slices.Equal(a.Pulls, b.Pulls)
}

// Export writes every review of the folder in the form that Import reads, and
// says how many.
func (d Desk) Export(w io.Writer, asCSV bool) (int, error) {
	reviews, err := d.Folder.Reviews()
	if err != nil {
		return 0, err
	}
	if asCSV {
		return len(reviews), exportCSV(w, reviews)
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	for _, r := range reviews {
		if err := enc.Encode(Given{r.ReviewedAs, r.Pulls, r.Reviewer, r.Verdict, r.Kind, r.Pattern, r.Reason, r.Note,
			r.ReviewedAt}); err != nil {
			return 0, err
		}
	}
	return len(reviews), nil
}

func exportCSV(w io.Writer, reviews []schema.Review) error {
	c := csv.NewWriter(w)
	rows := [][]string{columns}
	for _, r := range reviews {
		rows = append(rows, []string{r.ReviewedAs, strings.Join(r.Pulls, " "), r.Reviewer, r.Verdict, r.Kind, r.Pattern,
			r.Reason, r.Note, r.ReviewedAt.Format(time.RFC3339)})
	}
	return c.WriteAll(rows)
}
