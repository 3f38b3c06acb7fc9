// Package imports is the commands that read other people's benchmarks: wideswe import check.
// pipeline/release120 reads; this package reads flags and prints.
package imports

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/wideswe/wideswe/cmd/wideswe/internal/env"
	"github.com/wideswe/wideswe/cmd/wideswe/internal/exit"
	"github.com/wideswe/wideswe/cmd/wideswe/internal/render"
	"github.com/wideswe/wideswe/pipeline/release120"
)

// NewCommand returns wideswe import.
func NewCommand(e *env.Env) *cobra.Command {
	c := &cobra.Command{
		Use: "import", Args: cobra.NoArgs,
		Short: "Read the benchmark that the paper's authors released",
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	c.AddCommand(newCheckCommand(e))
	return c
}

// checkOptions holds the flags of import check.
type checkOptions struct {
	env  *env.Env
	json bool
}

func newCheckCommand(e *env.Env) *cobra.Command {
	o := &checkOptions{env: e}
	c := &cobra.Command{
		Use: "check FOLDER", Args: cobra.ExactArgs(1),
		Short: "Read the authors' release, and name the case, file and field of whatever is wrong",
		Long: `Read the authors' tree, which holds release120.tsv and cases: of each case task.yaml, repos.yaml, harness.yaml, prompt,
gold, hidden tests, profiles and the lists of tests. A case that contradicts itself is wrong; a checksum that differs, or a
context repository without a commit, is a warning.`,
		Example: `  wideswe import check WideSWE
  wideswe import check WideSWE --json`,
		RunE: func(_ *cobra.Command, args []string) error { return o.run(args[0]) },
	}
	c.Flags().BoolVar(&o.json, "json", false, "as JSON, with every case")
	return c
}

// checked counts a folder of the authors'.
type checked struct {
	Cases    int           `json:"cases"`
	Targets  int           `json:"targets"`
	Bugfixes int           `json:"bugfixes"`
	Features int           `json:"features"`
	F2P      int           `json:"f2p"`
	P2P      int           `json:"p2p"`
	Wrong    int           `json:"wrong"`
	Warnings int           `json:"warnings"`
	List     []checkedCase `json:"list"`
}

// checkedCase is one case of a folder.
type checkedCase struct {
	Case     string   `json:"case"`
	Wrong    string   `json:"wrong,omitempty"` // case, file, field and what
	Warnings []string `json:"warnings,omitempty"`
	Targets  []string `json:"targets"`
}

func (o *checkOptions) run(dir string) error {
	f, err := release120.Open(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	var all checked
	for _, e := range f.Index {
		all.add(f.Case(e))
	}
	if o.json {
		err = render.Indented(o.env.Out, all)
	} else {
		err = all.print(o.env.Out)
	}
	if err == nil && all.Wrong > 0 {
		return exit.Failure("%d of %d cases are wrong, and would be left out", all.Wrong, all.Cases)
	}
	return err
}

// add counts a case; err is what is wrong with it.
func (r *checked) add(c release120.Case, err error) {
	x := checkedCase{Case: c.Entry.Case, Targets: []string{}}
	for _, w := range c.Warnings {
		x.Warnings = append(x.Warnings, w.Error())
	}
	for _, t := range c.Targets {
		x.Targets = append(x.Targets, t.Repository)
		r.F2P, r.P2P = r.F2P+len(t.F2P), r.P2P+len(t.P2P)
	}
	if err != nil {
		x.Wrong = err.Error()
		r.Wrong++
	}
	if c.Category == "feature" {
		r.Features++
	} else {
		r.Bugfixes++
	}
	r.Cases, r.Targets, r.Warnings = r.Cases+1, r.Targets+len(c.Targets), r.Warnings+len(c.Warnings)
	r.List = append(r.List, x)
}

func (r *checked) print(w io.Writer) error {
	for _, x := range r.List {
		for _, warning := range x.Warnings {
			fmt.Fprintln(w, "warning:", warning)
		}
		if x.Wrong != "" {
			fmt.Fprintln(w, "wrong:", x.Wrong)
		}
	}
	_, err := fmt.Fprintf(w, "%d cases (%d bug fixes, %d features), %d targets, %d F2P, %d P2P; %d wrong, %d warnings\n",
		r.Cases, r.Bugfixes, r.Features, r.Targets, r.F2P, r.P2P, r.Wrong, r.Warnings)
	return err
}
