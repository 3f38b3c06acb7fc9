package evaluate

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/wideswe/wideswe/cmd/wideswe/internal/env"
	"github.com/wideswe/wideswe/cmd/wideswe/internal/render"
	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/release"
	"github.com/wideswe/wideswe/schema"
	"github.com/wideswe/wideswe/stages/evaluate/predictions"
)

// predictionsOptions holds the flags of predictions check and predictions convert.
type predictionsOptions struct {
	env     *env.Env
	release string
	options predictions.Options
	json    bool   // of check
	out, to string // of convert
}

// NewPredictionsCommand returns wideswe predictions.
func NewPredictionsCommand(e *env.Env) *cobra.Command {
	c := &cobra.Command{
		Use: "predictions", Args: cobra.NoArgs,
		Short: "Check predictions before anything runs, or write them in another shape",
		Long:  predictionsLong(),
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	c.AddCommand(newPredictionsCheckCommand(e), newPredictionsConvertCommand(e))
	return c
}

// predictionsLong explains every shape that predictions are read in.
func predictionsLong() string {
	var b strings.Builder
	b.WriteString("The shape of predictions is recognised by what they hold. These are known:\n")
	for _, s := range predictions.Shapes() {
		fmt.Fprintf(&b, "  %-16s %s\n", s.Name, s.Form)
	}
	b.WriteString(`Entries may stand one a line, in a list or in an object by instance id, whatever the shape, and files may be compressed
by gzip. An instance id is a task's, TASK__OWNER__NAME for one repository of it, or names a pull of a target: owner__name-12
or owner/name:pr-12. An entry is for one repository where its id, its pull or its "repo" names one, and the entries of a task
are put together; else the paths of its diff begin with owner/name/. A patch for a context repository is applied and not
scored.

In folders of Harbor and of the authors, the trials of one agent on one task are attempts, in the order of their names. A trial
that an error of Harbor's ended before its patches were collected is no prediction. OpenHands leaves out pyproject.toml, tox.ini and
setup.py, the authors' program whatever lies in a folder vendor: such changes were lost before we read the file.

A patch that is not UTF-8 stands in base64 in "patch_b64": in a native line an object as "patches" is, in SWE-bench's rows
instead of "model_patch". Native lines may have "mode" (joint, independent), "target", "attempt" and "run", SWE-bench's rows the
first three. Whatever is unknown, doubled or in two forms at once is an error that names the line or the file.`)
	return b.String()
}

func (o *predictionsOptions) addTo(c *cobra.Command) {
	c.Flags().StringVar(&o.release, "release", "", "the release's folder")
	addPredictionOptions(c, &o.options)
}

// addPredictionOptions adds the flags that say what predictions don't say themselves.
func addPredictionOptions(c *cobra.Command, o *predictions.Options) {
	c.Flags().StringVar(&o.Model, "model", "", "the model of predictions that name none (default: of a folder, its name)")
	c.Flags().StringVar(&o.Mode, "mode", "", "the mode of predictions that name none: joint, or independent (default "+
		"joint)")
}

// load reads predictions as evaluate does.
func (o *predictionsOptions) load(name string) (*release.Release, []schema.Prediction, error) {
	rel, err := o.env.OpenRelease(o.release)
	if err != nil {
		return nil, nil, err
	}
	list, err := predictions.Load(rel, name, o.options)
	return rel, list, err
}

func newPredictionsCheckCommand(e *env.Env) *cobra.Command {
	o := &predictionsOptions{env: e}
	c := &cobra.Command{
		Use: "check --release RELEASE FILE", Args: cobra.ExactArgs(1),
		Short:   "Read predictions as evaluate would, and say what each run holds and lacks",
		Example: "  wideswe predictions check --release release mine.jsonl",
		RunE:    func(_ *cobra.Command, args []string) error { return o.check(args[0]) },
	}
	o.addTo(c)
	c.Flags().BoolVar(&o.json, "json", false, "as JSON")
	return c
}

func (o *predictionsOptions) check(name string) error {
	rel, list, err := o.load(name)
	if err != nil {
		return err
	}
	runs := predictions.Overview(rel, list)
	if o.json {
		return render.Indented(o.env.Out, runs)
	}
	return printOverview(o.env.Out, runs, len(rel.Tasks))
}

func printOverview(w io.Writer, runs []predictions.RunOverview, tasks int) error {
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	fmt.Fprintln(t, "run\ttasks\tempty\tpartly\tmissing\ttargets changed\tcontext changed\tbytes")
	for _, r := range runs {
		fmt.Fprintf(t, "%s\t%d of %d\t%d\t%d\t%d\t%d\t%d\t%d\n", r.Run, r.Tasks, tasks,
			len(r.Empty), len(r.Partly), len(r.Missing), r.Targets, r.Context, r.Bytes)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, r := range runs {
		printIDs(w, r.Run, "missing", r.Missing)
		printIDs(w, r.Run, "partly", r.Partly)
		printIDs(w, r.Run, "empty", r.Empty)
	}
	return nil
}

// printIDs prints the first tasks of a sort, where there are any.
func printIDs(w io.Writer, run, sort string, ids []string) {
	const shown = 10
	if len(ids) == 0 {
		return
	}
	more := ""
	if n := len(ids) - shown; n > 0 {
		more = fmt.Sprintf(" and %d more", n)
	}
	fmt.Fprintf(w, "%s, %s: %s%s\n", run, sort, strings.Join(ids[:min(len(ids), shown)], ", "), more)
}

func newPredictionsConvertCommand(e *env.Env) *cobra.Command {
	o := &predictionsOptions{env: e}
	c := &cobra.Command{
		Use: "convert --release RELEASE FILE [--to SHAPE]", Args: cobra.ExactArgs(1),
		Short: "Write predictions of any shape in another, every byte of the patches kept",
		Long: `Write predictions of any shape as native lines, or in the shape that --to names. What that shape has no room for and
would change a verdict (a second attempt, a second model, bytes that are not UTF-8) is an error. How the patches were made,
"run", is lost everywhere but in native lines.`,
		Example: `  wideswe predictions convert --release release preds.json --out mine.jsonl
  wideswe predictions convert --release release mine.jsonl --to multi-swe-bench --out patches.jsonl
  wideswe predictions convert --release release mine.jsonl --to harbor --out trials`,
		RunE: func(_ *cobra.Command, args []string) error { return o.convert(args[0]) },
	}
	o.addTo(c)
	c.Flags().StringVar(&o.to, "to", "native", "the shape to write: "+strings.Join(shapeNames(), ", "))
	c.Flags().StringVar(&o.out, "out", "", "the file or folder to write (default: stdout); it must not exist")
	return c
}

// shapeNames names the shapes of predictions.
func shapeNames() (names []string) {
	for _, s := range predictions.Shapes() {
		names = append(names, s.Name)
	}
	return names
}

func (o *predictionsOptions) convert(name string) error {
	shape, err := predictions.ShapeNamed(o.to)
	if err != nil {
		return err
	}
	if shape.Folder() && o.out == "" {
		return pipeline.Usage("--out is missing; %s is a folder", shape.Name)
	}
	rel, list, err := o.load(name)
	switch {
	case err != nil:
		return err
	case shape.Folder():
		return predictions.ConvertFolder(o.out, rel, list, shape)
	case o.out == "":
		return predictions.Convert(o.env.Out, rel, list, shape)
	}
	return writeNewFile(o.out, func(w io.Writer) error { return predictions.Convert(w, rel, list, shape) })
}

// writeNewFile writes a file that does not exist yet, so that no predictions are lost.
func writeNewFile(name string, write func(io.Writer) error) error {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return pipeline.Usage("%s can't be written: %v", name, err)
	}
	w := bufio.NewWriter(f)
	err = errors.Join(write(w), w.Flush(), f.Close())
	if err != nil {
		return errors.Join(err, os.Remove(name)) // half a file would stand in the way of the next call
	}
	return nil
}
