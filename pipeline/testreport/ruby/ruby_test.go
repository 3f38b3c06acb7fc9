package ruby

import (
	"strings"
	"testing"

	"github.com/wideswe/wideswe/pipeline/testreport/reporttest"
)

// TestCorpus reads what real runs of rspec 3.12 and 3.13, minitest 5.17 and 5.25,
// test-unit 3.5 and 3.6 left, under Ruby 3.1 and 3.3, with the toolchain's reporters.
func TestCorpus(t *testing.T) {
	reporttest.Corpus(t, RSpec(), "rspec-*", 2)
	reporttest.Corpus(t, Ruby(), "rspec-*", 2)
	reporttest.Corpus(t, Ruby(), "minitest-*", 2)
	reporttest.Corpus(t, Ruby(), "test-unit-*", 2)
}

func TestFraming(t *testing.T) {
	reporttest.CheckFraming(t, RSpec(), "rspec", "a.json.log",
		"Finished in ‹4.91› seconds (files took ‹0.05› seconds to load)\n1 example\nFinished in time\n",
		"the runner wrote no report\n1 example\nFinished in time")
	reporttest.CheckFraming(t, Ruby(), "minitest", "a.tap.log",
		"Finished in ‹0.0003›s, 3.1 runs/s\nFinished in ‹0.0004› seconds.\nend\n", "the runner wrote no report\nend")
}

func TestRSpec(t *testing.T) {
	example := func(id, name, status string) string {
		return `{"id":"./` + id + `","description":"` + name + `","full_description":"` + name + `","status":"` + status +
			`","run_time":0.1}`
	}
	report := func(summary string, examples ...string) string {
		return `{"version":"3","examples":[` + strings.Join(examples, ",") + `],"summary":{` + summary +
			`},"messages":["said"]}`
	}
	one := report(`"example_count":1`, example("spec/a_spec.rb[1:1]", "A b", "passed"))
	for name, c := range map[string]struct {
		files map[string]string
		want  string
	}{
		"a pass": {map[string]string{"spec/a_spec.rb.json": one,
			"spec/a_spec.rb.json.end": "0\n"}, "spec/a_spec.rb::A b pass"},
		"by itself": {map[string]string{"out.json": one}, "spec/a_spec.rb::A b pass"},
		"below a folder": {map[string]string{"pkg/spec/a_spec.rb.json": one,
			"pkg/spec/a_spec.rb.json.end": "0\n"}, "pkg/spec/a_spec.rb::A b pass"},
		"an exit code that is not its": {map[string]string{"spec/a_spec.rb.json": one,
			"spec/a_spec.rb.json.end": "1\n"}, "spec/a_spec.rb::A b pass\n! spec/a_spec.rb contradiction"},
		"a failure and an end without error": {map[string]string{"spec/a_spec.rb.json": report(
			`"example_count":1,"failure_count":1`, example("spec/a_spec.rb[1:1]", "A b", "failed")),
			"spec/a_spec.rb.json.end": "0"}, "spec/a_spec.rb::A b fail\n! spec/a_spec.rb contradiction"},
		"counts that differ": {map[string]string{"out.json": report(`"example_count":2`,
			example("spec/a_spec.rb[1:1]", "A b", "passed"))}, "spec/a_spec.rb::A b pass\n! out.json contradiction"},
		"an unknown word": {map[string]string{"out.json": report(`"example_count":1`,
			example("spec/a_spec.rb[1:1]", "A b", "brilliant"))}, "spec/a_spec.rb::A b error"},
		"shared examples of two files": {map[string]string{"out.json": report(`"example_count":2`,
			example("spec/a_spec.rb[1:1]", "is x", "passed"), example("spec/b_spec.rb[1:1]", "is x", "passed"))},
			"spec/a_spec.rb::is x pass\nspec/b_spec.rb::is x pass"},
		"cut": {map[string]string{"out.json": one[:len(one)-20]}, "! out.json cut"},
		"two documents": {map[string]string{"out.json": one + one},
			"spec/a_spec.rb::A b pass\n! out.json contradiction"},
		"not rspec's": {map[string]string{"out.json": `{"numTotalTests":1}`}, "! out.json unreadable"},
		"no JSON": {map[string]string{"out.json": "1 example, 0 failures"},
			"! out.json unreadable"},
		"an empty file": {map[string]string{"out.json": ""}, "! out.json cut"},
		"an empty file, and it ended badly": {map[string]string{"spec/a_spec.rb.json": "", "spec/a_spec.rb.json.end": "1"},
			"! spec/a_spec.rb collection_error"},
		"no file": {map[string]string{"spec/a_spec.rb.json.log": "x", "spec/a_spec.rb.json.end": "1"},
			"! spec/a_spec.rb collection_error"},
		"killed": {map[string]string{"spec/a_spec.rb.json.log": "x", "spec/a_spec.rb.json.running": "> A b\n<\n> A c\n"},
			"spec/a_spec.rb::A c error\n! spec/a_spec.rb crashed\ncrashed spec/a_spec.rb::A c"},
	} {
		t.Run(name, func(t *testing.T) { reporttest.CheckLines(t, RSpec(), c.files, c.want) })
	}
}

