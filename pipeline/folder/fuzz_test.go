package folder

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wideswe/wideswe/schema"
)

// Whatever a file holds, reading it ends in a review that can be written and read
// again, or in an error.
func FuzzReview(f *testing.F) {
	for _, seed := range []string{
		"candidate: c1\nreviewer: ann\nverdict: accept\nkind: bugfix\npulls: [o/a#1, o/b#2]\nreviewed_at: " +
			"2025-07-01T10:00:00Z\n",
		"candidate: c1\nreviewer: ann\nverdict: reject\nreason: |-\n  a\n  b\npulls:\n- \"o/a#1\"\n- o/b#2\nreviewed_at: " +
			"2025-07-01\n",
		"a: &a [1]\nb: *a\n", "? [\n", "- - -\n:", "\xff\xfe", "{\"candidate\": \"c1\"}", "--- !!binary |\n R0\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var r schema.Review
		if err := decode("reviews/c1/ann.yaml", text, &r, reviewKeys); err != nil {
			return
		}
		if _, err := checkReview(r); err != nil {
			return
		}
		dir := Folder{t.TempDir()}
		want, err := dir.WriteReview(r)
		if err != nil {
			return // a note of blanks only, such as reason: " "
		}
		got, err := dir.review(want.ReviewedAs, want.Reviewer)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Error(d)
		}
	})
}

// Whatever a person types as a note or reason comes back as it was cleaned.
func FuzzNote(f *testing.F) {
	for _, seed := range []string{"", "one\ntwo", "null", "- a: b # c", "\t x", "|", ">-\n x", "a\n\n\nb", "'", `"\`,
		"0x1F", "~", "a: |\n  b", "\u0085x", "\u00a0"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, note string) {
		want := review(CleanText(note))
		want.Reason = want.Note
		text, err := encode(reviewHead, want)
		if err != nil {
			t.Fatal(err)
		}
		var got schema.Review
		if err := decode("r.yaml", text, &got, reviewKeys); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s\n%s", d, text)
		}
	})
}
