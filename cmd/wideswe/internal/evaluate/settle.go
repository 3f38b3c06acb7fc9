package evaluate

import (
	"fmt"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/wideswe/wideswe/cmd/wideswe/internal/env"
	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/settled"
	"github.com/wideswe/wideswe/stages/evaluate/settle"
)

// newSettleCommand returns wideswe evaluate settle.
func newSettleCommand(e *env.Env) *cobra.Command {
	var out string
	var d settle.Decision
	var unresolved bool
	c := &cobra.Command{
		Use: "settle TASK TARGET (--resolved | --unresolved) --reason TEXT --by NAME --out OUT", Args: cobra.ExactArgs(2),
		Short: "Record a person's decision on a disputed or unbuilt verdict",
		Long: `Record a person's decision on a verdict that is disputed or unbuilt: the patch resolves the target
as submitted, and not in the second run. report.html shows the part of the patch that the second
run replaces. The decision is written to OUT/settled.yaml, which wideswe report shows and counts
apart: the strict count stays as it is. A decision holds for the patches that it was made on.`,
		Example: `  wideswe evaluate settle t1 owner/name --resolved --reason "only a test helper moved" --by ann --out out`,
		RunE: func(_ *cobra.Command, args []string) error {
			if d.Resolved == unresolved {
				return pipeline.Usage("give one of --resolved and --unresolved")
			}
			if out == "" {
				return pipeline.Usage("--out is missing; give the folder that evaluate wrote")
			}
			d.Task, d.Target = args[0], args[1]
			s, err := settle.Record(out, d, time.Now())
			if err != nil {
				return err
			}
			state := map[bool]string{true: "resolved", false: "unresolved"}[s.Resolved]
			_, err = fmt.Fprintf(e.Out, "%s: %s of %s (%s) is settled as %s by %s\n", filepath.Join(out, settled.FileName),
				s.Target, s.Task, s.Verdict, state, s.By)
			return err
		},
	}
	f := c.Flags()
	f.StringVar(&out, "out", "", "the evaluation's folder")
	f.StringVar(&d.Run, "run", "", "the run, where the evaluation has several: its name, or the beginning of it")
	f.BoolVar(&d.Resolved, "resolved", false, "the patch resolves the target")
	f.BoolVar(&unresolved, "unresolved", false, "it does not")
	f.StringVar(&d.Reason, "reason", "", "why")
	f.StringVar(&d.By, "by", "", "who decides")
	return c
}
