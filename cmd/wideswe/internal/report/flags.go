package report

import (
	"fmt"

	"github.com/spf13/pflag"

	"github.com/wideswe/wideswe/stages/report"
)

// addEvaluations adds the flags of a release and evaluations of it.
func addEvaluations(f *pflag.FlagSet, s *report.Stage) {
	f.StringVar(&s.Release, "release", "", "the release's folder")
	f.Var(evaluationFlag{&s.Evaluations}, "evaluation", "a folder that evaluate wrote; may be given several times")
	label := func(e *report.Source) *string { return &e.Label }
	f.Var(detailFlag{&s.Evaluations, "label", label}, "label",
		"what the evaluation before it is called (default: the predictions' model)")
}

// evaluationFlag adds an evaluation.
type evaluationFlag struct{ list *[]report.Source }

// String implements [pflag.Value].
func (f evaluationFlag) String() string { return "" }

// Type implements [pflag.Value].
func (f evaluationFlag) Type() string { return "string" }

// Set implements [pflag.Value].
func (f evaluationFlag) Set(folder string) error {
	*f.list = append(*f.list, report.Source{Folder: folder})
	return nil
}

// detailFlag sets a detail of the evaluation that was named before it.
type detailFlag struct {
	list  *[]report.Source
	name  string
	field func(*report.Source) *string
}

// String implements [pflag.Value].
func (f detailFlag) String() string { return "" }

// Type implements [pflag.Value].
func (f detailFlag) Type() string { return "string" }

// Set implements [pflag.Value].
func (f detailFlag) Set(value string) error {
	n := len(*f.list)
	if n == 0 || *f.field(&(*f.list)[n-1]) != "" {
		return fmt.Errorf("each --%s follows the --evaluation that it is about", f.name)
	}
	*f.field(&(*f.list)[n-1]) = value
	return nil
}
