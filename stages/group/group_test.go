package group_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/storetest"
	"github.com/wideswe/wideswe/schema"
	"github.com/wideswe/wideswe/stages/group"
)

func TestRules(t *testing.T) {
	tests := []struct {
		name   string
		world  world
		want   []string
		reason string // of the edge that is refused, a part of it
	}{
		{name: "a link joins two pulls",
			world: world{pulls: map[string]pull{"acme/api#1": {}, "acme/web#2": {}}, links: []link{{from: "acme/web#2",
				to: "acme/api#1"}}},
			want: []string{"acme/api#1 acme/web#2"}},
		{name: "two pulls of one repository through one of another",
			world: world{pulls: map[string]pull{"acme/api#1": {}, "acme/api#2": {}, "acme/web#2": {}},
				links: []link{{from: "acme/web#2", to: "acme/api#1"}, {from: "acme/web#2", to: "acme/api#2"}}},
			want: []string{"acme/api#1 acme/api#2 acme/web#2"}},
		{name: "a commit stands for its pull",
			world: world{pulls: map[string]pull{"acme/api#9": {}, "acme/web#2": {}},
				links: []link{{from: "acme/web#2", to: "acme/api@0000000100000000000000000000000000000009", relation: "picks_up"}}},
			want: []string{"acme/api#9 acme/web#2"}},
		{name: "an unmerged companion",
			world: world{pulls: map[string]pull{"acme/api#1": {open: true}, "acme/web#2": {}},
				links: []link{{from: "acme/web#2", to: "acme/api#1", relation: "companion"}}},
			reason: "acme/api#1 is not merged"},
		{name: "a program's pull",
			world: world{pulls: map[string]pull{"acme/api#1": {author: "renovate[bot]"}, "acme/web#2": {}},
				links: []link{{from: "acme/web#2", to: "acme/api#1"}}},
			reason: "acme/api#1 is a program's"},
		{name: "a release",
			world: world{pulls: map[string]pull{"acme/api#1": {}, "acme/web#2": {title: "chore: release v1.2.3"}},
				links: []link{{from: "acme/web#2", to: "acme/api#1", relation: "needs"}}},
			reason: "acme/web#2 is a release"},
		{name: "a revert",
			world: world{pulls: map[string]pull{"acme/api#1": {}, "acme/web#2": {title: `Revert "add x"`}},
				links: []link{{from: "acme/web#2", to: "acme/api#1"}}},
			reason: "acme/web#2 is a revert"},
		{name: "a feature that moves is a revert in one repository, and a person says that the two belong together",
			world: world{pulls: map[string]pull{"acme/api#1": {title: "Add x"}, "acme/web#2": {title: `Revert "add x"`}},
				links: []link{{from: "acme/web#2", to: "acme/api#1", relation: "companion"}}},
			want: []string{"acme/api#1 acme/web#2"}},
		{name: "a backport does not join the original of another repository",
			world: world{pulls: map[string]pull{"acme/api#1": {}, "acme/web#2": {},
				"acme/web#3": {title: "[release-1.2] add x"}},
				links: []link{{from: "acme/web#2", to: "acme/api#1", relation: "needs"}, {from: "acme/web#3", to: "acme/api#1",
					relation: "needs"}}},
			want: []string{"acme/api#1 acme/web#2"}, reason: "acme/web#3 is a backport"},
		{name: "a link that may not group",
			world: world{pulls: map[string]pull{"acme/api#1": {}, "acme/web#2": {}}, links: []link{{from: "acme/web#2",
				to: "acme/api#1", reason: "flag quote"}}},
			reason: "flag quote"},
		{name: "a name without an owner",
			world: world{pulls: map[string]pull{"acme/api#1": {}, "acme/web#2": {}}, links: []link{{from: "acme/web#2",
				to: "acme/api#1", reason: "name alone"}}},
			reason: "name alone (name alone 0, within 7 days +1)"},
		{name: "a name without an owner, the same author, near in time",
			world: world{pulls: map[string]pull{"acme/api#1": {author: "mia"}, "acme/web#2": {author: "Mia"}},
				links: []link{{from: "acme/web#2", to: "acme/api#1", reason: "name alone"}}},
			want: []string{"acme/api#1 acme/web#2"}},
		{name: "a negative word beside a mention",
			world: world{pulls: map[string]pull{"acme/api#1": {}, "acme/web#2": {}},
				links: []link{{from: "acme/web#2", to: "acme/api#1"}, {from: "acme/web#2", to: "acme/api#1", relation: "contrast",
					reason: "relation contrast"}}},
			reason: "relation contrast"},
		{name: "a mention in a long list",
			world: world{pulls: map[string]pull{"acme/api#1": {days: 30}, "acme/web#2": {}}, links: []link{{from: "acme/web#2",
				to: "acme/api#1", relation: "mention list"}}},
			reason: "too weak"},
		{name: "a mention over a long time",
			world: world{pulls: map[string]pull{"acme/api#1": {days: 91}, "acme/web#2": {}}, links: []link{{from: "acme/web#2",
				to: "acme/api#1"}}},
			reason: "too weak (mention 1, 91 days apart -2)"},
		{name: "strong words over a long time",
			world: world{pulls: map[string]pull{"acme/api#1": {days: 994}, "acme/web#2": {}}, links: []link{{from: "acme/web#2",
				to: "acme/api#1", relation: "depends_on"}}},
			want: []string{"acme/api#1 acme/web#2"}},
		{name: "each names the other over a long time",
			world: world{pulls: map[string]pull{"acme/api#1": {days: 200}, "acme/web#2": {}},
				links: []link{{from: "acme/web#2", to: "acme/api#1"}, {from: "acme/api#1", to: "acme/web#2"}}},
			want: []string{"acme/api#1 acme/web#2"}},
		{name: "one issue, three repositories, no direct link",
			world: world{pulls: map[string]pull{"acme/api#1": {}, "acme/web#2": {days: 9}, "acme/sdk#3": {days: 100}},
				links: []link{{from: "acme/web#2", to: "acme/api#77", relation: "closes"}, {from: "acme/sdk#3", to: "acme/api#77",
					relation: "part_of"}},
				own: map[string]string{"acme/api#1": "77"}},
			want: []string{"acme/api#1 acme/sdk#3 acme/web#2"}},
		{name: "a mention between two candidates that stand without it",
			world: world{pulls: map[string]pull{"acme/api#1": {}, "acme/web#2": {}, "acme/api#3": {days: 20},
				"acme/web#4": {days: 20}},
				links: []link{{from: "acme/web#2", to: "acme/api#1", relation: "picks_up"}, {from: "acme/web#4", to: "acme/api#3",
					relation: "picks_up"}, {from: "acme/web#4", to: "acme/api#1"}}},
			want:   []string{"acme/api#1 acme/web#2", "acme/api#3 acme/web#4"},
			reason: "a weak edge between two candidates that stand without it (mention 1)"},
		{name: "a mention with nothing in common, beside a stronger tie",
			world: world{pulls: map[string]pull{"acme/api#1": {}, "acme/web#2": {}, "acme/api#3": {days: 20}},
				links: []link{{from: "acme/web#2", to: "acme/api#1", relation: "picks_up"}, {from: "acme/web#2",
					to: "acme/api#3"}}},
			want: []string{"acme/api#1 acme/web#2"}, reason: "too weak to add to a candidate that stands without it (mention " +
				"1)"},
		{name: "a mention with something in common, beside a stronger tie",
			world: world{pulls: map[string]pull{"acme/api#1": {}, "acme/web#2": {}, "acme/api#3": {days: 6}},
				links: []link{{from: "acme/web#2", to: "acme/api#1", relation: "picks_up"}, {from: "acme/web#2",
					to: "acme/api#3"}}},
			want: []string{"acme/api#1 acme/api#3 acme/web#2"}},
		{name: "a mention between candidates that hang on no more",
			world: world{pulls: map[string]pull{"acme/api#1": {}, "acme/web#2": {days: 20}, "acme/api#3": {days: 40},
				"acme/web#4": {days: 60}},
				links: []link{{from: "acme/web#2", to: "acme/api#1"}, {from: "acme/web#4", to: "acme/api#3"}, {from: "acme/web#2",
					to: "acme/api#3"}}},
			want: []string{"acme/api#1 acme/api#3 acme/web#2 acme/web#4"}},
		{name: "an issue that is only mentioned",
			world: world{pulls: map[string]pull{"acme/api#1": {}, "acme/web#2": {}},
				links: []link{{from: "acme/web#2", to: "acme/api#77"}}, own: map[string]string{"acme/api#1": "77"},
				issues: []string{"acme/api#77"}}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			db := database(t, test.world, 0)
			if d := cmp.Diff(test.want, candidates(t, db, group.Stage{})); d != "" {
				t.Error(d)
			}
			refused := storetest.Strings(t, db, "SELECT reason FROM edges WHERE NOT admitted")
			if test.reason == "" && len(refused) > 0 || test.reason != "" && (len(refused) != 1 || refused[0] != test.reason &&
				refused[0][:min(len(test.reason), len(refused[0]))] != test.reason) {
				t.Errorf("refused: %q, want %q", refused, test.reason)
			}
		})
	}
}

