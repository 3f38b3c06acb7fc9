package database

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/storetest"
)

// TestContractViews keeps the columns that others script against, in this order
// and before any others.
func TestContractViews(t *testing.T) {
	db := storetest.Open(t)
	for view, want := range map[string][]string{
		"pulls": {"repository", "number", "title", "body", "author", "merged_at", "base_sha", "head_sha",
			"merge_commit_sha"},
		"all_pulls": {"repository", "number", "title", "body", "author"},
		"links": {"source", "target", "target_kind", "form", "location", "relation", "may_group", "flags",
			"snippet"},
		"external_links": {"source", "target", "target_kind", "form", "location", "relation", "may_group", "flags",
			"snippet"},
		"candidates":       {"candidate_id", "ecosystem", "status", "repositories", "pulls", "latest_merged_at"},
		"candidate_pulls":  {"candidate_id", "repository", "number"},
		"funnel":           {"stage", "unit", "status", "reason", "items"},
		"funnel_paper":     {"stage", "unit", "status", "reason", "items"},
		"tasks":            {"task_id", "candidate_id", "kind", "status"},
		"targets":          {"task_id", "repository", "base_commit", "gold_commit", "f2p", "p2p"},
		"test_transitions": {"task_id", "repository", "test_id", "base", "gold", "class", "missing_on_base"},
	} {
		got, err := pipeline.Column(t.Context(), db,
			"SELECT column_name FROM information_schema.columns WHERE table_name = ? ORDER BY ordinal_position", view)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, got[:min(len(want), len(got))]); d != "" {
			t.Errorf("view %s: %s", view, d)
		}
	}
}

// TestEveryViewAnswers asks every view of an empty database.
func TestEveryViewAnswers(t *testing.T) {
	db := storetest.Open(t)
	views, err := pipeline.Column(t.Context(), db, "SELECT view_name FROM duckdb_views() WHERE NOT internal ORDER BY 1")
	if err != nil || len(views) < 15 {
		t.Fatalf("%d views: %v", len(views), err)
	}
	for _, v := range views {
		rows, err := db.Query(t.Context(), "SELECT * FROM "+v)
		if err != nil {
			t.Errorf("%s: %v", v, err)
			continue
		}
		if rows.Next() && v != "funnel_paper" && v != "about" {
			t.Errorf("%s has a row over empty tables", v)
		}
		rows.Close()
	}
}
