package rank

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/wideswe/wideswe/pipeline/github"
)

// FuzzPages reads pages as a site may send them: what comes out are names that an
// account can have, and numbers that are none below zero.
func FuzzPages(f *testing.F) {
	files, err := filepath.Glob("testdata/*.html")
	if err != nil || len(files) == 0 {
		f.Fatal("no pages", err)
	}
	for _, name := range files {
		body, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(body)
	}
	f.Add([]byte("<a class=paginated href=/mill><b class=name>1.<b class=stargazers_count>9,223,372,036,854,775,808"))
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, at := range readRanking(body) {
			if _, err := github.AccountPath("orgs", at.name); err != nil || at.stars < 0 || at.number < 0 {
				t.Errorf("%+v: %v", at, err)
			}
		}
		count, top := readOrganization(body, "mill")
		for _, r := range top {
			if r.Stars < 0 || r.Name == "" {
				t.Errorf("%+v", r)
			}
		}
		if count < 0 {
			t.Errorf("%d repositories", count)
		}
	})
}
