package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/release"
	"github.com/wideswe/wideswe/schema"
	"github.com/wideswe/wideswe/stages/evaluate/predictions"
)

// predictionsWords is where to read predictions from.
type predictionsWords struct{ release, model string }

func (a *app) predictionsCommand() *cobra.Command {
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
	c.AddCommand(a.predictionsCheck(), a.predictionsConvert())
	return c
}

func (w *predictionsWords) flags(c *cobra.Command) {
	c.Flags().StringVar(&w.release, "release", "", "the release's folder")
	c.Flags().StringVar(&w.model, "model", "", "the model whose predictions a folder holds (default: the folder's name)")
}

// predictions reads them as evaluate does.
func (a *app) predictions(w predictionsWords, name string) (*release.Release, []schema.Prediction, error) {
	rel, err := a.openRelease(w.release)
	if err != nil {
		return nil, nil, err
	}
	list, err := predictions.Load(rel, name, w.model)
	return rel, list, err
}

func (a *app) predictionsCheck() *cobra.Command {
	var w predictionsWords
	var asJSON bool
	c := &cobra.Command{
		Use: "check --release RELEASE FILE", Args: cobra.ExactArgs(1),
		Short:   "Read predictions as evaluate would, and say what each run holds and lacks",
		Example: "  wideswe predictions check --release release mine.jsonl",
		RunE: func(_ *cobra.Command, args []string) error {
			rel, list, err := a.predictions(w, args[0])
			if err != nil {
				return err
			}
			runs := predictions.Overview(rel, list)
			if asJSON {
				return writeIndented(a.out, runs)
			}
			return a.printOverview(runs, len(rel.Tasks))
		},
	}
	w.flags(c)
	c.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	return c
}

func (a *app) printOverview(runs []predictions.RunOverview, tasks int) error {
	t := tabwriter.NewWriter(a.out, 0, 8, 2, ' ', 0)
	fmt.Fprintln(t, "run\ttasks\tempty\tpartly\tmissing\ttargets changed\tcontext changed\tbytes")
	for _, r := range runs {
		fmt.Fprintf(t, "%s\t%d of %d\t%d\t%d\t%d\t%d\t%d\t%d\n", r.Run, r.Tasks, tasks, len(r.Empty), len(r.Partly), len(r.Missing), r.Targets, r.Context, r.Bytes)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, r := range runs {
		for _, x := range []struct {
			what string
			ids  []string
		}{{"missing", r.Missing}, {"partly", r.Partly}, {"empty", r.Empty}} {
			if n := len(x.ids); n > 0 {
				fmt.Fprintf(a.out, "%s, %s: %s%s\n", r.Run, x.what, strings.Join(x.ids[:min(n, 10)], ", "), more(n-10))
			}
		}
	}
	return nil
}

// more says how many a list leaves out.
func more(n int) string {
	if n <= 0 {
		return ""
	}
	return fmt.Sprintf(" and %d more", n)
}

func (a *app) predictionsConvert() *cobra.Command {
	var w predictionsWords
	var out string
	c := &cobra.Command{
		Use: "convert --release RELEASE FILE", Args: cobra.ExactArgs(1),
		Short:   "Write predictions of any shape as native lines, every byte of the patches kept",
		Example: "  wideswe predictions convert --release release preds.json --out mine.jsonl",
		RunE: func(_ *cobra.Command, args []string) error {
			_, list, err := a.predictions(w, args[0])
			if err != nil {
				return err
			}
			if out == "" {
				return predictions.Write(a.out, list)
			}
			return writeNew(out, list)
		},
	}
	w.flags(c)
	c.Flags().StringVar(&out, "out", "", "the file to write (default: stdout); it must not exist")
	return c
}

// writeNew writes a file that does not exist yet, so that no predictions are lost.
func writeNew(name string, list []schema.Prediction) error {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return pipeline.Usage("%s can't be written: %v", name, err)
	}
	w := bufio.NewWriter(f)
	return errors.Join(predictions.Write(w, list), w.Flush(), f.Close())
}
