package report

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"strings"

	"github.com/wideswe/wideswe/schema"
)

//go:embed page.html.tmpl
var pageText string

//go:embed page.css
var styleText string

//go:embed page.js
var scriptText string

var page = template.Must(template.New("page").Funcs(template.FuncMap{
	"figures":     figures,
	"figureNames": func() []string { return figureNames },
	"rate":        rate,
	"percent":     percent,
	"share":       share,
	"requests":    requests,
	"outcome":     outcome,
	"title":       Slice.title,
	"sums":        Row.sums,
	"resolvedOf": func(s schema.ReportSummary) schema.Tally {
		return schema.Tally{Passed: s.TargetsResolved, Total: s.Targets}
	},
	"join":        func(list []string) string { return strings.Join(list, ", ") },
	"definitions": func() string { return definitions },
	"statuses":    statuses,
	"anchor":      func(run int, id string) string { return fmt.Sprintf("run%d-%s", run, id) },
	"seconds":     func(s float64) string { return fmt.Sprintf("%.1f s", s) },
}).Parse(pageText))

// HTML writes a report as one page that asks nothing of the network: its policy
// lets no request out and no script run but its own.
func HTML(w io.Writer, r *Result) error {
	var b bytes.Buffer
	sum := sha256.Sum256([]byte(scriptText))
	err := page.Execute(&b, struct {
		*Result
		Style  template.CSS
		Script template.JS
		Policy string
	}{r, template.CSS(styleText), template.JS(scriptText),
		"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"})
	if err != nil {
		return err
	}
	_, err = w.Write(b.Bytes())
	return err
}

// share is a tally in hundredths, for bars and sorting; nothing is -1.
func share(t schema.Tally) float64 {
	if t.Total == 0 {
		return -1
	}
	return 100 * float64(t.Passed) / float64(t.Total)
}

// statuses counts the states that there are, in a fixed order.
func statuses(s schema.ReportSummary) []Share {
	var out []Share
	for _, name := range []string{schema.StatusResolved, schema.StatusUnresolved, schema.StatusEmpty, schema.StatusTimeout, schema.StatusPatchFailed,
		schema.StatusPatchUnsafe, schema.StatusInjectionFailed, schema.StatusInconsistent, schema.StatusDisputed, schema.StatusInfra, schema.StatusMissing} {
		if n := s.ByStatus[name]; n > 0 {
			out = append(out, Share{Value: name, Tasks: n})
		}
	}
	return out
}
