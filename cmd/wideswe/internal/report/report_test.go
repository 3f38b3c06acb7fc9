package report

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"
	"github.com/wideswe/wideswe/stages/report"
)

func TestLabelsFollowTheirEvaluations(t *testing.T) {
	for _, tt := range []struct {
		words string
		want  []report.Source
		err   string
	}{
		{"--evaluation a", []report.Source{{Folder: "a"}}, ""},
		{"--evaluation a --label x --evaluation b --evaluation c --label y", []report.Source{{Folder: "a", Label: "x"},
			{Folder: "b"}, {Folder: "c", Label: "y"}}, ""},
		{"--label x --evaluation a", nil, "follows the --evaluation"},
		{"--evaluation a --label x --label y", nil, "follows the --evaluation"},
	} {
		var s report.Stage
		f := pflag.NewFlagSet("", pflag.ContinueOnError)
		addEvaluations(f, &s)
		err := f.Parse(strings.Fields(tt.words))
		if tt.err != "" {
			if err == nil || !strings.Contains(err.Error(), tt.err) {
				t.Errorf("%s: %v", tt.words, err)
			}
			continue
		}
		if d := cmp.Diff(tt.want, s.Evaluations); d != "" || err != nil {
			t.Errorf("%s: %v %s", tt.words, err, d)
		}
	}
}

func TestReportSaysWhatItLacks(t *testing.T) {
	for _, tt := range []struct {
		s    report.Stage
		want string
	}{
		{report.Stage{}, "--release is missing"},
		{report.Stage{Release: "r", Evaluations: []report.Source{{Folder: "a"}, {Folder: "b"}}}, "--out is missing"},
		{report.Stage{Release: "r", Evaluations: []report.Source{{Folder: "r/a"}}}, "is inside the release"},
	} {
		if err := check(tt.s); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%+v: %v", tt.s, err)
		}
	}
}
