package imports

import (
	"bytes"
	"strings"
	"testing"

	"github.com/wideswe/wideswe/cmd/wideswe/internal/env"
)

func TestCheck(t *testing.T) {
	for _, json := range []bool{false, true} {
		var out bytes.Buffer
		o := checkOptions{env: &env.Env{Out: &out}, json: json}
		if err := o.run("../../../../pipeline/release120/testdata/small"); err != nil {
			t.Fatal(err)
		}
		want := "2 cases (1 bug fixes, 1 features), 4 targets, 6 F2P, 1 P2P; 0 wrong, 2 warnings"
		if json {
			want = `"wrong": 0`
		}
		if !strings.Contains(out.String(), want) || !strings.Contains(out.String(), "hidden_test_oracle.json: sha256") {
			t.Error(out.String())
		}
	}
	o := checkOptions{env: &env.Env{Out: &bytes.Buffer{}}}
	if err := o.run(t.TempDir()); err == nil || !strings.Contains(err.Error(), "release120.tsv: is missing") {
		t.Error(err)
	}
}
