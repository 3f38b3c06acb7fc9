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
	env            *env.Env
	release, model string
	json           bool   // of check
	out            string // of convert
}

// NewPredictionsCommand returns wideswe predictions.
func NewPredictionsCommand(e *env.Env) *cobra.Command {
	c := &cobra.Command{
		Use: "predictions", Args: cobra.NoArgs,
		Short: "Check predictions before anything runs, or rewrite them as native lines",
		Long: `Predictions are read from
  a file of native lines       {"task_id": …, "model_name_or_path": …, "patches": {"owner/name": "diff --git …"}}
  a folder                     TASK/OWNER__NAME.patch; the model is --model, or the folder's name
  SWE-bench's rows             {"instance_id": …, "model_name_or_path": …, "model_patch": …}, one a line, as a list,
                               or as an object by instance id. A row is for one repository where it has a "repo"
                               or its id is TASK__OWNER__NAME; else its paths begin with owner/name/.
and each of the files may be compressed by gzip. A patch that is not UTF-8 stands in base64 in "patch_b64": in a native
line an object as "patches" is, in a row instead of "model_patch". Native lines may have "mode" (joint, independent),
"target", "attempt" and "run", rows the first three. A patch for a context repository is applied and not scored.
Whatever is unknown, doubled or in both forms at once is an error that names the line or the file.`,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	c.AddCommand(newPredictionsCheckCommand(e), newPredictionsConvertCommand(e))
	return c
}

func (o *predictionsOptions) addTo(c *cobra.Command) {
	c.Flags().StringVar(&o.release, "release", "", "the release's folder")
	c.Flags().StringVar(&o.model, "model", "", "the model whose predictions a folder holds (default: the folder's name)")
}

// load reads predictions as evaluate does.
func (o *predictionsOptions) load(name string) (*release.Release, []schema.Prediction, error) {
	rel, err := o.env.OpenRelease(o.release)
	if err != nil {
		return nil, nil, err
	}
	list, err := predictions.Load(rel, name, o.model)
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
		Use: "convert --release RELEASE FILE", Args: cobra.ExactArgs(1),
		Short:   "Write predictions of any shape as native lines, every byte of the patches kept",
		Example: "  wideswe predictions convert --release release preds.json --out mine.jsonl",
		RunE:    func(_ *cobra.Command, args []string) error { return o.convert(args[0]) },
	}
	o.addTo(c)
	c.Flags().StringVar(&o.out, "out", "", "the file to write (default: stdout); it must not exist")
	return c
}

func (o *predictionsOptions) convert(name string) error {
	_, list, err := o.load(name)
	if err != nil {
		return err
	}
	if o.out == "" {
		return predictions.Write(o.env.Out, list)
	}
	return writeNewFile(o.out, list)
}

// writeNewFile writes a file that does not exist yet, so that no predictions are lost.
func writeNewFile(name string, list []schema.Prediction) error {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return pipeline.Usage("%s can't be written: %v", name, err)
	}
	w := bufio.NewWriter(f)
	return errors.Join(predictions.Write(w, list), w.Flush(), f.Close())
}
