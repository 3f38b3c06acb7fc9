package report

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/wideswe/wideswe/cmd/wideswe/internal/env"
	"github.com/wideswe/wideswe/cmd/wideswe/internal/flags"
	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/stages/report"
)

// annotateOptions holds the flags of report annotate.
type annotateOptions struct {
	env            *env.Env
	stage          report.Stage
	dir, annotator string
}

func newAnnotateCommand(e *env.Env) *cobra.Command {
	o := &annotateOptions{env: e}
	c := &cobra.Command{
		Use:   "annotate --release RELEASE --evaluation OUT [--label NAME] [--runs DIR] --annotations DIR --annotator NAME",
		Args:  cobra.NoArgs,
		Short: "Write the sheets in which people say why unresolved runs failed",
		Long: `Write one sheet a run that joint predictions left unresolved, with the evidence beside it:
DIR/CONFIGURATION/TASK/evidence.md and DIR/CONFIGURATION/TASK/NAME.yaml. A rule proposes (are there
substantive code changes in every target?); two annotators fill in their sheets, each without the
other's; where they differ they write decision.yaml of the same shape together. What is written
stays when the command is called again. report --annotations DIR counts the sheets and says how
far the annotators agree (Cohen's kappa).`,
		Example: `  wideswe report annotate --release release --evaluation out --annotations annotations --annotator ann`,
		RunE:    func(*cobra.Command, []string) error { return o.run() },
	}
	f := c.Flags()
	addEvaluations(f, &o.stage)
	runs := func(e *report.Source) *string { return &e.Runs }
	f.Var(detailFlag{&o.stage.Evaluations, "runs", runs}, "runs",
		"where agent run wrote the predictions of the evaluation "+
			"before it: the evidence names what it kept there")
	f.StringVar(&o.dir, "annotations", "", "the folder of the sheets")
	f.StringVar(&o.annotator, "annotator", "", "whose sheets to write")
	return c
}

func (o *annotateOptions) run() error {
	if o.stage.Release == "" || len(o.stage.Evaluations) == 0 || o.dir == "" || o.annotator == "" {
		return pipeline.Usage("--release, --evaluation, --annotations and --annotator are needed; " +
			"wideswe report annotate --help shows an example")
	}
	if err := flags.Outside(o.stage.Release, o.dir); err != nil {
		return err
	}
	sheets, blank, err := o.stage.Annotate(o.dir, o.annotator)
	if err != nil {
		return err
	}
	fmt.Fprintf(o.env.Out, "%s: %d sheets of %s, %d to be filled in\n", o.dir, sheets, o.annotator, blank)
	return nil
}
