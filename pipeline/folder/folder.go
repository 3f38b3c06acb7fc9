// Package folder is a curator's folder: where its files are, and the reading and
// writing of those that hold people's decisions: reviews, grouping decisions,
// exclusions, recipes, prompts, the selection.
//
// Reading is strict: a wrong key or value is an error that names the file, the
// line and what to write instead. Writing is atomic and in a stable order, so that
// git shows what a person changed. What the decisions mean is the stages' matter,
// and wideswe.yaml itself is read by the command line.
package folder

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/wideswe/wideswe/pipeline"
)

// ConfigFile marks a folder as a curator's.
const ConfigFile = "wideswe.yaml"

// Folder is a curator's folder.
type Folder struct {
	// Dir is its absolute path.
	Dir string
}

// Find looks for the folder that holds start, upwards, as git does.
func Find(start string) (Folder, error) {
	dir, err := filepath.Abs(start)
	if err != nil {
		return Folder{}, fmt.Errorf("finding the folder: %w", err)
	}
	for at := dir; ; at = filepath.Dir(at) {
		info, err := os.Stat(filepath.Join(at, ConfigFile))
		if err == nil && info.Mode().IsRegular() {
			return Folder{at}, nil
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrPermission) {
			return Folder{}, fmt.Errorf("finding the folder: %w", err)
		}
		if filepath.Dir(at) == at {
			return Folder{}, pipeline.Usage("no %s in %s or a folder above it; make one with wideswe init DIR --ecosystem "+
				"NAME=ORG, or choose a folder with -C DIR", ConfigFile, dir)
		}
	}
}

// Init makes a folder at dir with this text as its wideswe.yaml. Files that are
// there already stay as they are; a folder that has a wideswe.yaml is refused.
func Init(dir string, config []byte) (Folder, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return Folder{}, fmt.Errorf("making the folder: %w", err)
	}
	if _, err := os.Lstat(filepath.Join(dir, ConfigFile)); err == nil {
		return Folder{}, pipeline.Usage("%s is a folder of wideswe already; edit its %s, or choose another folder", dir,
			ConfigFile)
	}
	f := Folder{dir}
	for _, sub := range []string{"reviews/decisions", "prompts", "recipes", ".wideswe"} {
		if err := os.MkdirAll(filepath.Join(dir, filepath.FromSlash(sub)), 0o755); err != nil {
			return Folder{}, fmt.Errorf("making the folder: %w", err)
		}
	}
	for _, file := range starters {
		if _, err := os.Lstat(f.path(file.name)); err == nil {
			continue
		}
		if err := f.write(file.name, []byte(file.text)); err != nil {
			return Folder{}, fmt.Errorf("making the folder: %w", err)
		}
	}
	// Last: the marker says that the rest is there.
	if err := f.write(ConfigFile, config); err != nil {
		return Folder{}, fmt.Errorf("making the folder: %w", err)
	}
	return f, nil
}

func (f Folder) path(slashed string) string { return filepath.Join(f.Dir, filepath.FromSlash(slashed)) }

// Config is the path of wideswe.yaml.
func (f Folder) Config() string { return f.path(ConfigFile) }

// State is the path of .wideswe, which holds everything that is derived or kept
// from the network and is no part of the folder's git.
func (f Folder) State() string { return f.path(".wideswe") }

// Database is the path of the DuckDB file.
func (f Folder) Database() string { return f.path(".wideswe/wideswe.duckdb") }

// Snapshot is the path of the database's copy for readers.
func (f Folder) Snapshot() string { return f.path(".wideswe/snapshot.duckdb") }

// Mirrors is the path of the bare git repositories.
func (f Folder) Mirrors() string { return f.path(".wideswe/mirrors") }

// Pages is the path of the raw pages of the crawl.
func (f Folder) Pages() string { return f.path(".wideswe/pages") }

// Logs is the path of build and test logs.
func (f Folder) Logs() string { return f.path(".wideswe/logs") }

// Temp is the path of scratch space on the folder's own disk.
func (f Folder) Temp() string { return f.path(".wideswe/tmp") }

// Release is the path that export writes to where nothing else is said.
func (f Folder) Release() string { return f.path("release") }

// starters are the files of a new folder; wideswe.yaml is the caller's.
var starters = []struct{ name, text string }{
	{".gitignore", "# The database, mirrors, raw pages and logs: derived, or too large for git.\n/.wideswe/\n/release/\n"},
	{".wideswe/.gitignore", "*\n"}, // also where a .gitignore was there before
	{"exclude.yaml", excludeHead + "exclude: []\n"},
	{"ecosystems.yaml", ecosystemsHead + "ecosystems: []\n"},
	{"selection.yaml", selectionHead},
	// git keeps no empty folder.
	{"reviews/decisions/.gitkeep", ""},
	{"prompts/.gitkeep", ""},
	{"recipes/.gitkeep", ""},
}

const excludeHead = `# What the benchmark must not use, each with the reason. One of pull, candidate,
# repository a line:
#   - pull: owner/name#12
#     reason: reverted two days later
`

const ecosystemsHead = `# Ecosystems beside those of wideswe.yaml. Of the organizations of a ranking, a verdict with its
# reason says which are one product, platform or technology; an entry without a verdict is kept.
#   - name: ipfs
#     organizations: [ipfs]
#     repositories: [other-owner/name]
#     verdict: keep
#     reason: one protocol and its implementations
#   - name: acme
#     organizations: [acme]
#     verdict: drop
#     reason: a company's unrelated tools
`

const selectionHead = `# Which tasks the release holds.

# Yours: tasks that are in, or not in, whatever balance thinks.
pins:
  include: []
  exclude: []

# Yours: named sets of tasks, for reports on a part of the release.
sets: {}

` + tasksHead + "tasks: []\n"

const tasksHead = "# Written by wideswe balance; changes here are lost. Use pins.\n"
