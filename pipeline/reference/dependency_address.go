package reference

import (
	"regexp"
	"strings"
)

var (
	gitAddress = regexp.MustCompile(`(?i)(?:(?:^|[^A-Za-z0-9_-])github\.com[:/]|api\.github\.com/repos/|` +
		`\braw\.githubusercontent\.com/|\b(?:github|gh):|\b(?:GITHUB_REPOSITORY|` +
		`REPO)\s+"?)([A-Za-z0-9][A-Za-z0-9-]{0,38})/([A-Za-z0-9._-]{1,100})`)
	// pageOfHost follows an address that a person reads, and nothing fetches.
	pageOfHost = regexp.MustCompile(`^/(?:blob|tree|commits?|compare|issues|pull|pulls|wiki|releases|actions|` +
		`discussions)(?:/|$|[^\w-])`)
	// npmShort is the shortest way in which package.json names a repository of the host.
	npmShort   = regexp.MustCompile(`:\s*"([A-Za-z0-9][A-Za-z0-9-]{0,38})/([A-Za-z0-9._-]{1,100})#([0-9a-f]{7,40})"`)
	commitHash = regexp.MustCompile(`(?:^|[^0-9A-Za-z])([0-9a-f]{40})(?:$|[^0-9A-Za-z])`)
	// shortHash is one that a word or a sign says is a commit.
	shortHash = regexp.MustCompile(`(?:[@#]|(?i:\b|_)(?i:rev|revision|ref|commit|sha|git_tag)(?:"?\s*[:=]\s*|` +
		`\s+)["']?)([0-9a-f]{7,39})(?:$|["'\s,)\]}&])`)
	commitKey = regexp.MustCompile(`(?i)(?:\b|_)(?:rev|revision|ref|reference|commit|sha|tag|version)"?\s*[:=]|` +
		`\b(?:GIT_TAG|REF)\s|:git/sha`)
	// elsewhere is an address of another host: a commit near it is not of this one.
	elsewhere = regexp.MustCompile(`(?i)\b(?:url|git|remote|location|repo|repository|` +
		`git_repository)"?\s*[:=]?\s*["']?(?:git\+)?[a-z]+://`)
	flakeKey = regexp.MustCompile(`^\s*"?(owner|repo)"?\s*[:=]\s*"([A-Za-z0-9._-]{1,100})"`)
	bareKey  = regexp.MustCompile(`^\s*(?:-\s+)?["']?[\w@.+-]+["']?:\s*$`)
	// goVersion is a pseudo-version that stands apart from its module.
	goVersion = regexp.MustCompile(`\bversion\s*=\s*"v\d+\.\d+\.\d+-(?:[0-9A-Za-z.-]+\.)?\d{14}-([0-9a-f]{12})"`)
)

// addressReader reads an address and a commit: on one line, or on two that stand
// near each other, whichever comes first.
type addressReader struct {
	manifest bool // of npm, where owner/name alone is an address

	owner, name string // of the address that waits for its commit
	foreign     bool   // an address of another host waits
	address     held
	sha         string // the commit that waits for its address
	commit      held
	flakeOwner  string
}

// held is how old what waits is, and whether the other file has it.
type held struct {
	age     int
	changed bool
}

func (r *addressReader) hunk(string) { r.forget() }

func (r *addressReader) forget() {
	r.owner, r.name, r.sha, r.flakeOwner, r.foreign = "", "", "", "", false
}

func (r *addressReader) line(text string, changed bool) (d Dependency, fresh, ok bool) {
	r.address.age++
	r.commit.age++
	text = uncommented(text)
	if ended(text) {
		r.forget()
		return d, false, false
	}
	if r.manifest {
		if m := npmShort.FindStringSubmatch(text); m != nil && hash(m[3]) {
			return found(m[1], m[2], m[3]), changed, true
		}
	}
	before, after, here := r.readAddress(text, changed)
	if !here && strings.Contains(text, "://") && !hasAny(text, hostWords) && elsewhere.MatchString(text) {
		r.forget()
		r.foreign, r.address = commitOf(text) == "", held{}
		return d, false, false
	}
	sha := commitOf(after)
	if here && sha == "" {
		sha = commitOf(before)
	}
	switch {
	case here && sha != "":
		return r.take(sha, changed)
	case here && r.sha != "" && r.commit.age <= rememberedLines:
		return r.take(r.sha, changed || r.commit.changed)
	case here || !hasDigits(text) || !commitKey.MatchString(text):
		return d, false, false
	}
	return r.readCommit(text, sha, changed)
}

