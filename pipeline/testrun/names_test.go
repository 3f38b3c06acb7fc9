package testrun

import (
	"crypto/sha256"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wideswe/wideswe/pipeline/sandbox"
)

func TestNames(t *testing.T) {
	text := "pytest\t/home/venv/pytest.py\ncalc\t/workspace/o/r/calc.py\njson\t/workspace/o/c/json/\nodd\nnone\t\n"
	line := fmt.Sprintf("wideswe: names %x  -\n", sha256.Sum256([]byte(text)))
	read := func(file, said string) Names {
		return *Request{}.readNames(sandbox.Result{Files: map[string][]byte{namesFile: []byte(file)}, Output: []byte(said)})
	}
	n := read(text, "building\n"+line+"wideswe: names "+fmt.Sprintf("%064x", 0)+"\n")
	want := Names{Inside: map[string]string{"calc": "o/r/calc.py", "json": "o/c/json"},
		Outside: map[string]bool{"pytest": true}}
	if d := cmp.Diff(want, n); d != "" {
		t.Error(d)
	}
	gold := Names{Inside: map[string]string{"calc": "o/r/calc/__init__.py"}, Outside: map[string]bool{"pytest": true,
		"json": true}}
	if d := cmp.Diff([]string{"json (o/c/json)"}, n.Taken(gold)); d != "" {
		t.Error(d)
	}
	if !read(text+"json\t/usr/json.py\n", line).Lost || !read(text, "").Lost {
		t.Error("a file that is not what was announced counts")
	}
}
