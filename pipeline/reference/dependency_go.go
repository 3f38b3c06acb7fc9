package reference

import (
	"regexp"
	"strings"
)

var (
	pseudoVersion = regexp.MustCompile(`(?:^|[\s"` + "`" + `])([A-Za-z0-9][\w.-]*\.[\w./~-]+)["` + "`" + `]?\s+["` + "`" +
		`]?v\d+\.\d+\.\d+-(?:[0-9A-Za-z.-]+\.)?\d{14}-([0-9a-f]{12})(?:\+incompatible)?(?:$|[\s")` + "`" + `])`)
	goExclude = regexp.MustCompile(`^\s*exclude\s`)
	goBlock   = regexp.MustCompile(`^([a-z]+)\s*\($`)
)

// goReader reads go.mod, go.work and vendor/modules.txt. What is excluded is not
// used, and of a replacement the right side is.
type goReader struct{ block string }

func (r *goReader) hunk(heading string) {
	r.block = ""
	r.open(heading)
}

func (r *goReader) open(text string) {
	if m := goBlock.FindStringSubmatch(strings.TrimSpace(text)); m != nil {
		r.block = m[1]
	}
}

func (r *goReader) line(text string, changed bool) (d Dependency, fresh, ok bool) {
	text, _, _ = strings.Cut(text, "//")
	if trimmed := strings.TrimSpace(text); trimmed == ")" {
		r.block = ""
	} else {
		r.open(trimmed)
	}
	if r.block == "exclude" || goExclude.MatchString(text) {
		return d, false, false
	}
	if _, right, replaced := strings.Cut(text, "=>"); replaced {
		text = right
	}
	m := pseudoVersion.FindStringSubmatch(text)
	if m == nil {
		return d, false, false
	}
	return goDependency(m[1], m[2]), changed, true
}

func goDependency(module, sha string) Dependency {
	d := Dependency{Kind: GoPseudoVersion, Module: cutText(module), SHA: sha}
	if parts := strings.Split(module, "/"); len(parts) >= 3 && strings.EqualFold(parts[0], "github.com") &&
		validOwner(parts[1]) && validName(parts[2]) {
		d.Owner, d.Name = parts[1], parts[2]
	}
	return d
}