// readAddress remembers the line's address and gives what stands before and after
// it; without one, after is the line.
func (r *addressReader) readAddress(text string, changed bool) (before, after string, here bool) {
	if !hasAny(text, hostWords) {
		return "", text, r.readFlake(text, changed)
	}
	if m := gitAddress.FindStringSubmatchIndex(text); m != nil && !pageOfHost.MatchString(text[m[5]:]) {
		r.owner, r.name, r.foreign = text[m[2]:m[3]], strings.TrimSuffix(text[m[4]:m[5]], ".git"), false
		r.address = held{changed: changed}
		return text[:m[0]], text[m[5]:], r.name != ""
	}
	return "", text, r.readFlake(text, changed)
}

// readFlake remembers an address whose owner and name are keys of their own.
func (r *addressReader) readFlake(text string, changed bool) (here bool) {
	if !hasAny(text, flakeWords) {
		return false
	}
	m := flakeKey.FindStringSubmatch(text)
	switch {
	case m == nil:
	case m[1] == "owner" && len(m[2]) <= 39:
		r.flakeOwner, r.owner, r.foreign, r.address = m[2], "", false, held{changed: changed}
	case m[1] == "repo" && r.flakeOwner != "":
		r.owner, r.name = r.flakeOwner, m[2]
		r.address = held{changed: changed || r.address.changed}
		return true
	}
	return false
}

// Words without which a line has no address: most lines of a lock file are passed
// over for want of them.
var (
	hostWords  = []string{"hub", "Hub", "HUB", "gh:", "REPO"}
	flakeWords = []string{"owner", "repo"}
)

func hasAny(text string, words []string) bool {
	for _, w := range words {
		if strings.Contains(text, w) {
			return true
		}
	}
	return false
}

// readCommit takes a line that has a commit and no address.
func (r *addressReader) readCommit(text, sha string, changed bool) (d Dependency, fresh, ok bool) {
	near := r.owner != "" && r.name != "" && r.address.age <= rememberedLines
	if m := goVersion.FindStringSubmatch(text); m != nil && near {
		d := goDependency("github.com/"+r.owner+"/"+r.name, m[1])
		fresh := changed || r.address.changed
		r.forget()
		return d, fresh, true
	}
	switch {
	case sha == "":
		return d, false, false
	case r.foreign && r.address.age <= rememberedLines:
		r.forget()
		return d, false, false
	case near:
		return r.take(sha, changed || r.address.changed)
	}
	r.sha, r.commit = sha, held{changed: changed}
	return d, false, false
}

// take ends the pair of an address and its commit: the next commit is another's.
func (r *addressReader) take(sha string, fresh bool) (Dependency, bool, bool) {
	d := found(r.owner, r.name, sha)
	r.forget()
	return d, fresh, true
}

func found(owner, name, sha string) Dependency {
	name = strings.TrimSuffix(name, ".git")
	return Dependency{Kind: GitReference, Owner: owner, Name: name, Module: owner + "/" + name, SHA: sha}
}

// commitOf finds a commit in a text: a whole one, or a short one that is said to be one.
func commitOf(text string) string {
	if !hasDigits(text) {
		return ""
	}
	if m := commitHash.FindStringSubmatch(text); m != nil {
		return m[1]
	}
	if m := shortHash.FindStringSubmatch(text); m != nil && hash(m[1]) {
		return m[1]
	}
	return ""
}

// hasDigits says whether seven hexadecimal digits stand in a row, which is far
// faster told than by an expression.
func hasDigits(text string) bool {
	n := 0
	for i := range len(text) {
		if c := text[i]; c >= '0' && c <= '9' || c >= 'a' && c <= 'f' {
			if n++; n == 7 {
				return true
			}
		} else {
			n = 0
		}
	}
	return false
}

// hash tells a short commit from a number and from a word.
func hash(s string) bool {
	return len(s) == 40 || strings.ContainsAny(s, "0123456789") && strings.ContainsAny(s, "abcdef")
}

// uncommented cuts a remark: a hash or two slashes at the start or after a space.
func uncommented(text string) string {
	for _, mark := range []string{"#", "//"} {
		if strings.HasPrefix(strings.TrimLeft(text, " \t"), mark) {
			return ""
		}
		for _, space := range []string{" ", "\t"} {
			text, _, _ = strings.Cut(text, space+mark)
		}
	}
	return text
}

// ended says whether a line ends what an address and its commit stand in: nothing,
// a section's name, the end of a call, a key alone.
func ended(text string) bool {
	t := strings.TrimSpace(text)
	return t == "" || strings.HasPrefix(t, "[[") || strings.HasPrefix(t, "[") && strings.HasSuffix(t, "]") || t == ")" ||
		t == ")," ||
		strings.HasSuffix(t, ":") && bareKey.MatchString(text)
}
