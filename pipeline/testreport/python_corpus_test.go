package testreport

import "testing"

// TestCorpusOfPython: pytest 8 and 9 in both families of JUnit, with xdist and
// rerunfailures, and unittest by way of unittest-xml-reporting.
func TestCorpusOfPython(t *testing.T) {
	corpora(t, JUnit, "pytest-*", 4)
	corpora(t, JUnit, "xmlrunner-*", 1)
}

// TestCorpusOfBats: both of its formats. What a test prints into its report is
// in neither a plan nor in the counts.
func TestCorpusOfBats(t *testing.T) {
	corpora(t, TAP, "bats-*-tap*", 1)
	corpora(t, JUnit, "bats-*-junit*", 1)
}

// TestCorpusOfGo: go test -json of packages that end in every way. What a package's
// init prints in the marks of the testing package can't be told from results here:
// only the tests laid in by the runner tell.
func TestCorpusOfGo(t *testing.T) {
	corpora(t, GoTest, "gotest-*", 5)
}
