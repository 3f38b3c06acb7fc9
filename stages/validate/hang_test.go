package validate_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/schema"
)

// A test that hangs on base is waited for by gold's time, ends as one that fails there,
// and those after it run all the same.
func TestValidateDoesNotWaitLongForWhatHangsOnBase(t *testing.T) {
	tr, changes := fixture()
	const hangs = `package lib; import "time"; func Add(a, b int) int { for a == 2 { time.Sleep(time.Hour) }; return a ` +
		`+ b }`
	tr["o/lib"]["lib.go"] = hangs + "\n"
	changes[1].gold = changed("lib.go", hangs, libGold)
	changes[0].test = added("app_test.go", strings.Replace(appTest, "Sum(1, 2) != 3", "Sum(1, 2) != 3 || Neg(1) != -1", 1))
	db := open(t, changes)
	s := stage(t, db, tr)
	s.Repeats, s.BaseLimit = 1, schema.TimeLimit{Factor: 0.001, Floor: 5}
	if err := pipeline.Execute(t.Context(), s, &pipeline.Run{Ledger: db}); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"o/app example.org/app::TestSum missing pass F2P true", // does not compile on base
		"o/lib example.org/lib::TestAdd error pass F2P false",
		"o/lib example.org/lib::TestZero pass pass P2P false",
	}
	if d := cmp.Diff(want, query(t, db, transitions)); d != "" {
		t.Error(d)
	}
	for _, status := range query(t, db, "SELECT status FROM test_runs WHERE repository = 'o/lib' AND state = 'base'") {
		if status == "timeout" {
			t.Error("the whole run met its limit, not the test the runner's")
		}
	}
}
