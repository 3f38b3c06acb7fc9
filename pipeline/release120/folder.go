package release120

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/wideswe/wideswe/pipeline"
)

// Bounds of files, which are strangers'.
const (
	maxYAML  = 1 << 20
	maxPatch = 256 << 20
	maxCases = 10_000
)

// indexName is the file that lists the cases.
const indexName = "release120.tsv"

// indexColumns are the columns of the index.
const indexColumns = "release_order\tcase_id\tcategory\tecosystem\trepo_count\trepositories"

// Entry is a line of the index: the only place that tells bug fixes from features.
type Entry struct {
	Order        int
	Case         string
	Category     string // bugfix feature
	Ecosystem    string // the folder below cases
	Repositories []string
}

// Folder is the authors' tree.
type Folder struct {
	Index []Entry
	root  *os.Root
	dir   string
}

// Problem is something wrong with a file of theirs.
type Problem struct {
	Case  string // "" of the index
	File  string
	Field string // "" of the file as a whole
	What  string
}

func (p *Problem) Error() string {
	var parts []string
	for _, s := range []string{p.Case, p.File, p.Field, p.What} {
		if s != "" {
			parts = append(parts, s)
		}
	}
	return strings.Join(parts, ": ")
}

// Open opens the authors' tree and reads its index.
func Open(dir string) (*Folder, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, pipeline.Usage("%s can't be read (%v); give the folder that holds release120.tsv and cases", dir, err)
	}
	f := &Folder{root: root, dir: dir}
	if f.Index, err = f.readIndex(); err != nil {
		return nil, errors.Join(pipeline.Usage("%s: %v", dir, err), root.Close())
	}
	return f, nil
}

// Close lets go of the folder.
func (f *Folder) Close() error { return f.root.Close() }

func (f *Folder) readIndex() ([]Entry, error) {
	b, err := f.read(indexName, maxYAML)
	if err != nil {
		return nil, &Problem{File: indexName, What: err.Error() + "; give the folder that holds release120.tsv and cases"}
	}
	lines := strings.Split(strings.TrimSuffix(strings.ReplaceAll(string(b), "\r\n", "\n"), "\n"), "\n")
	if lines[0] != indexColumns {
		return nil, &Problem{File: indexName, Field: "line 1", What: "the columns are not " +
			strings.ReplaceAll(indexColumns, "\t", ", ")}
	}
	if len(lines) > maxCases {
		return nil, &Problem{File: indexName, What: fmt.Sprintf("more than %d cases", maxCases)}
	}
	var all []Entry
	seen := map[string]bool{}
	for i, line := range lines[1:] {
		e, err := parseEntry(line)
		if err == nil && seen[e.Case] {
			err = fmt.Errorf("case_id: %s is there twice", e.Case)
		}
		if err != nil {
			return nil, &Problem{File: indexName, Field: fmt.Sprintf("line %d", i+2), What: err.Error()}
		}
		seen[e.Case] = true
		all = append(all, e)
	}
	return all, nil
}

// parseEntry reads a line of the index.
func parseEntry(line string) (e Entry, err error) {
	cells := strings.Split(line, "\t")
	if n := strings.Count(indexColumns, "\t") + 1; len(cells) != n {
		return e, fmt.Errorf("%d columns, and there are %d", len(cells), n)
	}
	e = Entry{Case: cells[1], Category: cells[2], Ecosystem: cells[3], Repositories: strings.Split(cells[5], ", ")}
	if e.Order, err = strconv.Atoi(cells[0]); err != nil {
		return e, fmt.Errorf("release_order: %q is no number", cells[0])
	}
	switch {
	case !plainName(e.Case) || !plainName(e.Ecosystem):
		return e, fmt.Errorf("case_id or ecosystem: %q in %q is no plain name", e.Case, e.Ecosystem)
	case e.Category != "bugfix" && e.Category != "feature":
		return e, fmt.Errorf("category: %q; it is bugfix or feature", e.Category)
	case cells[4] != strconv.Itoa(len(e.Repositories)):
		return e, fmt.Errorf("repo_count: %s, and repositories names %d", cells[4], len(e.Repositories))
	}
	return e, nil
}

// plainName tells whether a name is one part of a path.
func plainName(s string) bool {
	return s != "" && s != "." && s != ".." && !strings.ContainsAny(s, "/\\\x00")
}

// read reads a regular file up to a bound.
func (f *Folder) read(name string, most int64) ([]byte, error) {
	if !fs.ValidPath(name) {
		return nil, errors.New("no path below the folder")
	}
	info, err := f.root.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errors.New("is missing")
	}
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("no regular file")
	}
	file, err := f.root.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	b, err := io.ReadAll(io.LimitReader(file, most+1))
	if err == nil && int64(len(b)) > most {
		err = fmt.Errorf("more than %d bytes", most)
	}
	return b, err
}

// caseFiles reads the files of one case.
type caseFiles struct {
	folder *Folder
	entry  Entry
}

// problem makes the error about a file of the case.
func (c caseFiles) problem(file, field, format string, args ...any) error {
	return &Problem{c.entry.Case, file, field, fmt.Sprintf(format, args...)}
}

// bytes reads a file of the case.
func (c caseFiles) bytes(name string, most int64) ([]byte, error) {
	b, err := c.folder.read(path.Join("cases", c.entry.Ecosystem, c.entry.Case, name), most)
	if err != nil {
		return nil, c.problem(name, "", "%v", err)
	}
	return b, nil
}

// yaml reads a file of YAML.
func (c caseFiles) yaml(name string, v any) error {
	b, err := c.bytes(name, maxYAML)
	if err != nil {
		return err
	}
	if err := decodeYAML(b, v); err != nil {
		return c.problem(name, "", "%v", err)
	}
	return nil
}

// json reads a file of JSON and gives its bytes.
func (c caseFiles) json(name string, v any) ([]byte, error) {
	b, err := c.bytes(name, maxPatch)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(b, v); err != nil {
		return nil, c.problem(name, "", "%v", err)
	}
	return b, nil
}

// patch reads a patch that a field names by its path below the case.
func (c caseFiles) patch(file, field, name string) ([]byte, error) {
	if !fs.ValidPath(name) || slices.Contains(strings.Split(name, "/"), "..") {
		return nil, c.problem(file, field, "%q is no path below the case", name)
	}
	b, err := c.bytes(name, maxPatch)
	if err != nil {
		return nil, c.problem(file, field, "%s %s", name, err.(*Problem).What)
	}
	return b, nil
}
