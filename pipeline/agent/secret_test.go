package agent

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wideswe/wideswe/pipeline/agent/agentfile"
	"github.com/wideswe/wideswe/pipeline/agent/runs"
	"github.com/wideswe/wideswe/schema"
)

const secretive = `name: secretive
env: [WIDESWE_TEST_KEY, WIDESWE_TEST_NONE?]
set: {LEVEL: high}
files:
  - {from: tool.sh, to: ~/bin/tool.sh}
  - {from: more, to: /opt/more}
trajectory: ["~/.tool/**/*.jsonl", /opt/more/note.txt]
command: |
  [ "$WIDESWE_TEST_KEY" = value-of-the-key ] || exit 3
  [ "$LEVEL" = high ] || exit 4
  [ -z "$WIDESWE_TEST_NONE" ] || exit 5
  [ -x "$HOME/bin/tool.sh" ] || exit 6
  echo "my key is $WIDESWE_TEST_KEY"; echo "err $WIDESWE_TEST_KEY" >&2
  mkdir -p ~/.tool/a/b ~/.tool/c; echo "{\"key\": \"$WIDESWE_TEST_KEY\"}" > ~/.tool/a/b/1.jsonl; echo 2 > ~/.tool/2.jsonl; echo 3 > ~/.tool/c/3.txt; ln -s /etc/passwd ~/.tool/4.jsonl
  echo "$WIDESWE_TEST_KEY" > o/lib/key.txt; echo right > o/lib/lib.txt
`

func TestNoOutputHoldsAValueOfTheEnvironment(t *testing.T) {
	backends(t, func(t *testing.T, r *Runner) {
		dir := writeTree(t, map[string]string{"agent.yaml": secretive, "tool.sh": "#!/bin/sh\n",
			"more/note.txt": "note\n"})
		must(t, os.Chmod(filepath.Join(dir, "tool.sh"), 0o755))
		f, err := agentfile.ReadFile(filepath.Join(dir, "agent.yaml"))
		must(t, err)
		r.Agent = f
		r.Getenv = func(n string) (string, bool) { return "value-of-the-key", n == "WIDESWE_TEST_KEY" }
		var said []string
		r.Say = func(s string) { said = append(said, s) }
		if r.Backend.Name() == "process" {
			// /opt is below the run's own folder there.
			f.Command.Line = strings.ReplaceAll(f.Command.Line, "/opt/", "$WIDESWE_WORKSPACE/../opt/")
		}
		_, got, err := r.run(t, schema.Joint, 1, "t1")
		must(t, err)
		p := got["t1 joint"]
		if p.Run.Status != runs.Ended || !strings.Contains(p.Patches["o/lib"], "+right") {
			t.Errorf("%+v", p)
		}
		all := everything(t, r.Out) + strings.Join(said, "\n")
		if strings.Contains(all, "value-of-the-key") {
			t.Errorf("the value is in an output:\n%s", all)
		}
		for _, want := range []string{"my key is [WIDESWE_TEST_KEY]", "err [WIDESWE_TEST_KEY]",
			`{"key": "[WIDESWE_TEST_KEY]"}`, "it holds the value of WIDESWE_TEST_KEY"} {
			if !strings.Contains(all, want) {
				t.Errorf("no %s in\n%s", want, all)
			}
		}
		rec := r.record(t, runs.Job{Task: "t1", Mode: schema.Joint, Target: "", Attempt: 1})
		if len(rec.Trajectory) != 3 || !strings.Contains(all, "note\n") {
			t.Errorf("%v", rec.Trajectory)
		}
	})
}
