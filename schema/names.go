package schema

import (
	"fmt"
	"strconv"
	"strings"
)

// PullKey identifies a pull request by the host's numeric repository id, which a
// rename does not change, and its number.
type PullKey struct {
	RepositoryID int64
	Number       int
}

// PullName returns owner/name#N.
func PullName(repository string, number int) string {
	return repository + "#" + strconv.Itoa(number)
}

// ParsePullName splits owner/name#N.
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

// FileName returns a repository's name as a file or folder name: owner__name.
func FileName(repository string) string {
	return strings.Replace(repository, "/", "__", 1)
}

// RepositoryOfFileName is the inverse of [FileName]. The owner of a GitHub
// repository contains no double underscore, so the first one separates the two.
func RepositoryOfFileName(file string) string {
	return strings.Replace(file, "__", "/", 1)
}
