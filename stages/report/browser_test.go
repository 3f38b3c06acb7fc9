package report

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	gocmp "github.com/google/go-cmp/cmp"

	"github.com/wideswe/wideswe/schema"
)

// shownResult is the worked set with everything that the page can show of it.
func shownResult(t *testing.T) *Result {
	t.Helper()
	data := workedData()
	for i := range data.Tasks {
		x := &data.Tasks[i]
		x.prompt = "Please make " + x.ID + " work.\n\n" + strings.Repeat("It should keep what it has, and say so. ", 12) +
			"\n\n" + hostile
		x.Title = []string{"Accept records with CRLF line ends",
			"Honour a local random generator when sampling from the actor", "Say why a request was refused",
			"Forward a_rather_long_identifier_that_nobody_would_break_over_two_lines to every software development kit", "Ramps",
			"Default reminders for all-day events", line(hostile, maxTitle)}[i]
		x.Context = []int{0, 3, 0, 12, 3, 5, 20}[i]
	}
	data.Funnel = []schema.FunnelRow{{Stage: "rank", Unit: "ecosystem", Status: "done", Items: 103}, {Stage: "crawl",
		Unit: "pull", Status: "done", Items: 1729171},
		{Stage: "link", Unit: "pull", Status: "done", Items: 109233}, {Stage: "link", Unit: "pull", Status: "skipped",
			Reason: "no link to another repository", Items: 1619938},
		{Stage: "group", Unit: "candidate", Status: "done", Items: 4437}, {Stage: "review", Unit: "candidate", Status: "done",
			Items: 635},
		{Stage: "validate", Unit: "task", Status: "runnable", Items: 240}, {Stage: "validate", Unit: "task",
			Status: "eligible", Items: 192}, {Stage: "balance", Unit: "task", Status: "done", Items: 120}}
	var list []evaluation
	for _, w := range worked {
		e := evaluation{Source{Folder: t.TempDir(), Label: w.label}, nil, w.reportOf(data)}
		e.Label = map[string]string{"A": "Codex CLI · GPT-5.6-sol (high)", "B": "Claude Code · Opus 5",
			"C": "Claude Code · Qwen 3.8 Max, with a long name"}[w.label]
		for id, v := range e.report.Tasks {
			decorate(t, e.Folder, id, &v)
			e.report.Tasks[id] = v
		}
		list = append(list, e)
	}
	res, err := compile(data, list, options{pairs: "equal"})
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// decorate gives a verdict failing tests, a patch and a log.
func decorate(t *testing.T, folder, id string, v *schema.TaskReport) {
	t.Helper()
	v.Flags = []string{"runner configuration: x/a: " + strings.Repeat("deep/", 30) + "conftest.py"}
	v.Seconds = 12.3
	for repository, x := range v.Targets {
		if x.Status == schema.StatusUnresolved {
			x.Failing = []schema.FailingTest{{ID: "tests/test_a.py::Test::test_" + strings.Repeat("long_", 30) + "name",
				Class: schema.F2P, Outcome: schema.Fail, Message: "want 1\ngot 2\n" + hostile +
					"<img src=x onerror=\"window.broken=1\">"},
				{ID: "u::gone", Class: schema.F2P}}
			x.Reason = "1 F2P test fails"
		}
		x.Log = "logs/" + id + "/" + schema.FileName(repository) + ".log"
		write(t, filepath.Join(folder, x.Log), strings.Repeat("ok\n", 3000)+
			"</pre><script>window.broken=1</script>\nlast line of "+repository+"\n")
		v.Targets[repository] = x
	}
	for _, repository := range v.Patched {
		text := change("lib/"+strings.Repeat("a", 60)+".go", "	return "+strings.Repeat("x", 200), "	return y // "+hostile)
		name := "patches/" + id + "/" + schema.FileName(repository) + ".patch"
		write(t, filepath.Join(folder, name), text)
		v.Patches = append(v.Patches, schema.KeptPatch{Repository: repository, File: name, Bytes: len(text)})
	}
}

func TestPageInABrowser(t *testing.T) {
	w := watch(t, shownResult(t))
	for _, size := range []struct {
		name          string
		width, height int64
	}{{"desktop", 1280, 900}, {"phone", 390, 844}, {"small phone", 360, 640}} {
		t.Run(size.name, func(t *testing.T) {
			w.summaryFirst(t, size.width, size.height)
			w.fits(t, size.name, size.width, size.height)
			w.sorts(t, size.width, size.height)
			w.opensATask(t, size.name, size.width, size.height)
		})
	}
	for _, scheme := range []string{"light", "dark"} {
		t.Run(scheme, func(t *testing.T) { w.readable(t, scheme) })
	}
	t.Run("paper", w.prints)
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, url := range w.asked {
		if url != w.url+"/" && url != "about:blank" {
			t.Errorf("the page asks for %s", url)
		}
	}
	if len(w.said) > 0 || len(w.asked) == 0 {
		t.Errorf("the browser complains: %v (%d requests)", w.said, len(w.asked))
	}
}

// summaryFirst: what a reader sees without scrolling.
func (w *watched) summaryFirst(t *testing.T, width, height int64) {
	w.open(t, width, height, "light", "")
	text := ask[string](t, w, `document.body.innerText`)
	for _, want := range []string{"worked 1", "7 tasks with 15 targets in 4 repositories of 2 ecosystems", "42.86 %",
		"3/7 tasks resolved, 95 % interval 15.8–75.0", "incomplete",
		"8/14 tasks resolved in 2 attempts", "3 as submitted", "Table 1: Results by kind of task (incomplete)",
		"Where unresolved tasks stop", "Table 5: Paired outcomes", "Figure 7. Size of the reference changes."} {
		if !strings.Contains(strings.ReplaceAll(text, "\u00a0", " "), want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	if at := ask[float64](t, w, `document.querySelector(".leaders .big").getBoundingClientRect().bottom`); at > float64(
		height) {
		t.Errorf("the first result is %v down, below the fold at %d", at, height)
	}
	if got := ask[[]float64](t, w, `[...document.querySelectorAll(".leaders .big")].map((e) => `+
		`parseFloat(e.textContent))`); !slices.IsSortedFunc(got, func(a, b float64) int { return cmp.Compare(b, a) }) {
		t.Errorf("the best does not stand first: %v", got)
	}
	if strings.Contains(text, "Please make") {
		t.Error("task pages are open beside the summary")
	}
}

// fits: nothing is wider than the screen, with everything open.
func (w *watched) fits(t *testing.T, name string, width, height int64) {
	w.shoot(t, name)
	w.run(t, chromedp.Evaluate(openAll, nil))
	w.inWidth(t, width)
	if small := ask[[]string](t, w, `[...document.querySelectorAll("figure svg text")].filter((e) => `+
		`e.checkVisibility() && e.getBoundingClientRect().height < 8).map((e) => e.textContent).slice(0, 5)`); len(
		small) > 0 {
		t.Errorf("too small to read: %v", small)
	}
	if n := ask[int](t, w, `[...document.querySelectorAll("figure svg")].filter((e) => e.checkVisibility()).length`); n != ask[int](t, w, `document.querySelectorAll("figure").length`) {
		t.Errorf("%d figures are seen", n)
	}
}

// sorts: the table of tasks goes by what a reader clicks, and holds what they seek.
func (w *watched) sorts(t *testing.T, width, height int64) {
	w.open(t, width, height, "light", "")
	sort := func(column, direction string) []string {
		if width < 700 {
			value := ask[string](t, w, fmt.Sprintf(`[...document.querySelector(".tools select").options].find((o) => o.text `+
				`=== %q).value`, column+" "+map[string]string{"up": "↑", "down": "↓"}[direction]))
			w.run(t, chromedp.SetValue(".tools select", value),
				chromedp.Evaluate(`document.querySelector(".tools select").dispatchEvent(new Event("change"))`, nil))
			return ask[[]string](t, w, visibleRows)
		}
		want := map[string]string{"up": "ascending", "down": "descending"}[direction]
		for range 2 { // the first click sorts upwards, the next one down
			w.run(t, chromedp.Evaluate(fmt.Sprintf(`(() => { const b = [...document.querySelectorAll("table.tasks th button")].find((b) => b.textContent === %q);
				if (b.parentElement.getAttribute("aria-sort") !== %q) b.click(); })()`, column, want), nil))
		}
		return ask[[]string](t, w, visibleRows)
	}
	for _, tt := range []struct {
		column, direction string
		want              []string
	}{
		{"P2P", "up", []string{"f1", "f2", "b3", "b2", "f3", "b1", "f4"}},
		{"P2P", "down", []string{"b1", "f4", "b2", "f3", "b3", "f1", "f2"}}, // equal ones keep their order
		{"Kind", "up", []string{"b1", "b2", "b3", "f4", "f3", "f1", "f2"}},
		{"Claude Code · Opus 5", "down", []string{"f4", "f1", "b2", "f2", "b3", "b1", "f3"}},
	} {
		got := sort(tt.column, tt.direction)
		if tt.column == "Claude Code · Opus 5" {
			got, tt.want = got[:2], tt.want[:2]
		}
		if d := gocmp.Diff(tt.want, got); d != "" {
			t.Errorf("by %s %s: %s", tt.column, tt.direction, d)
		}
	}
	w.run(t, chromedp.Evaluate(`document.querySelector(".tools input").value = "feature disputed"; `+
		`document.querySelector(".tools input").dispatchEvent(new Event("input"))`, nil))
	if got := ask[[]string](t, w, visibleRows); len(got) != 0 {
		t.Errorf("feature disputed shows %v", got)
	}
	w.run(t, chromedp.Evaluate(`document.querySelector(".tools input").value = "BUGFIX disputed"; `+
		`document.querySelector(".tools input").dispatchEvent(new Event("input"))`, nil))
	if d := gocmp.Diff([]string{"b3"}, ask[[]string](t, w, visibleRows)); d != "" {
		t.Error(d)
	}
	if text := ask[string](t, w, `document.querySelector(".tools [role=status]").textContent`); text != "1 of 7" {
		t.Errorf("the filter says %q", text)
	}
}

// opensATask: a click leads to one task, with all there is of it, and back.
func (w *watched) opensATask(t *testing.T, name string, width, height int64) {
	w.open(t, width, height, "light", "")
	w.run(t, chromedp.Click(`table.tasks a[href="#task-f4"]`, chromedp.ByQuery), chromedp.WaitVisible("#task-f4",
		chromedp.ByQuery))
	if closed := ask[string](t, w, `document.body.innerText`); !strings.Contains(closed,
		"y/c: fail tests/test_a.py::Test::test_long_") || strings.Contains(closed, "last line of") {
		t.Error("a closed run does not say why it is not resolved, or more than that")
	}
	w.run(t, chromedp.Evaluate(openAll, nil))
	if ask[bool](t, w, `document.querySelector(".home").checkVisibility()`) || ask[float64](t, w, `scrollY`) != 0 {
		t.Error("the task does not stand alone, at its beginning")
	}
	text := ask[string](t, w, `document.body.innerText`)
	for _, want := range []string{"Please make f4 work.", "<script>alert(1)</script>", "x/a", "y/c",
		"F2P 0/1, P2P 3/3: 1 F2P test fails", "u::gone", "missing", "last line of y/c",
		"diff --git a/lib/", "1 file, +1 −1", "No substantive code change in", "40 API requests"} {
		if !strings.Contains(text, want) {
			t.Errorf("the task's page does not say %q", want)
		}
	}
	if strings.Contains(text, "Please make f3") {
		t.Error("another task is shown, too")
	}
	if ask[bool](t, w, `"broken" in window`) {
		t.Error("strangers' text ran as a script")
	}
	w.inWidth(t, width)
	w.shoot(t, name+" task")
	w.run(t, chromedp.Click(`#task-f4 a[href="#task-f3"]`, chromedp.ByQuery), chromedp.WaitVisible("#task-f3",
		chromedp.ByQuery),
		chromedp.Click(`#task-f3 a[href="#tasks"]`, chromedp.ByQuery), chromedp.WaitVisible(".home", chromedp.ByQuery))
}

// prints: on paper everything is dark on light, tables are open and whole, and colours
// that say something are there.
func (w *watched) prints(t *testing.T) {
	const paper = 700 // about what a page holds
	w.open(t, paper, 900, "dark", "")
	w.run(t, emulation.SetEmulatedMedia().WithMedia("print").WithFeatures(
		[]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}}),
		chromedp.Evaluate(`dispatchEvent(new Event("beforeprint"))`, nil))
	if ink := ask[float64](t, w, `getComputedStyle(document.body).color.match(/\d+/g).slice(0, 3).reduce((s, v) => s + `+
		`Number(v), 0)`); ink > 200 {
		t.Errorf("the ink's colours add up to %v", ink)
	}
	if n := ask[int](t, w, `document.querySelectorAll("details.table:not([open])").length`); n > 0 {
		t.Errorf("%d tables are closed", n)
	}
	if list := ask[[]string](t, w, `[...document.querySelectorAll(".scroll")].filter((e) => e.checkVisibility() && `+
		`getComputedStyle(e).overflowX !== "visible").map((e) => e.textContent.slice(0, 40))`); len(list) > 0 {
		t.Errorf("cut off: %q", list)
	}
	if how := ask[string](t, w, `getComputedStyle(document.querySelector(".bar i")).printColorAdjust`); how != "exact" {
		t.Errorf("bars are printed %s", how)
	}
	w.shoot(t, "paper")
	w.run(t, chromedp.Evaluate(`dispatchEvent(new Event("afterprint"))`, nil), emulation.SetEmulatedMedia().WithMedia(""))
	if n := ask[int](t, w, `document.querySelectorAll("details.table[open]").length`); n > 0 {
		t.Errorf("%d tables stay open", n)
	}
}

// contrast gives the least contrast of what is read, in a page or a task, and where.
const contrast = `(() => {
	const lum = (c) => c.map((v) => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4).reduce((s, v, i) => s + v * [0.2126, 0.7152, 0.0722][i], 0);
	const rgb = (s) => (s.match(/[\d.]+/g) || []).map(Number);
	const ground = (e) => { for (; e; e = e.parentElement) { const c = rgb(getComputedStyle(e).backgroundColor); if (c.length === 3 || c[3] > 0.5) return c.slice(0, 3); } return [255, 255, 255]; };
	let least = [99, ""];
	for (const e of document.querySelectorAll("body *")) {
		const text = [...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim());
		if (!text || !e.checkVisibility() || e.closest("script, style")) continue;
		const style = getComputedStyle(e), svg = e.closest("svg"), fg = rgb(svg ? style.fill : style.color).slice(0, 3);
		const at = ground(svg ? svg.parentElement : e);
		const a = lum(fg), b = lum(at), c = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
		if (c < least[0] && !(svg && rgb(style.fill).join() === over.join())) least = [c, e.tagName + "." + (e.className.baseVal ?? e.className) + " " + e.textContent.trim().slice(0, 40)];
	}
	return least;
})()`

// readable: every text stands out from its ground, figures too.
func (w *watched) readable(t *testing.T, scheme string) {
	for _, hash := range []string{"", "#task-f4"} {
		w.open(t, 1280, 900, scheme, hash)
		w.run(t, chromedp.Evaluate(openAll, nil))
		// Text on a series' colour has a ground that the page does not know.
		over := `const over = (() => { const s = document.createElement("i"); s.style.color = "var(--f-over)"; ` +
			`document.body.append(s); const c = getComputedStyle(s).color.match(/[\d.]+/g).map(Number); s.remove(); return ` +
			`c.slice(0, 3); })();`
		least := ask[[]any](t, w, "(() => {"+over+" return "+contrast+"; })()")
		if c, _ := least[0].(float64); c < 4.5 {
			t.Errorf("%s%s: contrast %.2f of %v", scheme, hash, c, least[1])
		}
		dark := ask[float64](t, w, `getComputedStyle(document.body).backgroundColor.match(/\d+/g).slice(0, 3).reduce((s, `+
			`v) => s + Number(v), 0)`)
		if (scheme == "dark") != (dark < 200) {
			t.Errorf("%s: the ground's colours add up to %v", scheme, dark)
		}
		w.shoot(t, strings.TrimSpace(scheme+" "+strings.TrimPrefix(hash, "#")))
	}
}
