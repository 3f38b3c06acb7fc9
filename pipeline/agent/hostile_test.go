package agent

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/wideswe/wideswe/pipeline/agent/agentfile"
	"github.com/wideswe/wideswe/pipeline/agent/collect"
	"github.com/wideswe/wideswe/pipeline/agent/runs"
	"github.com/wideswe/wideswe/pipeline/testscope"
	"github.com/wideswe/wideswe/schema"
)

// Agents that go wrong: each run has a clear end, and what was done by then is kept.
func TestAgentsThatGoWrong(t *testing.T) {
	testscope.NotShort(t, "it runs agents")
	backends(t, func(t *testing.T, r *Runner) {
		for name, c := range map[string]struct {
			agent, file string
			status      string
			met         []string
			left        []string // files that are named as left out
			docker      bool
		}{
			"ignores every signal": {agent: "trap '' TERM INT HUP QUIT; while :; do sleep 0.1; done",
				file: "timeout: 3", status: runs.Timeout, met: []string{"time"}},
			"stops itself at the end": {agent: "kill -STOP $$", file: "timeout: 3", status: runs.Timeout,
				met: []string{"time"}},
			"leaves daemons": {agent: "for i in 1 2 3; do setsid sh -c 'trap \"\" TERM HUP; while :; " +
				"do echo late >> o/lib/late.txt; sleep 0.1; done' wideswe-daemon-MARK & done; sleep 0.5", status: runs.Ended},
			"leaves daemons that listen": {agent: "setsid sh -c 'exec sleep 300' wideswe-daemon-MARK &",
				status: runs.Ended},
			"forks without end": {agent: "(while :; do sleep 60 & done) 2>/dev/null\n  sleep 4",
				file: "timeout: 60\npids: 60", status: runs.Ended, met: []string{"processes"}, docker: true},
			"writes a file beyond bounds": {agent: "head -c 3000000 /dev/zero > o/lib/big.bin; head -c 3000000 " +
				"/dev/zero > o/tool/tool.sh", status: runs.Ended, left: []string{"big.bin", "tool.sh"}},
			"takes its workspace's right": {agent: "chmod 000 o/tool o/lib/lib.txt; chmod 500 o/lib",
				status: runs.Ended},
		} {
			if c.docker && r.Backend.Name() != "docker" {
				continue
			}
			t.Run(name, func(t *testing.T) {
				r := r.copy()
				r.Out = filepath.Join(t.TempDir(), "out")
				r.Bounds = collect.DefaultBounds
				r.Bounds.File = 1 << 20
				mark := fmt.Sprint(os.Getpid(), time.Now().UnixNano())
				r.Agent = fileAgent(t,
					"name: a\n"+c.file+"\ncommand: |\n  echo right > o/lib/lib.txt\n  "+strings.ReplaceAll(c.agent,
						"MARK", mark)+"\n")
				if c.file == "" {
					r.Agent.Timeout = agentfile.Duration(time.Minute)
				}
				_, got, err := r.run(t, schema.Joint, 1, "t1")
				must(t, err)
				p, rec := got["t1 joint"], r.record(t, runs.Job{Task: "t1", Mode: schema.Joint, Target: "", Attempt: 1})
				if rec.Status != c.status || !slices.Equal(rec.LimitsMet, c.met) || rec.Seconds > 40 ||
					p.Run == nil || p.Run.Status != c.status || !strings.Contains(p.Patches["o/lib"], "+right") {
					t.Errorf("%+v\n%+v", p, rec)
				}
				var left []string
				for _, x := range rec.Repositories {
					for _, l := range x.LeftOut {
						left = append(left, l.Path)
					}
				}
				if !slices.Equal(left, c.left) {
					t.Errorf("left out: %v", left)
				}
				// What was killed needs a moment to be gone.
				going := func() []byte {
					out, _ := exec.CommandContext(t.Context(), "pgrep", "-f", "wideswe-daemon-"+mark).Output()
					return out
				}
				out := going()
				for end := time.Now().Add(10 * time.Second); len(out) > 0 && time.Now().Before(end); out = going() {
					time.Sleep(50 * time.Millisecond)
				}
				if len(out) > 0 {
					t.Errorf("processes go on: %s", out)
				}
			})
		}
	})
}