func TestRubyTAP(t *testing.T) {
	for name, c := range map[string]struct {
		files map[string]string
		want  string
	}{
		"a pass": {map[string]string{"test/a_test.rb.tap": "# running A#test_a\nok 1 - A\\#test_a\n1..1\n",
			"test/a_test.rb.tap.end": "0"}, "test/a_test.rb::A#test_a pass"},
		"killed": {map[string]string{"test/a_test.rb.tap": "# running A#test_a\nok 1 - A\\#test_a\n# running " +
			"A#test_b\n", "test/a_test.rb.tap.end": "137"},
			"test/a_test.rb::A#test_a pass\ntest/a_test.rb::A#test_b error\n! test/a_test.rb crashed\n! test/a_test.rb " +
				"cut\ncrashed test/a_test.rb::A#test_b"},
		"an object in names": {map[string]string{"test/a_test.rb.tap": "ok 1 - A\\#test_#<B:0x000055d1c0a3e480>\n1..1\n"},
			"test/a_test.rb::A#test_#<B:0xADDR> pass"},
		"an exit code": {map[string]string{"test/a_test.rb.tap": "ok 1 - A\\#test_a\n1..1\n",
			"test/a_test.rb.tap.end": "2"}, "test/a_test.rb::A#test_a pass\n! test/a_test.rb contradiction"},
		"not loaded": {map[string]string{"test/a_test.rb.tap": "", "test/a_test.rb.tap.end": "1"},
			"! test/a_test.rb collection_error"},
		"beside rspec's": {map[string]string{"test/a_test.rb.tap": "ok 1 - A\n1..1\n",
			"spec/a_spec.rb.json": `{"examples":[],"summary":{}}`}, "test/a_test.rb::A pass\n! spec/a_spec.rb no_tests"},
	} {
		t.Run(name, func(t *testing.T) { reporttest.CheckLines(t, Ruby(), c.files, c.want) })
	}
}

// A program that is tested may end the runner well: what was lost is missing, and
// the rest of the run is worth something.
func TestEndedWell(t *testing.T) {
	files := map[string][]byte{"test/a_test.rb.tap": []byte("ok 1 - A\n# running B\n"),
		"test/a_test.rb.tap.end": []byte("0")}
	r := Ruby().Parse(files)
	if ok, why := Ruby().Judge(r, 0); !ok || len(r.Crashed) != 1 {
		t.Errorf("%v %s %+v", ok, why, r)
	}
	files["test/b_test.rb.tap"], files["test/b_test.rb.tap.end"] = []byte("not ok 1 - C\n1..1\n"), []byte("0")
	if ok, _ := Ruby().Judge(Ruby().Parse(files), 0); ok {
		t.Error("a failure beside it is believed to have ended well")
	}
}

func FuzzRSpec(f *testing.F) {
	f.Add([]byte(`{"examples":[{"id":"./spec/a_spec.rb[1:1]","full_description":"A ` +
		`b","status":"failed","exception":{"class":"X","message":"m","backtrace":["b"]}}],"summary":{"example_count":1,"failure_count":1},"messages":["m"]}`))
	reporttest.Fuzz(f, RSpec(), "spec/a_spec.rb.json")
}

func FuzzRuby(f *testing.F) {
	f.Add([]byte("# running A#b\nok 1 - A\\#b\n# running A#c\n"))
	reporttest.Fuzz(f, Ruby(), "test/a_test.rb.tap")
}
