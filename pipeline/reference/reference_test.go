package reference_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/wideswe/wideswe/pipeline/reference"
)

var person = reference.Source{Owner: "acme", Name: "web", Author: "mia", AuthorType: "User", Location: reference.Body}

// show writes a reference as "owner/name#N form kind relation flags".
func show(r reference.Reference) string {
	target := fmt.Sprintf("%s/%s#%d", r.Owner, r.Name, r.Number)
	switch {
	case r.RepositoryID != 0:
		target = fmt.Sprintf("%d#%d", r.RepositoryID, r.Number)
	case r.Kind == reference.Commit:
		target = r.Owner + "/" + r.Name + "@" + r.SHA
	}
	s := fmt.Sprintf("%s %s %s %s", target, r.Form, r.Kind, r.Relation)
	for _, f := range r.Flags {
		s += " " + string(f)
	}
	return s
}

func showAll(text string, src reference.Source) (all []string) {
	for _, r := range reference.Extract(text, src) {
		all = append(all, show(r))
	}
	return all
}

const sha = "0123456789abcdef0123456789abcdef01234567"

func TestForms(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"url", "https://github.com/acme/api/pull/12", "acme/api#12 url pull mention"},
		{"url in capitals", "HTTPS://WWW.GitHub.COM/Acme/API/Pull/12", "Acme/API#12 url pull mention"},
		{"url of an issue", "https://github.com/acme/api/issues/12#issuecomment-1", "acme/api#12 url issue mention"},
		{"url without a scheme", "github.com/acme/api/pull/12", "acme/api#12 url_bare pull mention"},
		{"discussion", "https://github.com/acme/api/discussions/12", "acme/api#12 url discussion mention loose"},
		{"commit", "https://github.com/acme/api/commit/" + sha, "acme/api@" + sha + " commit_url commit mention"},
		{"commit shorthand", "acme/api@01234567ABC", "acme/api@01234567abc commit_shorthand commit mention"},
		{"commit of digits alone", "acme/api@20240102", ""},
		{"redirect", "https://redirect.github.com/acme/api/issues/12", "acme/api#12 redirect_url issue mention redirect"},
		{"redirect of another bot", "https://github-redirect.dependabot.com/acme/api/issues/12",
			"acme/api#12 redirect_url issue mention redirect"},
		{"api", "https://api.github.com/repos/acme/api/pulls/12", "acme/api#12 api_url pull mention"},
		{"api by number", "https://api.github.com/repositories/77/issues/12", "77#12 api_url issue mention"},
		{"api commit", "https://api.github.com/repos/acme/api/git/commits/" + sha, "acme/api@" + sha +
			" api_url commit mention"},
		{"html anchor", `<a class="x" href='https://github.com/acme/api/pull/12'>x</a>`,
			"acme/api#12 html_anchor pull mention"},
		{"html attribute that is no target", `<img alt="https://github.com/acme/api/pull/12">`, ""},
		{"name alone", "api#12", "acme/api#12 name_only unknown mention loose"},
		{"other hosts", "https://notgithub.com/acme/api/pull/12 https://gitlab.com/acme/api/pull/12 " +
			"https://github.com.evil.org/acme/api/pull/12 https://github.com@evil.org/acme/api/pull/12", ""},
		{"user part", "https://x@github.com/acme/api/pull/12", ""},
		{"reserved owners", "https://github.com/orgs/acme/discussions/12 https://github.com/orgs/acme/pull/12", ""},
		{"dots as a name", "acme/..#12 https://github.com/acme/./pull/12", ""},
		{"owner too long", strings.Repeat("a", 40) + "/api#12", ""},
		{"name too long", "acme/" + strings.Repeat("a", 101) + "#12", ""},
		{"number beyond the database", "acme/api#2147483648", ""},
		{"leading zero", "acme/api#012", ""},
		{"emphasis", "**acme/api#1** _acme/sdk#2_ __acme/docs#3__",
			"acme/api#1 shorthand unknown mention|acme/sdk#2 shorthand unknown mention|acme/docs#3 shorthand unknown mention"},
		{"underscore in a name", "acme/my_api#1", "acme/my_api#1 shorthand unknown mention"},
		{"shorthand in an address", "https://example.org/?q=acme/api#12", ""},
		{"link target that is a shorthand", "[x](acme/api#12)", ""},
		{"link label and target", "[acme/api#12](https://github.com/acme/api/pull/13)", "acme/api#13 url pull mention"},
		{"link label with brackets", "[[acme/api#12], a/b#1](https://github.com/acme/api/pull/13) a/b#2",
			"acme/api#13 url pull mention|a/b#2 shorthand unknown mention"},
		{"label of a definition", "[acme/api#12][1] x\n\n[1]: https://github.com/acme/api/pull/12",
			"acme/api#12 shorthand unknown mention"},
		{"commit address of digits", "https://github.com/acme/api/commit/1234567",
			"acme/api@1234567 commit_url commit mention"},
		{"main with a pull", "api main with PR 12", "acme/api#12 name_only pull picks_up loose"},
		{"a branch with a pull", "needs acme/api's master with pull request #12.", "acme/api#12 shorthand pull needs"},
		{"reference link", "see [it][1]\n\n[1]: https://github.com/acme/api/pull/12 \"acme/docs#3\"",
			"acme/api#12 url pull mention"},
		{"image target", "![x](https://github.com/acme/api/pull/12)", "acme/api#12 url pull mention"},
		{"address in a fence's info", "``` https://github.com/acme/api/pull/12\nx\n```", ""},
		{"tilde fence", "~~~\nacme/api#12\n~~~\nacme/sdk#3", "acme/sdk#3 shorthand unknown mention"},
		{"indented code", "text\n\n    acme/api#12\n", ""},
		{"carriage returns", "```\r\nacme/api#12\r\n```\r\nacme/sdk#3\r\n", "acme/sdk#3 shorthand unknown mention"},
		{"pre", "<pre>\nacme/api#12\n\nacme/api#13\n</pre>\n\nacme/sdk#3", "acme/sdk#3 shorthand unknown mention"},
		{"inline html code", "<code>acme/api#12</code> acme/sdk#3", "acme/sdk#3 shorthand unknown mention"},
		{"html code that nobody closes", "<code>acme/api#12\n\nacme/sdk#3", "acme/sdk#3 shorthand unknown mention"},
		{"html text", "<div>\nacme/api#12\n</div>", "acme/api#12 shorthand unknown mention"},
		{"html comment in html", "<div><!-- acme/api#12 -->acme/sdk#3</div>", "acme/sdk#3 shorthand unknown mention"},
		{"html strike", "<del>acme/api#12</del>", "acme/api#12 shorthand unknown mention struck"},
		{"html quote", "<blockquote>\nacme/api#12\n</blockquote>", "acme/api#12 shorthand unknown mention quote"},
		{"html in a quote", "> <div>\n> acme/api#12\n> </div>", "acme/api#12 shorthand unknown mention quote"},
		{"quote", "> acme/api#12\n\nacme/sdk#3", "acme/api#12 shorthand unknown mention quote|acme/sdk#3 shorthand unknown " +
			"mention"},
		{"heading", "# acme/api#12", "acme/api#12 shorthand unknown mention heading"},
		{"details of a person", "<details><summary>Why</summary>\n\nacme/api#12\n</details>\n\nacme/sdk#3",
			"acme/api#12 shorthand unknown mention details|acme/sdk#3 shorthand unknown mention"},
		{"details with a changelog", "<details>\n<summary><b>Changelog</b></summary>\n\n- " +
			"acme/api#12\n</details>\n\nacme/sdk#3", "acme/api#12 shorthand unknown mention changelog details|acme/sdk#3 " +
			"shorthand unknown mention"},
		{"what changed", "## What's Changed\n- acme/api#12\n### Features\n- acme/api#13\n## Notes\nacme/sdk#3",
			"acme/api#12 shorthand unknown mention changelog|acme/api#13 shorthand unknown mention changelog|acme/sdk#3 " +
				"shorthand unknown mention"},
		{"long list", "- a/b#1\n- a/b#2\n- a/b#3\n- a/b#4\n- a/b#5\n- a/b#6",
			strings.Join([]string{"a/b#1 shorthand unknown mention list", "a/b#2 shorthand unknown mention list",
				"a/b#3 shorthand unknown mention list", "a/b#4 shorthand unknown mention list",
				"a/b#5 shorthand unknown mention list", "a/b#6 shorthand unknown mention list"}, "|")},
		{"numbers alone", "#12 GH-12 (#13)", ""},
		{"bad bytes", "\xff acme/api#12 \xfe", "acme/api#12 shorthand unknown mention"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if d := cmp.Diff(test.want, strings.Join(showAll(test.text, person), "|")); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestRelations(t *testing.T) {
	for text, want := range map[string]string{
		"Depends-On: https://github.com/acme/api/pull/1\nDepends-On: " +
			"https://github.com/acme/sdk/pull/2": "depends_on depends_on",
		"This depends on acme/api#1, acme/api#2 and acme/sdk#3.": "depends_on depends_on depends_on",
		"Depends on [api](https://github.com/acme/api/pull/1) and " +
			"[sdk](https://github.com/acme/sdk/pull/2)": "depends_on depends_on",
		"It does not depend on acme/api#1":                               "contrast",
		"No longer requires acme/api#1":                                  "contrast",
		"Unlike acme/api#1, this fixes acme/sdk#2":                       "contrast closes",
		"polkadot companion: acme/api#1":                                 "companion",
		"acme/api#1 companion":                                           "companion",
		"The server side is in acme/api#1":                               "companion",
		"Goes together with acme/api#1":                                  "companion",
		"requires https://github.com/acme/api/pull/1 to be merged":       "needs",
		"acme/api#1 must be merged first":                                "needs",
		"Blocked by acme/api#1":                                          "needs",
		"built on top of acme/api#1":                                     "needs",
		"Fixes acme/api#1":                                               "closes",
		"fix: acme/api#1":                                                "closes",
		"Resolves issue acme/api#1":                                      "closes",
		"This fixes a typo. See acme/api#1":                              "mention",
		"a fix (acme/api#1)":                                             "mention",
		"Tracked in acme/api#1":                                          "part_of",
		"Part of epic acme/api#1":                                        "part_of",
		"Copy of acme/api#1":                                             "port_of",
		"Based off https://github.com/acme/api/pull/1":                   "port_of",
		"Blocked on a release with\nhttps://github.com/acme/api/pull/1":  "needs",
		"Depends on:\r\nhttps://github.com/acme/api/pull/1":              "depends_on",
		"It depends on nothing.\nhttps://github.com/acme/api/pull/1":     "mention",
		"It depends on nothing else\nhttps://github.com/acme/api/pull/1": "mention",
		"Depends on:\n\nsome words\nacme/api#1":                          "mention",
		"Mirrors acme/api#1":                                             "port_of",
		"Same change as in acme/api#1":                                   "port_of",
		"Parity with acme/api#1":                                         "port_of",
		"Follow-up to acme/api#1":                                        "follow_up",
		"Backport of acme/api#1":                                         "backport_of",
		"(cherry picked from acme/api@0123456789abc)":                    "backport_of",
		"Regression from acme/api#1":                                     "caused_by",
		"broken since acme/api#1":                                        "caused_by",
		"Revert acme/api#1":                                              "reverts",
		"Sync from acme/api#1":                                           "imported_from",
		"bump api to acme/api#1":                                         "picks_up",
		"uses the new endpoint of acme/api#1":                            "picks_up",
		"quick test of api with acme/api#1":                              "picks_up",
		"applies and tests the fix from acme/api#1":                      "picks_up",
		"Inspired by https://github.com/acme/api/pull/1#discussion_r77":  "mention",
		"Needs https://github.com/acme/api/pull/1#issuecomment-5":        "mention",
		"Reverts https://github.com/acme/api/pull/1#issuecomment-5":      "reverts",
		"Fixes [acme/api#1](https://github.com/acme/api/pull/1)":         "closes",
		"Depends on [acme/api#1](https://github.com/acme/api/pull/1) and " +
			"[acme/sdk#2](https://github.com/acme/sdk/pull/2)": "depends_on depends_on",
		"This is based on lessons from acme/api#1":                                    "mention",
		"based upon what we learned in acme/api#1":                                    "mention",
		"based on acme/api#1":                                                         "needs",
		"Update the submodule after acme/api#1 is merged":                             "picks_up",
		"updates go.mod after https://github.com/acme/api/pull/1 merges":              "picks_up",
		"Merge after acme/api#1":                                                      "needs",
		"To go in after acme/api#1":                                                   "needs",
		"runs against api main with PR acme/api#1":                                    "picks_up",
		"See acme/api#1":                                                              "mention",
		"Related: acme/api#1":                                                         "mention",
		"Depends on:\n- acme/api#1\n- the new flag, acme/sdk#2\n\nSee\n- acme/docs#3": "depends_on depends_on mention",
		"## Companion PRs\n\n* acme/api#1\n* https://github.com/acme/sdk/pull/2":      "companion companion",
		"Depends on the weather.\n- acme/api#1":                                       "mention",
		"| Needs | acme/api#1 |":                                                      "needs",
		"Reverts acme/api#1. Depends on acme/sdk#2":                                   "reverts depends_on",
	} {
		var got []string
		for _, r := range reference.Extract(text, person) {
			got = append(got, string(r.Relation))
		}
		if d := cmp.Diff(want, strings.Join(got, " ")); d != "" {
			t.Errorf("%q %s", text, d)
		}
	}
}

func TestSources(t *testing.T) {
	for _, test := range []struct {
		name string
		src  reference.Source
		want string // the reason why the reference may not group
	}{
		{"a person", person, ""},
		{"an account of a program", reference.Source{Author: "x", AuthorType: "Bot"}, "flag bot"},
		{"a program's login", reference.Source{Author: "k8s-ci-robot", AuthorType: "User"}, "flag bot"},
		{"a person whose name ends so", reference.Source{Author: "talbot", AuthorType: "User"}, ""},
		{"a program's branch", reference.Source{Author: "mia", HeadRef: "renovate/go-1.x"}, "flag bot"},
		{"a release", reference.Source{Author: "mia", Title: "chore: release v1.2.3"}, "flag release"},
		{"a version", reference.Source{Author: "mia", Title: "v1.2.3-rc1"}, "flag release"},
		{"about releases", reference.Source{Author: "mia", Title: "fix: release the lock 2 times"}, ""},
		{"a roll-up", reference.Source{Author: "mia", Title: "Rollup of 7 pull requests"}, "flag rollup"},
	} {
		inv := specInventory()
		source, _ := inv.Lookup("acme", "web")
		test.src.Owner, test.src.Name, test.src.Location = "acme", "web", reference.Body
		refs := reference.Extract("acme/api#12", test.src)
		if len(refs) != 1 {
			t.Fatal(test.name, refs)
		}
		target, _ := inv.Resolve(refs[0])
		may, reason := inv.MayGroup(refs[0], source, target)
		if reason != test.want || may != (reason == "") {
			t.Errorf("%s: %v %q, want %q", test.name, may, reason, test.want)
		}
	}
}

func TestTitleWords(t *testing.T) {
	for title, want := range map[string]string{
		"Revert \"add x\"": "revert", "fix: revert x": "revert", "Reverse the list": "", "[release-1.2] add x": "backport",
		"[1.2.x] add x":      "backport",
		"Backport #1: add x": "backport", "🍒 cherry-pick add x": "backport", "[ui] add x": "",
		"Add backporting docs": "backport",
		"Release 1.2.3":        "release", "chore(main): release api 1.2.3": "release", "Prepare release v2": "release",
		"Version Packages": "release", "Release notes for retries": "",
		"docs: releases page": "", "Bump to v2": "",
		"Merge the release-1.55 branch into main": "release", "Merge release/2.1 back into develop": "release",
		"merge branch 'v1.2.x' into master":     "release",
		"Merge the release notes into the docs": "", "Merge two caches into one": "", "Merge stable sort to the index": "",
	} {
		var got string
		switch {
		case reference.RevertTitle(title):
			got = "revert"
		case reference.BackportTitle(title, ""):
			got = "backport"
		case reference.ReleaseTitle(title):
			got = "release"
		}
		if got != want {
			t.Errorf("%q: %q, want %q", title, got, want)
		}
	}
}

func TestInventory(t *testing.T) {
	inv := reference.NewInventory([]reference.Repository{{1, "Acme/API", "a"}, {2, "acme/web", "a"}, {3, "globex/ui",
		"g"}},
		[]reference.Alias{{"acme/OLD", 1}, {"acme/web", 1}, {"acme/gone", 0}})
	if r, ok := inv.Lookup("ACME", "old"); !ok || r.Name != "Acme/API" {
		t.Error(r, ok)
	}
	// Who took an old name has it.
	if r, ok := inv.Lookup("acme", "web"); !ok || r.ID != 2 {
		t.Error(r, ok)
	}
	if _, ok := inv.Lookup("acme", "gone"); ok || !inv.Known("acme", "gone") || inv.Known("acme", "other") {
		t.Error("a name that is known to be nobody's")
	}
	if r, ok := inv.Resolve(reference.Reference{RepositoryID: 3}); !ok || r.Name != "globex/ui" {
		t.Error(r, ok)
	}
	source, _ := inv.ByID(2)
	for reason, r := range map[string]reference.Reference{
		"": {Number: 1}, "relation contrast": {Relation: reference.Contrast},
		"flag quote":   {Flags: []reference.Flag{reference.Quote}},
		"a discussion": {Kind: reference.Discussion}, "name alone": {Form: reference.NameOnly, Relation: reference.Mention}} {
		target, _ := inv.ByID(1)
		if may, got := inv.MayGroup(r, source, target); got != reason || may != (reason == "") {
			t.Errorf("%v %q, want %q", may, got, reason)
		}
	}
	other, _ := inv.ByID(3)
	if may, reason := inv.MayGroup(reference.Reference{}, source, other); may || reason != "another ecosystem" {
		t.Error(may, reason)
	}
}

func TestPlainTexts(t *testing.T) {
	src := person
	src.Location = reference.CommitMessage
	if got := showAll("add x\n\n    Depends on acme/api#12", src); len(got) != 1 {
		t.Errorf("a commit message is no Markdown: %q", got)
	}
	src.Location = reference.Title
	if got := showAll("Use `acme/api#1` and acme/api#2", src); len(got) != 1 {
		t.Errorf("%q", got)
	}
}

func TestSnippetsAreShortAndWhole(t *testing.T) {
	long := strings.Repeat("ü", 100) + " acme/api#12 " + strings.Repeat("€", 100)
	for _, text := range []string{long, "acme/api#12", "x\nneeds acme/api#12\ny", "\xff\xfe acme/api#12\xff",
		"https://github.com/acme/api/pull/12/" + strings.Repeat("x", 300)} {
		refs := reference.Extract(text, person)
		if len(refs) != 1 {
			t.Fatal(text, refs)
		}
		s := refs[0].Snippet
		if len(s) > 80 || !strings.Contains(s, "acme/api") || strings.Contains(s, "\n") || strings.ToValidUTF8(s, "") != s {
			t.Errorf("%q", s)
		}
	}
}

// Texts made to be slow take no longer than long ones do.
func TestHostileTexts(t *testing.T) {
	const n = 60000
	plain := max(readingTime(strings.Repeat("a plain word ", n/13)), 10*time.Millisecond)
	for name, text := range map[string]string{
		"names without end":      strings.Repeat("a/", n) + "#1",
		"numbers without end":    strings.Repeat("a/b#1", n/5),
		"references in a row":    strings.Repeat("a/b#1 ", n/6),
		"hosts in a row":         strings.Repeat("https://github.com/", n/19),
		"quotes in quotes":       strings.Repeat(">", n) + " a/b#1",
		"brackets":               strings.Repeat("[", n) + "a/b#1" + strings.Repeat("]", n),
		"brackets and targets":   strings.Repeat("[a](", n/4) + "a/b#1",
		"emphasis":               strings.Repeat("*a_", n/3) + " a/b#1",
		"backticks":              strings.Repeat("`a``", n/4) + " a/b#1",
		"lists in lists":         strings.Repeat("- ", n/2) + "a/b#1",
		"html":                   "a/b#1" + strings.Repeat("<a href=", n/8),
		"html comments":          "a/b#1 " + strings.Repeat("<!-- ", n/5),
		"details":                strings.Repeat("<details>", n/9) + "\n\na/b#1",
		"definitions":            strings.Repeat("[a]: <", n/6) + "a/b#1",
		"tables":                 "a/b#1|" + strings.Repeat("|", n) + "\n" + strings.Repeat("-|", n/2),
		"closing words":          strings.Repeat("fixes #1, #2 ", n/13),
		"quoted references":      strings.Repeat("> a/b#1\n", n/8),
		"html quoted references": "> <div>\n" + strings.Repeat("> a/b#1 <b>\n", n/12),
	} {
		if took := readingTime(text); took > 200*plain {
			t.Errorf("%s: %v, plain text of that length: %v", name, took, plain)
		}
	}
}

// readingTime is the processor time of reading a text in every way, which a busy machine
// does not lengthen.
func readingTime(text string) time.Duration {
	begun := processorTime()
	reference.Extract(text, person)
	reference.ExtractOwn(text, person)
	reference.PaperLinks("", text)
	return processorTime() - begun
}

func TestPaperLinks(t *testing.T) {
	got := reference.PaperLinks("Use acme/api#1",
		"`acme/api#2` gitlab.com/a/b/issues/3 https://github.com/Acme/API/pull/1 https://github.com/x/y/pull/4abc "+
			"acme/api#99999999999 <!-- a/b#5 -->")
	want := []reference.PaperLink{{"acme", "api", 1}, {"acme", "api", 2}, {"a", "b", 3}, {"x", "y", 4}, {"a", "b", 5}}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestExtractOwn(t *testing.T) {
	for text, want := range map[string]string{
		"Fixes #1": "1 closes", "closes: #1, #2 and GH-3": "1 closes 2 closes 3 closes", "Part of #4": "4 part_of",
		"see #5":     "",
		"`Fixes #6`": "", "> Fixes #7": "", "Fixes acme/web#8": "", "prefixes #9": "", "Resolves issue #10.": "10 closes",
		"fixes #11abc": "", "~~Fixes #12~~": "",
		"Fixes (#13)": "13 closes", "<!-- Fixes #14 -->": "",
	} {
		var got []string
		for _, o := range reference.ExtractOwn(text, person) {
			got = append(got, fmt.Sprintf("%d %s", o.Number, o.Relation))
		}
		if d := cmp.Diff(want, strings.Join(got, " ")); d != "" {
			t.Errorf("%q %s", text, d)
		}
	}
}
