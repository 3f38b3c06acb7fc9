package report

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/wideswe/wideswe/cmd/wideswe/internal/env"
	"github.com/wideswe/wideswe/cmd/wideswe/internal/flags"
	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/stages/evaluate/peerreport"
	"github.com/wideswe/wideswe/stages/evaluate/results"
)

// convertOptions holds the flags of report convert.
type convertOptions struct {
	env                          *env.Env
	release, evaluation, to, out string
}

func newConvertCommand(e *env.Env) *cobra.Command {
	o := &convertOptions{env: e}
	c := &cobra.Command{
		Use: "convert --release RELEASE --evaluation OUT --to FORMAT --out DIR", Args: cobra.NoArgs,
		Short: "Write an evaluation's report as another benchmark's harness writes its own",
		Long:  convertLong(),
		Example: `  wideswe report convert --release release --evaluation out --to swe-bench --out swe-bench
  wideswe report convert --release release --evaluation out --to harbor --out jobs`,
		RunE: func(*cobra.Command, []string) error { return o.run() },
	}
	f := c.Flags()
	f.StringVar(&o.release, "release", "", "the release's folder")
	f.StringVar(&o.evaluation, "evaluation", "", "a folder that evaluate wrote")
	f.StringVar(&o.to, "to", "", strings.Join(formatNames(), ", "))
	f.StringVar(&o.out, "out", "", "the folder to write; it must not exist")
	return c
}

// convertLong explains every format.
func convertLong() string {
	var b strings.Builder
	b.WriteString(`Write the report of an evaluation in another harness's format, each run by itself. The verdicts are those as submitted:
no other harness has a second run. The strict count stands beside them. The formats:

`)
	for _, f := range peerreport.Formats() {
		fmt.Fprintf(&b, "  %-16s %s\n", f.Name, f.Form)
	}
	b.WriteString(`
A patch that does not apply, or does not end in time, is an error there, as are infra and rejected; inconsistent is
unresolved, missing is incomplete.`)
	return b.String()
}

// formatNames names the formats.
func formatNames() (names []string) {
	for _, f := range peerreport.Formats() {
		names = append(names, f.Name)
	}
	return names
}

func (o *convertOptions) run() error {
	if o.release == "" || o.evaluation == "" || o.to == "" || o.out == "" {
		return pipeline.Usage("--release, --evaluation, --to and --out are needed; " +
			"wideswe report convert --help shows an example")
	}
	format, err := peerreport.FormatNamed(o.to)
	if err != nil {
		return err
	}
	if err := flags.Outside(o.release, o.out); err != nil {
		return err
	}
	rel, err := o.env.OpenRelease(o.release)
	if err != nil {
		return err
	}
	rep, err := results.ReadReport(o.evaluation)
	if err != nil {
		return err
	}
	info, err := os.Stat(filepath.Join(o.evaluation, results.ReportName))
	if err != nil {
		return err
	}
	if err := peerreport.Write(o.out, format, rel, rep, info.ModTime().UTC()); err != nil {
		return err
	}
	fmt.Fprintln(o.env.Out, o.out)
	return nil
}
