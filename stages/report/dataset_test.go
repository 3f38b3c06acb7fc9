package report

import "testing"

func TestDiversityOfUnknownLanguagesIsUnknown(t *testing.T) {
	for want, languages := range map[string][]string{"unknown": nil, "one": {"Go"}, "several": {"Go", "Shell"}} {
		if got := diversity(DataTask{Languages: languages}); got != want {
			t.Errorf("%v: %s, want %s", languages, got, want)
		}
	}
}
