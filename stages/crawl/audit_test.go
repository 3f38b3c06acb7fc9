package crawl_test

import (
	"context"
	"net/http"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/github"
	"github.com/wideswe/wideswe/stages/crawl"
)

var question = regexp.MustCompile(`^repo:(\S+) is:pr is:merged merged:(\S+)\.\.(\S+)$`)

// search answers as the host's search: by ranges, a thousand results at most.
func (h *hub) search(w http.ResponseWriter, r *http.Request) {
	m := question.FindStringSubmatch(r.FormValue("q"))
	if m == nil || h.repos[strings.ToLower(m[1])] == nil {
		say(w, 422, map[string]any{"message": "Validation Failed"})
		return
	}
	var numbers []int
	for n, p := range h.repos[strings.ToLower(m[1])].pulls {
		if at, ok := p["merged_at"].(string); ok && p["hidden"] == nil && at >= m[2] && at <= m[3] {
			numbers = append(numbers, n)
		}
	}
	sort.Ints(numbers)
	page, _ := strconv.Atoi(r.FormValue("page"))
	items := []any{}
	for i := (page - 1) * 100; i < min(page*100, len(numbers), 1000); i++ {
		items = append(items, map[string]any{"number": numbers[i]})
	}
	say(w, 200, map[string]any{"total_count": len(numbers), "incomplete_results": false, "items": items})
}

func (w *world) audit() ([]crawl.Audited, int) {
	w.t.Helper()
	w.hub.log = nil
	pool, err := github.New(github.Options{BaseURL: w.hub.srv.URL})
	if err != nil {
		w.t.Fatal(err)
	}
	list, err := w.stage(pool).Audit(w.t.Context(), &pipeline.Run{Ledger: w.db})
	if err != nil {
		w.t.Fatal(err)
	}
	return list, len(w.hub.log)
}

func TestAuditFindsWhatIsMissing(t *testing.T) {
	w := newWorld(t)
	w.untested = true // rows are taken out below
	big := w.hub.repo("acme/big", 2300)
	w.hub.repo("acme/small", 5)
	w.hub.repo("acme/off", 1).attrs["off"] = true
	w.calm()
	list, asked := w.audit()
	if len(list) != 2 || asked != 2 || !list[0].Complete() || !list[1].Complete() || list[0].Expected != 2300 {
		t.Errorf("asked %d: %+v", asked, list)
	}
	if _, again := w.audit(); again != 0 {
		t.Errorf("a second audit asked %d times", again)
	}
	// Two are lost here, one is not in the host's search.
	if err := w.db.InTx(t.Context(), func(ctx context.Context, tx pipeline.Tx) error {
		return tx.Exec(ctx, "DELETE FROM pull_versions WHERE repository_id = ? AND number IN (7, 1500)", big.id)
	}); err != nil {
		t.Fatal(err)
	}
	big.pulls[2000]["hidden"] = true
	list, asked = w.audit()
	got := list[0]
	if d := cmp.Diff([]int{7, 1500}, got.Missing); d != "" || got.Complete() || !list[1].Complete() {
		t.Errorf("%s: %+v", d, list)
	}
	if d := cmp.Diff([]int{2000}, got.Unlisted); d != "" || got.Expected != 2299 || got.Stored != 2298 {
		t.Errorf("%s: %+v", d, got)
	}
	if asked > 60 {
		t.Errorf("asked %d times", asked)
	}
	view := w.rows("SELECT concat_ws('|', repository, expected, stored, complete, missing, unlisted) FROM crawl_audit " +
		"ORDER BY 1")
	if d := cmp.Diff([]string{"acme/big|2299|2298|false|[7, 1500]|[2000]", "acme/small|5|5|true|[]|[]"}, view); d != "" {
		t.Error(d)
	}
}

func TestAuditNamesWhatIsUnread(t *testing.T) {
	w := newWorld(t)
	w.hub.repo("acme/api", 250)
	ctx, cancel := context.WithCancel(t.Context())
	w.hub.before = func(n int, _ http.ResponseWriter, _ *http.Request) bool {
		if n == 3 {
			cancel()
		}
		return false
	}
	_, _ = w.crawl(ctx)
	w.hub.before = nil
	if list, asked := w.audit(); len(list) != 1 || !list[0].Unread || list[0].Complete() || asked != 0 {
		t.Errorf("asked %d: %+v", asked, list)
	}
}
