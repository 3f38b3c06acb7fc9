package pipeline

import "testing"

func TestDidYouMean(t *testing.T) {
	names := []string{"test", "packages", "evaluate", "estimate"}
	for word, want := range map[string]string{
		"tests": ` (did you mean "test"?)`, "pakages": ` (did you mean "packages"?)`, "eval": "",
		"evalute":  ` (did you mean "evaluate"?)`,
		"zzzzzzzz": "", "select": "", "": "", farTooLong: "",
	} {
		if got := DidYouMean(word, names); got != want {
			t.Errorf("%q: got %q, want %q", word, got, want)
		}
	}
	if got := DidYouMean("test", nil); got != "" {
		t.Errorf("of no names: %q", got)
	}
}

const farTooLong = "a word that is far longer than any name that there is, so that whatever is near it is not near " +
	"at all"
