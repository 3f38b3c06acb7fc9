package schema

import (
	"fmt"
	"strconv"
	"strings"
)

// PullKey is a pull request's identity: the host's numeric repository id, which
// survives renames, and the number.
type PullKey struct {
	RepositoryID int64
	Number       int
}

// PullName writes owner/name#N.
func PullName(repository string, number int) string {
	return repository + "#" + strconv.Itoa(number)
}

// ParsePullName reads owner/name#N.
func ParsePullName(s string) (repository string, number int, err error) {
	repository, n, found := strings.Cut(s, "#")
	if number, err = strconv.Atoi(n); !found || err != nil || number <= 0 || strings.Count(repository, "/") != 1 {
		return "", 0, fmt.Errorf("%q is not of the form owner/name#number", s)
	}
	return repository, number, nil
}

// SplitRepository splits owner/name.
func SplitRepository(repository string) (owner, name string, ok bool) {
	owner, name, ok = strings.Cut(repository, "/")
	return owner, name, ok && owner != "" && name != "" && !strings.Contains(name, "/")
}

// FileName is a repository's name as a file or folder name: owner__name.
func FileName(repository string) string {
	return strings.Replace(repository, "/", "__", 1)
}

// RepositoryOfFileName is the inverse of [FileName]. GitHub owners hold no
// underscore pair at their end, so the first pair divides.
func RepositoryOfFileName(file string) string {
	return strings.Replace(file, "__", "/", 1)
}
