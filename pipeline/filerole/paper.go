package filerole

import "regexp"

// PaperVersion is the version of the authors' rule as written here.
const PaperVersion = "paper-1"

// The authors' rule looks at so many files of a pull, and for phones at so many paths
// of the changed ones and of the tests among them.
const (
	PaperFiles   = 300
	paperChanged = 30
	paperTests   = 20
)

// paperTest, paperPhoneRepository, paperPhonePath and paperPhoneTitle are the expressions
// of the authors' released script.
var (
	paperTest = regexp.MustCompile(`(?i)(?:^|/)(?:test|tests|spec|specs|__tests__|testing)(?:/|$)|` +
		`_test\.|\.test\.|\.spec\.|Test\.|Tests\.`)
	paperPhoneRepository = regexp.MustCompile(`(?i)(?:^|[-_/.])ios(?:$|[-_/.])`)
	paperPhonePath       = regexp.MustCompile(`(?i)(?:^|/)(?:ios|iosapp|iphone|ipad|xcode|cocoapods)(?:/|$|[-_.])|` +
		`\.podspec$|(?:^|/)(?:Podfile|Podfile\.lock)$`)
	paperPhoneTitle = regexp.MustCompile(`\b(?:iOS|iPhone|iPad|Xcode|CocoaPods)\b`)
)

// PaperChange is a pull's files as the authors' rule sees them.
type PaperChange struct {
	Test  bool // a file that is left stands at a path of tests
	Phone bool // the repository, the title or a path says that it is for a phone of Apple's
}

// PaperFile is one file of a pull.
type PaperFile struct {
	Path    string
	Removed bool
}

// Paper judges a pull by the authors' rule, which is not this package's own: latest.yml is a
// test, and test_foo.py none. It exists so that counts can be held against the paper's.
func Paper(repository, title string, files []PaperFile) PaperChange {
	c := PaperChange{Phone: paperPhoneRepository.MatchString(repository) || paperPhoneTitle.MatchString(title)}
	tests := 0
	for i, f := range files[:min(len(files), PaperFiles)] {
		test := !f.Removed && paperTest.MatchString(f.Path)
		if (i < paperChanged || test && tests < paperTests) && paperPhonePath.MatchString(f.Path) {
			c.Phone = true
		}
		if test {
			tests++
		}
	}
	c.Test = tests > 0
	return c
}