// chain makes n pulls, each of which names the one before.
func chain(n int, relation string, days float64) world {
	w := world{pulls: map[string]pull{}}
	last := ""
	for i := range n {
		name := fmt.Sprintf("%s#%d", names[i%len(names)], i+1)
		w.pulls[name] = pull{days: float64(i) * days}
		if last != "" {
			w.links = append(w.links, link{from: name, to: last, relation: relation})
		}
		last = name
	}
	return w
}

func TestLimits(t *testing.T) {
	for _, test := range []struct {
		name    string
		world   world
		options group.Options
		want    []string // pulls, repositories, and why the first refused edge is
	}{
		{"repositories", chain(8, "needs", 1), group.Options{}, []string{"6 6", "2 2",
			"the candidate would have 7 repositories, more than 6 (needs 4, within 7 days +1)"}},
		{"pulls", chain(8, "needs", 1), group.Options{MaxRepositories: 99, MaxPulls: 3}, []string{"3 3", "3 3", "2 2"}},
		{"span of weak edges", chain(4, "mention", 50), group.Options{}, []string{"3 3",
			"the candidate would span 150 days, more than 120 (mention 1)"}},
		{"span of strong edges", chain(4, "needs", 50), group.Options{}, []string{"4 4"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			db := database(t, test.world, 0)
			run(t, db, group.Stage{Options: test.options})
			got := storetest.Strings(t, db, "SELECT pulls || ' ' || len(repositories) FROM candidates ORDER BY pulls DESC, "+
				"candidate_id")
			got = append(got, storetest.Strings(t, db, "SELECT reason FROM edges WHERE NOT admitted ORDER BY reason")...)
			if len(got) > len(test.want) {
				got = got[:len(test.want)]
			}
			if d := cmp.Diff(test.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestHubBecomesACampaign(t *testing.T) {
	w := world{pulls: map[string]pull{"acme/api#1": {}}}
	for i, n := range names[1:8] {
		name := fmt.Sprintf("%s#%d", n, i+2)
		w.pulls[name] = pull{}
		w.links = append(w.links, link{from: name, to: "acme/api#1", relation: "needs"})
	}
	w.links = append(w.links, link{from: "acme/web#2", to: "acme/sdk#3", relation: "needs"})
	db := database(t, w, 0)
	if d := cmp.Diff([]string{"acme/sdk#3 acme/web#2"}, candidates(t, db, group.Stage{})); d != "" {
		t.Error(d)
	}
	want := []string{"acme/api#1 pull 7 7 a hub: tied to 7 repositories, more than 6"}
	if d := cmp.Diff(want, storetest.Strings(t, db,
		"SELECT hub || ' ' || kind || ' ' || repositories || ' ' || pulls || ' ' || reason FROM campaigns")); d != "" {
		t.Error(d)
	}
}

func TestTrackerBridgesNothing(t *testing.T) {
	w := world{pulls: map[string]pull{}, issues: []string{"acme/docs#50"}}
	for i := range 6 {
		name := fmt.Sprintf("%s#%d", names[i%2], i+1)
		w.pulls[name] = pull{}
		w.links = append(w.links, link{from: name, to: "acme/docs#50", relation: "part_of"})
	}
	db := database(t, w, 0)
	if got := candidates(t, db, group.Stage{}); len(got) != 0 {
		t.Error(got)
	}
	if d := cmp.Diff([]string{"acme/docs#50 issue 2 6"}, storetest.Strings(t, db,
		"SELECT hub || ' ' || kind || ' ' || repositories || ' ' || pulls FROM campaigns")); d != "" {
		t.Error(d)
	}
	if got := candidates(t, db, group.Stage{Options: group.Options{TrackerPulls: 6}}); len(got) != 1 {
		t.Error(got)
	}
}

func decide(decisions ...schema.Decision) group.Stage {
	for i := range decisions {
		decisions[i].Reviewer = "mia"
		decisions[i].At = day.AddDate(0, 0, i)
	}
	return group.Stage{Decisions: func(context.Context) ([]schema.Decision, error) { return decisions, nil }}
}

func TestDecisionsOfPeople(t *testing.T) {
	w := world{pulls: map[string]pull{"acme/api#1": {}, "acme/web#2": {}, "acme/sdk#3": {}, "acme/cli#4": {days: 900}},
		links: []link{{from: "acme/web#2", to: "acme/api#1", relation: "needs"}, {from: "acme/sdk#3", to: "acme/api#1"}}}
	together := schema.Decision{Action: schema.KeepTogether, Pulls: []string{"acme/cli#4", "ACME/web#2", "acme/none#1"},
		Reason: "one requirement"}
	apart := schema.Decision{Action: schema.KeepApart, Apart: [][]string{{"acme/sdk#3"}, {"acme/api#1", "acme/web#2"}}}
	for _, test := range []struct {
		name  string
		stage group.Stage
		want  []string
	}{
		{"none", group.Stage{}, []string{"acme/api#1 acme/sdk#3 acme/web#2"}},
		{"together", decide(together), []string{"acme/api#1 acme/cli#4 acme/sdk#3 acme/web#2"}},
		{"apart", decide(apart), []string{"acme/api#1 acme/web#2"}},
		{"both", decide(together, apart), []string{"acme/api#1 acme/cli#4 acme/web#2"}},
		{"apart through a third", decide(schema.Decision{Action: schema.KeepApart, Apart: [][]string{{"acme/sdk#3"},
			{"acme/web#2"}}}), []string{"acme/api#1 acme/web#2"}},
		{"a later decision takes an earlier one back", decide(apart, schema.Decision{Action: schema.KeepTogether,
			Pulls: []string{"acme/sdk#3", "acme/api#1", "acme/web#2"}}),
			[]string{"acme/api#1 acme/sdk#3 acme/web#2"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			db := database(t, w, 0)
			if d := cmp.Diff(test.want, candidates(t, db, test.stage)); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestDecisionIsRecordedAndMakesNewLineage(t *testing.T) {
	w := world{pulls: map[string]pull{"acme/api#1": {}, "acme/web#2": {}, "acme/sdk#3": {}},
		links: []link{{from: "acme/web#2", to: "acme/api#1", relation: "needs"}, {from: "acme/sdk#3", to: "acme/api#1",
			reason: "flag quote"}}}
	db := database(t, w, 0)
	run(t, db, group.Stage{})
	before := storetest.Strings(t, db, "SELECT candidate_id FROM candidates")
	if c := run(t, db, group.Stage{}); c.Unchanged != 1 {
		t.Error(c)
	}
	together := decide(schema.Decision{Action: schema.KeepTogether, Pulls: []string{"acme/sdk#3", "acme/api#1"},
		Reason: "see the issue"})
	if c := run(t, db, together); c.Done != 1 {
		t.Error(c)
	}
	after := storetest.Strings(t, db, "SELECT candidate_id FROM candidates WHERE list_contains(flags, 'person')")
	if len(before) != 1 || len(after) != 1 || before[0] == after[0] {
		t.Fatal(before, after)
	}
	want := []string{before[0] + " " + after[0] + " [acme/sdk#3] []"}
	if d := cmp.Diff(want, storetest.Strings(t, db,
		"SELECT old_candidate || ' ' || new_candidate || ' ' || added::VARCHAR || ' ' || removed::VARCHAR FROM "+
			"lineage")); d != "" {
		t.Error(d)
	}
	via := storetest.Strings(t, db, "SELECT via FROM candidate_pulls WHERE pull = 'acme/sdk#3'")
	if d := cmp.Diff([]string{"acme/sdk#3 person acme/api#1 (score 9: kept together by mia: see the issue) “mention " +
		"acme/api#1”"}, via); d != "" {
		t.Error(d)
	}
}

func TestGoneEcosystemLeavesNoRows(t *testing.T) {
	db := database(t, chain(2, "needs", 1), 0)
	run(t, db, group.Stage{})
	if err := db.InTx(t.Context(), func(ctx context.Context, tx pipeline.Tx) error {
		return tx.Exec(ctx, "UPDATE ecosystems SET kept = false")
	}); err != nil {
		t.Fatal(err)
	}
	run(t, db, group.Stage{})
	for _, table := range []string{"edges", "candidate_groups", "group_members", "campaigns"} {
		if n := storetest.Strings(t, db, "SELECT count(*)::VARCHAR FROM "+table); n[0] != "0" {
			t.Error(table, n)
		}
	}
	if d := cmp.Diff([]string{"[acme/api#1, acme/web#2]"}, storetest.Strings(t, db,
		"SELECT removed::VARCHAR FROM lineage WHERE new_candidate = ''")); d != "" {
		t.Error(d)
	}
}

// The same rows whatever the order of arrival.
func TestArrivalOrderDoesNotMatter(t *testing.T) {
	w := chain(40, "needs", 3)
	for i := range 30 {
		w.links = append(w.links, link{from: fmt.Sprintf("%s#%d", names[(i+7)%10], i+8), to: fmt.Sprintf("%s#%d", names[i%10],
			i+1), relation: []string{"mention", "picks_up", "contrast"}[i%3]})
	}
	w.own = map[string]string{"acme/api#1": "77", "acme/api#11": "77"}
	w.links = append(w.links, link{from: "acme/web#2", to: "acme/api#77", relation: "closes"})
	dump := func(seed uint64) (all []string) {
		db := database(t, w, seed)
		run(t, db, group.Stage{})
		for _, table := range []string{"edges", "candidate_groups", "group_members", "campaigns"} {
			all = append(all, storetest.Strings(t, db, "SELECT t::VARCHAR FROM "+table+" t")...)
		}
		return all
	}
	first := dump(0)
	if len(first) < 60 {
		t.Fatalf("only %d rows", len(first))
	}
	for seed := uint64(1); seed <= 4; seed++ {
		if d := cmp.Diff(first, dump(seed)); d != "" {
			t.Errorf("seed %d: %s", seed, d)
		}
	}
}

// A rename changes neither members nor ids.
func TestCandidateIDSurvivesARename(t *testing.T) {
	db := database(t, chain(2, "needs", 1), 0)
	run(t, db, group.Stage{})
	before := storetest.Strings(t, db, "SELECT candidate_id FROM candidates")
	err := db.InTx(t.Context(), func(ctx context.Context, tx pipeline.Tx) error {
		return tx.Append(ctx, "repository_versions", [][]any{{int64(1), "acme/api-server", "acme", false, false, false,
			int64(0), "Go", "MIT", "main", "", day, "ok", day.AddDate(0, 0, 1)}})
	})
	if err != nil {
		t.Fatal(err)
	}
	run(t, db, group.Stage{})
	if d := cmp.Diff(before, storetest.Strings(t, db, "SELECT candidate_id FROM candidates")); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"[acme/api-server, acme/web]"}, storetest.Strings(t, db,
		"SELECT repositories::VARCHAR FROM candidates")); d != "" {
		t.Error(d)
	}
}
