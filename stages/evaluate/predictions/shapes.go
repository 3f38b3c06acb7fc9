package predictions

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/schema"
)

// Shape is a form in which somebody's tools write predictions: entries, which are JSON
// objects in a file, or a folder.
type Shape struct {
	Name string // as predictions convert --to takes it
	Form string // what it looks like
	room room

	// Of entries: known tells the shape of one, wants are the names that it needs.
	wants []string
	known func(e entry) bool
	read  func(e entry) (row, error) // nil for native lines, which are whole predictions
	write func(w io.Writer, list []part) error

	// Of folders; dir is what messages call the root.
	knownFolder func(root *os.Root) bool
	readFolder  func(c *collector, root *os.Root, dir string) error
	writeFolder func(out folderWriter, list []schema.Prediction) error
}

// Folder tells whether predictions of the shape are a folder, and not a file.
func (s Shape) Folder() bool { return s.writeFolder != nil }

// Shapes returns every shape, in the order in which an entry or a folder is held
// against them.
func Shapes() []Shape {
	return []Shape{nativeShape(), multiSWEShape(), openHandsShape(), liveShape(), miniShape(), proShape(),
		polyBenchShape(), sweBenchShape(), rebenchShape(), authorsShape(), harborShape(), patchesShape()}
}

// ShapeNamed finds a shape by its name.
func ShapeNamed(name string) (Shape, error) {
	var names []string
	for _, s := range Shapes() {
		if s.Name == name {
			return s, nil
		}
		names = append(names, s.Name)
	}
	return Shape{}, pipeline.Usage("there is no shape %q%s; the shapes are %s", name, pipeline.DidYouMean(name, names),
		strings.Join(names, ", "))
}

// shapeOf finds the shape of an entry.
func shapeOf(e entry) (Shape, error) {
	if err := oneForm(e); err != nil {
		return Shape{}, err
	}
	for _, s := range Shapes() {
		if s.known != nil && s.known(e) {
			return s, nil
		}
	}
	return Shape{}, unknownShape(e)
}

// oneForm refuses an entry with names of a native line and of SWE-bench's rows.
func oneForm(e entry) error {
	row, native := "", ""
	for _, k := range e.names() {
		switch {
		case slices.Contains(rowOnly, k):
			row = k
		case slices.Contains(nativeOnly, k):
			native = k
		}
	}
	if row != "" && native != "" {
		return fmt.Errorf("both forms at once: %s is SWE-bench's, %s is of a native line", row, native)
	}
	return nil
}

// unknownShape names the shape that shares most names with an entry, and what the entry
// lacks of it.
func unknownShape(e entry) error {
	nearest, most, lacks := Shape{}, 0, []string(nil)
	for _, s := range Shapes() {
		var missing []string
		for _, k := range s.wants {
			if !e.has(k) && (k != "instance_id" || e.id == "") {
				missing = append(missing, k)
			}
		}
		if n := len(s.wants) - len(missing); n > most {
			nearest, most, lacks = s, n, missing
		}
	}
	if most == 0 {
		return errors.New("no prediction of any known shape; wideswe predictions --help shows them")
	}
	hint := ""
	if slices.Contains(lacks, "model_patch") {
		hint = ` (a prediction that changes nothing has "model_patch": "")`
	}
	return fmt.Errorf("no %s: the nearest shape is %s, which is %s%s", strings.Join(lacks, " and no "), nearest.Name,
		nearest.Form, hint)
}

// isEntryName tells whether an entry of some shape begins with a name, so that the file
// is no object of entries by their ids.
func isEntryName(name string) bool {
	for _, s := range Shapes() {
		if slices.Contains(s.wants, name) {
			return true
		}
	}
	return slices.Contains(nativeKeys, name) || slices.Contains(rowKeys, name) || slices.Contains(openHandsKeys, name)
}

// notInstance refuses an instance of a data set, whose patch is gold's.
func notInstance(e entry) error {
	if e.has("test_patch") {
		return errors.New("an instance of a data set, and no prediction: it has test_patch, so that its patch is gold's; " +
			"give an agent's patches, or --predictions gold")
	}
	return nil
}
