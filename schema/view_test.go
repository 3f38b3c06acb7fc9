package schema_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/wideswe/wideswe/schema"
)

// analysts lists the views for analysts. Each has a key, names the stage that fills each column, and gives an example.
var analysts = strings.Fields(`outcomes_latest ecosystem_list repositories all_pulls pulls issues crawl_health links
	external_links link_forms paper_link_list candidates candidate_pulls neighbours edge_list time_to_companion
	campaign_overview proposals record_list files pull_checks comments review_overview review_list test_stability
	test_transitions
	run_overview targets tasks candidate_overview pull_ends funnel funnel_paper repository_summary ecosystem_summary
	cross_repository_matrix funnel_differences about evaluation_targets evaluation_tasks evaluation_results
	evaluation_attempts evaluation_pass_at evaluation_configurations`)

func TestAnalystsViewsSayWhatTheyHold(t *testing.T) {
	views, err := schema.Views()
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, v := range views {
		if !slices.Contains(analysts, v.Name) {
			continue
		}
		found++
		if len(v.Key) == 0 || len(v.From) == 0 || v.Example.Title == "" || !strings.Contains(v.Example.SQL, v.Name) {
			t.Errorf("%s: key %q, from %v, example %q", v.Name, v.Key, v.From, v.Example)
		}
	}
	if found != len(analysts) {
		t.Errorf("%d of %d views are there", found, len(analysts))
	}
}

func TestStageOfAColumn(t *testing.T) {
	v := schema.View{Grain: "One row per thing.", Key: []string{"a", "b"}, From: []schema.Filling{
		{Stage: "crawl", Columns: []string{"*"}}, {Stage: "group, dedupe", Columns: []string{"c"}},
		{Stage: "review", Columns: []string{"c", "d"}}}}
	for column, want := range map[string]string{"a": "crawl", "c": "group, dedupe, review", "d": "review"} {
		if got := v.Stage(column); got != want {
			t.Errorf("%s is filled by %q, want %q", column, got, want)
		}
	}
	if got, want := v.Comment(), "One row per thing. Key: a, b."; got != want {
		t.Errorf("comment %q", got)
	}
}

func TestColumnComment(t *testing.T) {
	v := schema.View{From: []schema.Filling{{Stage: "crawl", Columns: []string{"*"}}},
		Columns: map[string]string{"a": "Length in bytes."}}
	if got, want := v.ColumnComment("a"), "Length in bytes. Filled by crawl."; got != want {
		t.Errorf("comment %q, want %q", got, want)
	}
	v.From = nil
	if got, want := v.ColumnComment("a"), "Length in bytes."; got != want {
		t.Errorf("without a stage: comment %q, want %q", got, want)
	}
}
