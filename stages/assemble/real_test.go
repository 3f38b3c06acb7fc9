package assemble_test

import (
	"os"
	"testing"
	"time"

	"github.com/wideswe/wideswe/pipeline/git"
	"github.com/wideswe/wideswe/stages/assemble"
)

// TestRealHistories proves the split of all merged pulls of real repositories:
// WIDESWE_TEST_GIT_URL is a template with {owner} and {name}.
func TestRealHistories(t *testing.T) {
	url := os.Getenv("WIDESWE_TEST_GIT_URL")
	if url == "" {
		t.Skip("WIDESWE_TEST_GIT_URL is not set: no real histories to read")
	}
	dir := os.Getenv("WIDESWE_TEST_MIRRORS")
	if dir == "" {
		dir = t.TempDir()
	}
	m := &git.Mirrors{Dir: dir, Options: git.Options{URLTemplate: url}}
	for _, name := range []string{"ipfs/boxo", "ipfs/kubo"} {
		repo, err := m.Mirror(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		pulls, err := assemble.MergedIn(t.Context(), repo, time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC))
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		audit, err := assemble.AuditPulls(t.Context(), repo, pulls, nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %d checked, %d equal (%d by the merge commit), %d exceptions, %s", name, audit.Checked, audit.Equal,
			audit.Noted, len(audit.Exceptions), time.Since(start).Round(time.Second))
		for _, e := range audit.Exceptions {
			t.Errorf("%s: %s", e.Pull, e.Cause)
		}
	}
}
