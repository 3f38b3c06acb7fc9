// Package explain tells why a task has its state: the first test that should have passed
// and did not, what it said, and where the log is.
//
// It reads an evaluation's folder through results, and writes nothing.
package explain

import (
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/schema"
	"github.com/wideswe/wideswe/stages/evaluate/results"
)

// Account tells why a task has the state it has in one run.
type Account struct {
	Task   string `json:"task_id"`
	Run    string `json:"run"`
	Rules  string `json:"rules,omitempty"` // version of the rules; "" before version 6
	Status string `json:"status"`
	// AsSubmitted says that the first run resolves the task: the paper's rule.
	AsSubmitted bool               `json:"as_submitted"`
	Reason      string             `json:"reason,omitempty"`
	Flags       []string           `json:"flags,omitempty"`
	Patches     []schema.KeptPatch `json:"patches,omitempty"`
	Targets     []Target           `json:"targets"`
}

// Target is one target's part. First is the first test that should have passed
// and did not; Log is its run's output, Tail the end of it where no test says anything.
type Target struct {
	Target      string              `json:"target"`
	Status      string              `json:"status"`
	AsSubmitted bool                `json:"as_submitted"`
	Reason      string              `json:"reason,omitempty"`
	F2P         schema.Tally        `json:"f2p"`
	P2P         schema.Tally        `json:"p2p"`
	First       *schema.FailingTest `json:"first_failing,omitempty"`
	More        int                 `json:"more_failing"`
	Flags       []string            `json:"flags,omitempty"`
	Replaced    []string            `json:"replaced,omitempty"`
	Log         string              `json:"log,omitempty"`
	Tail        string              `json:"log_tail,omitempty"`
}

// maxTail bounds what an account repeats of a log.
const maxTail = 4000

// Accounts explains a task, by its id or a beginning of it that no other has, in every
// run of an evaluation, or in the one that is named.
func Accounts(out string, rep schema.Report, task, run string) ([]Account, error) {
	id, err := taskNamed(rep, task)
	if err != nil {
		return nil, err
	}
	runs := results.Runs(rep)
	if run != "" {
		one, err := results.FindRun(out, rep, run)
		if err != nil {
			return nil, err
		}
		runs = []schema.ReportRun{one}
	}
	list := []Account{}
	for _, r := range runs {
		t := r.Tasks[id]
		a := Account{Task: id, Run: r.Key().String(), Rules: rep.Rules, Status: t.Status,
			AsSubmitted: t.AsSubmitted, Reason: t.Reason, Flags: t.Flags,
			Patches: t.Patches, Targets: []Target{}}
		for _, target := range slices.Sorted(maps.Keys(t.Targets)) {
			a.Targets = append(a.Targets, explainTarget(out, target, t.Targets[target]))
		}
		list = append(list, a)
	}
	return list, nil
}

func taskNamed(rep schema.Report, name string) (string, error) {
	if _, ok := rep.Tasks[name]; ok {
		return name, nil
	}
	var ids []string
	for _, id := range slices.Sorted(maps.Keys(rep.Tasks)) {
		if strings.HasPrefix(id, name) {
			ids = append(ids, id)
		}
	}
	switch len(ids) {
	case 1:
		return ids[0], nil
	case 0:
		return "", pipeline.Usage("the evaluation has no task %q; jq -r '.tasks | keys[]' report.json lists them", name)
	}
	return "", pipeline.Usage("%q names several tasks: %s", name, strings.Join(ids[:min(len(ids), 8)], ", "))
}

func explainTarget(out, target string, t schema.TargetReport) Target {
	a := Target{Target: target, Status: t.Status, AsSubmitted: t.AsSubmitted, Reason: t.Reason, F2P: t.F2P,
		P2P: t.P2P, Flags: t.Flags, Replaced: t.Replaced, Log: t.Log}
	if t.Resolved {
		return a
	}
	if len(t.Failing) > 0 {
		first := firstFailure(t.Failing)
		first.Message = results.Plain(first.Message)
		a.First, a.More = &first, t.F2P.Total-t.F2P.Passed+t.P2P.Total-t.P2P.Passed-1
	}
	if t.Log != "" && (a.First == nil || a.First.Message == "") {
		a.Tail = logTail(out, t.Log)
	}
	return a
}

// firstFailure is the first test that failed or, where it failed with its subtests and has
// little to say of its own, the first of those, down to the last.
func firstFailure(list []schema.FailingTest) schema.FailingTest {
	first := list[0]
	for _, f := range list[1:] {
		failed := f.Outcome == schema.Fail || f.Outcome == schema.Error
		if failed && strings.HasPrefix(f.ID, first.ID+"/") {
			first = f
		}
	}
	return first
}

// logTail reads the end of a log, which is strangers' text and lies in the folder.
func logTail(out, name string) string {
	root, err := os.OpenRoot(out)
	if err != nil {
		return ""
	}
	defer root.Close()
	f, err := root.Open(filepath.FromSlash(name))
	if err != nil {
		return ""
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.Size() > maxTail {
		_, _ = f.Seek(-maxTail, io.SeekEnd)
	}
	b, _ := io.ReadAll(io.LimitReader(f, maxTail))
	return results.Plain(string(b))
}
