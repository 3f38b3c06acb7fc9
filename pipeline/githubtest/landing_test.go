package githubtest

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// A pull that somebody pushes and closes: the API calls it closed, the branch's
// commits say what became of it.
func TestLandedPulls(t *testing.T) {
	fsys := smallFS()
	fsys["pulls/stone-7.txtar"] = &fstest.MapFile{Data: []byte(pullHead(7, "squash", "closed_at: 2024-02-06T10:00:00Z",
		"landed_by: 'sweep[bot]'") + "-- g.txt --\ng\n")}
	fsys["pulls/stone-8.txtar"] = &fstest.MapFile{Data: []byte(pullHead(8, "squash", "closed_at: 2024-02-07T10:00:00Z",
		"landed_by: 'sweep[bot]'",
		"landing_reverted_at: 2024-02-08T10:00:00Z") + "-- h.txt --\nh\n")}
	s, err := Start(t.Context(), fsys, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	_, body := get(t, s.URL()+"/repos/mill/stone/pulls/7")
	var p struct {
		State          string
		Merged         bool
		MergedAt       any `json:"merged_at"`
		MergeCommitSHA any `json:"merge_commit_sha"`
	}
	if err := json.Unmarshal([]byte(body), &p); err != nil || p.State != "closed" || p.Merged || p.MergedAt != nil ||
		p.MergeCommitSHA != nil {
		t.Errorf("%v: %+v", err, p)
	}
	list := func(query string) (out []string) {
		t.Helper()
		resp, body := get(t, s.URL()+"/repos/mill/stone/commits?"+query)
		var all []struct {
			SHA       string
			Committer struct{ Login string }
			Commit    struct{ Message string }
		}
		if err := json.Unmarshal([]byte(body), &all); err != nil {
			t.Fatalf("%v: %s", err, body)
		}
		for _, c := range all {
			first, rest, _ := strings.Cut(c.Commit.Message, "\n")
			line := first + " by " + c.Committer.Login
			if strings.Contains(rest, "Pull Request resolved: https://github.com/mill/stone/pull/") {
				line += ", lands"
			}
			out = append(out, line)
		}
		if strings.Contains(resp.Header.Get("Link"), `rel="next"`) {
			out = append(out, "…")
		}
		return out
	}
	want := []string{`Revert "Change 8 (#8)" by sweep[bot]`, "Change 8 (#8) by sweep[bot], lands",
		"Change 7 (#7) by sweep[bot], lands"}
	if d := cmp.Diff(want, list("since=2024-02-05T00:00:00Z&per_page=100")); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{want[1], "…"}, list("since=2024-02-05T00:00:00Z&until=2024-02-07T12:00:00Z&per_page=1")); d != "" {
		t.Error(d)
	}
	c := commits(t, s.Built(), "mill/stone#8")
	if _, body := get(t, fmt.Sprintf("%s/repos/mill/stone/commits/%s", s.URL(), c.Merged)); !strings.Contains(body,
		c.Before) {
		t.Errorf("the landing is %s", body)
	}
	if resp, _ := get(t, s.URL()+"/repos/mill/empty/commits"); resp.StatusCode != 409 {
		t.Errorf("an empty repository's commits: %d", resp.StatusCode)
	}
	fsys["pulls/stone-7.txtar"].Data = []byte(pullHead(7, "squash", "merged_at: 2024-02-06T10:00:00Z",
		"landed_by: nobody") + "-- g.txt --\ng\n")
	if _, err := Load(fsys); err == nil || !strings.Contains(err.Error(), "landed_by names an account") {
		t.Errorf("got %v", err)
	}
}
