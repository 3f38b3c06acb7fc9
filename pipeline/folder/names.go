package folder

import (
	"regexp"
	"strings"
	"unicode"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/schema"
)

// These become file names, on any file system.
var (
	idForm         = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,149}$`)
	reviewerForm   = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)
	repositoryForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,99}/[A-Za-z0-9._-]{1,100}$`)
)

// CheckReviewer says whether a name can stand as a reviewer's.
func CheckReviewer(name string) error {
	if name == "" {
		return pipeline.Usage("say who you are, for the file that holds it: --reviewer ann")
	}
	if !reviewerForm.MatchString(name) || strings.HasSuffix(name, ".") {
		return pipeline.Usage("%q can't be a reviewer's name: it becomes a file name; use letters, digits, and . _ - "+
			"inside, such as --reviewer ann", name)
	}
	return nil
}

// CheckID says whether this can be a candidate's or task's id.
func CheckID(id string) error {
	if !idForm.MatchString(id) || strings.Contains(id, "..") || strings.HasSuffix(id, ".") || strings.EqualFold(id,
		"decisions") {
		return pipeline.Usage("%q is not the id of a candidate or task; wideswe review list shows them", id)
	}
	return nil
}

// CheckRepository says whether this can be a repository.
func CheckRepository(repository string) error {
	_, name, ok := schema.SplitRepository(repository)
	if !ok || !repositoryForm.MatchString(repository) || name == "." || name == ".." {
		return pipeline.Usage("%q is not of the form owner/name", repository)
	}
	return nil
}

// CheckPull says whether this is a pull, owner/name#N.
func CheckPull(pull string) error {
	repository, _, err := schema.ParsePullName(pull)
	if err != nil || CheckRepository(repository) != nil {
		return pipeline.Usage("%q is not a pull; write owner/name#number", pull)
	}
	return nil
}

// CleanText makes what a person typed fit for a YAML file: no control characters,
// line ends as \n, no blanks at the ends.
func CleanText(s string) string {
	s = strings.ToValidUTF8(strings.ReplaceAll(s, "\r\n", "\n"), "\uFFFD")
	s = strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' {
			return r
		}
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' || r == '\uFEFF' {
			return -1
		}
		return r
	}, s)
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = strings.TrimRightFunc(lines[i], unicode.IsSpace)
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}
