package validate_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/sandbox"
	"github.com/wideswe/wideswe/pipeline/sandbox/dockertest"
	"github.com/wideswe/wideswe/pipeline/testrun"
	"github.com/wideswe/wideswe/schema"
	"github.com/wideswe/wideswe/stages/validate"
)

// The task of two shell repositories: app greets with lib's word.
func shellFixture() (trees, []change) {
	const appTest = `#!/bin/sh
echo 1..4
case $(sh greet.sh) in "hello world") echo "ok 1 - greets";; *) echo "not ok 1 - greets";; esac
if [ "$(id -u)" != 0 ]; then echo "ok 2 - is nobody special"; else echo "not ok 2 - is nobody special"; fi
if [ "$(wc -l < /proc/net/route)" -le 1 ]; then echo "ok 3 - has no network"; else echo "not ok 3 - has no network"; fi
if ls "$HOME"/kept >/dev/null; then echo "ok 4 - has what setup fetched"; else echo "not ok 4 - has what setup fetched"; fi
`
	const libTest = "#!/bin/sh\necho 1..1\nif [ \"$(cat word)\" = hello ]; then echo 'ok 1 - word'; else echo 'not ok 1 " +
		"- word'; fi\n"
	return trees{
			"o/lib": {"word": "bye\n", "tests/none.sh": "#!/bin/sh\necho 1..1\necho ok 1 - none\n"},
			"o/app": {"greet.sh": "echo \"$(cat \"$WIDESWE_WORKSPACE/o/lib/word\") world\"\n", "note": "a\n",
				"tests/none.sh": "#!/bin/sh\necho 1..1\necho ok 1 - none\n"},
		}, []change{
			{"o/app", "note", changed("note", "a", "b"), added("tests/greet.sh", appTest), "tests/greet.sh"},
			{"o/lib", "word", changed("word", "bye", "hello"), added("tests/word.sh", libTest), "tests/word.sh"},
		}
}

func TestValidateInDocker(t *testing.T) {
	d, image := dockertest.Open(t)
	tr, changes := shellFixture()
	db := open(t, changes)
	s := validate.Stage{DB: db, Trees: tr, Options: validate.Options{Repeats: 2}, Logs: t.TempDir(), TempDir: t.TempDir(),
		Runner: &testrun.Runner{Backend: d, Images: map[string]string{"base": image},
			Limits: sandbox.Limits{Timeout: 2 * time.Minute}},
		// Nothing is installed, so the test needs no network.
		Recipe: func(string, time.Time) ([]schema.RecipePart, error) {
			return []schema.RecipePart{{Recipe: schema.Recipe{Image: "base", Packages: []string{},
				Setup: []string{`echo "$WIDESWE_REPO" >> "$HOME/kept"`}}}}, nil
		}}
	if err := pipeline.Execute(t.Context(), s, &pipeline.Run{Ledger: db}); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"done "}, query(t, db,
		`SELECT status || ' ' || reason FROM outcomes_latest WHERE stage = 'validate'`)); d != "" {
		t.Fatal(d)
	}
	want := []string{
		"o/app tests/greet.sh::greets fail pass F2P false",
		"o/app tests/greet.sh::has no network pass pass P2P false",
		"o/app tests/greet.sh::has what setup fetched pass pass P2P false",
		"o/app tests/greet.sh::is nobody special pass pass P2P false",
		"o/lib tests/word.sh::word fail pass F2P false",
	}
	if d := cmp.Diff(want, query(t, db, transitions)); d != "" {
		t.Error(d)
	}
	for _, id := range query(t, db, "SELECT image_id FROM task_images") {
		if err := d.RemoveImage(t.Context(), id); err != nil {
			t.Error(err)
		}
	}
	if ids := query(t, db, "SELECT DISTINCT left(image_id, 7) FROM task_images"); len(ids) != 1 || ids[0] != "sha256:" {
		t.Errorf("image ids: %q", ids)
	}
}
