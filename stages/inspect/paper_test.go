package inspect_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wideswe/wideswe/pipeline/settings"
	"github.com/wideswe/wideswe/stages/inspect"
)

// The paper's funnel asks of every pull of its records what its files are: of those that
// are in no candidate, and of those whose candidate a setting of review leaves out.
func TestPullsOfThePapersRecords(t *testing.T) {
	w := newWorld(t)
	w.pull(1, 1, "q.go", "q_test.go")
	w.pull(2, 1, "main.go", "main_test.go")
	w.pull(2, 2, "main.go", "latest.yml")
	w.pull(2, 3, "test_main.py", "lib/a_spec.rb")
	w.pull(3, 4, "a.go", "a_test.go")
	// its files are gone
	w.put("pull_versions", row{"repository_id": int64(2), "number": 5, "source": "linked", "merged_at": day})
	w.candidate("c", [2]int{1, 1}, [2]int{2, 1})
	record := func(number int, reason string, targets ...string) {
		w.put("records", row{"ecosystem": "o", "repository_id": int64(1), "number": number, "targets": targets,
			"reason": reason})
	}
	record(1, "", "o/app#1")
	record(1, "", "o/app#2")
	record(1, "", "o/app#3")
	record(1, "", "o/ios-app#4")
	record(1, "", "o/app#5")
	record(1, "target o/app#9 is not merged", "o/app#9")
	a := &asked{api: w.api}
	options := inspect.Options{PaperFiles: true}
	rows := "SELECT concat_ws(' ', repository_id || '#' || number, candidate_id, available, test_path, phone) FROM " +
		"paper_checks ORDER BY 1"
	if c := w.run(inspect.Stage{API: a, Options: options}); c.Done != 5 {
		t.Errorf("%+v", c)
	}
	if d := cmp.Diff([]string{"1#1 c true true false", "2#1 c true true false", "2#2  true true false",
		"2#3  true false false",
		"2#5  false false false", "3#4  true true true"}, w.strings(rows)); d != "" {
		t.Error(d)
	}
	want := []string{"inspect done 2 ", "inspect skipped 1 a pull that is not available",
		"inspect skipped 1 a pull without a test path",
		"inspect skipped 1 for iOS", "review done 2 "}
	counted := "SELECT concat_ws(' ', stage, status, items, reason) FROM funnel_paper WHERE stage IN ('inspect', " +
		"'review') ORDER BY 1"
	if d := cmp.Diff(want, w.strings(counted)); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"inspect candidate done 1"}, w.strings(
		"SELECT concat_ws(' ', stage, unit, status, items) FROM funnel WHERE stage = 'inspect'")); d != "" {
		t.Error(d)
	}
	// A later date for review changes what people see, and not what the paper's rule counts.
	options.LatestMergeSince = settings.Date{Time: day.AddDate(0, 1, 0)}
	w.run(inspect.Stage{API: a, Options: options})
	if d := cmp.Diff(want, w.strings(counted)); d != "" {
		t.Error(d)
	}
	if again := w.run(inspect.Stage{API: a, Options: options}); again.Done+again.Skipped > 0 {
		t.Errorf("a second run did %+v", again)
	}
	// Without the records nothing is left of them.
	if err := w.exec("DELETE FROM records"); err != nil {
		t.Fatal(err)
	}
	w.run(inspect.Stage{API: a, Options: options})
	if d := cmp.Diff([]string(nil), w.strings(rows)); d != "" {
		t.Error(d)
	}
}
