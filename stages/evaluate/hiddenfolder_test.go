package evaluate

import (
	"fmt"
	"strings"
	"testing"

	"github.com/wideswe/wideswe/schema"
)

// TestAFolderInAHiddenFilesPlace: the hidden file lies there in every run, and the rest
// of the folder is gone.
func TestAFolderInAHiddenFilesPlace(t *testing.T) {
	deleted := "diff --git a/lib_test.go b/lib_test.go\ndeleted file mode 100644\n--- a/lib_test.go\n+++ /dev/null\n" +
		fmt.Sprintf("@@ -1,%d +0,0 @@\n", strings.Count(libTest, "\n"))
	for l := range strings.Lines(libTest) {
		deleted += "-" + l
	}
	for _, beside := range []string{"", takesOver} {
		r, _ := fakeRig(t, makeRelease(t), allPass, schema.Prediction{Patches: patches("o/lib", deleted+
			diff("lib_test.go/lib_test.go", "", "package lib\n")+beside)})
		if _, err := r.run(t); err != nil {
			t.Fatal(err)
		}
		if got := r.report(t).Tasks["t1"]; got.Status != schema.StatusResolved {
			t.Errorf("%s (%s)", got.Status, got.Reason)
		}
	}
}
