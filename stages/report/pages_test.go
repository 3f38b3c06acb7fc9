package report

import (
	"bytes"
	"html"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wideswe/wideswe/schema"
)

// What is too long is shown in part, with the name of the file that has all of it.
func TestPatchesAndLogsAreBounded(t *testing.T) {
	folder := t.TempDir()
	text := change("lib/a.go", "x", "first") + strings.Repeat(change("lib/b.go", "x", "y"), 2000) + change("lib/c.go", "x",
		"last line of the patch")
	write(t, filepath.Join(folder, "patches/t/o__lib.patch"), text)
	write(t, filepath.Join(folder, "logs/t.log"), "first line of the log\n"+strings.Repeat("a line\n", 5000)+"last\n")
	r := sampleReport()
	set(r, "t1", func(v *schema.TaskReport) {
		v.Patches = []schema.KeptPatch{{Repository: "o/lib", File: "patches/t/o__lib.patch"}}
		x := v.Targets["o/lib"]
		x.Log = "logs/t.log"
		v.Targets["o/lib"] = x
	})
	res, err := compile(sampleData(), []evaluation{{Source{Folder: folder, Label: "m"}, nil, r}}, options{})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := HTML(&b, res); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]bool{"+first": true, "last line of the patch": false,
		"It goes on in patches/t/o__lib.patch": true, "2002 files, +2,002 −2,002": true,
		"first line of the log": false, "…\na line\n": true, "a line\nlast</pre>": true} {
		if strings.Contains(html.UnescapeString(b.String()), text) != want {
			t.Errorf("%q is on the page: %v", text, !want)
		}
	}
	if got := res.share(); got != (bounds{maxPatch, maxLog}) {
		t.Errorf("few runs have %+v", got)
	}
	res.Data.Counts.Targets = 1 << 13
	if got := res.share(); got != (bounds{768, 256}) {
		t.Errorf("many runs have %+v", got)
	}
	row := res.Series[0].Attempts[0].Tasks[0]
	if v := row.view(row.Targets[1], bounds{200, 20}); !v.Cut || len(v.Patch[0].Text) > 200 ||
		v.Log != "…\na line\na line\nlast" {
		t.Errorf("%+v", v)
	}
}
