package reference

import (
	"strconv"
	"strings"
)

// readURL reads the address whose host name has its last dot at dot.
func readURL(text string, dot int) (find, bool) {
	host := dot
	for host > 0 && dot-host < 64 && (alnum(text[host-1]) || text[host-1] == '.' || text[host-1] == '-') {
		host--
	}
	form, ok := hostForm(strings.ToLower(text[host : dot+4]))
	if !ok {
		return find{}, false
	}
	start, scheme, ok := readScheme(text, host)
	if !ok || insideAddress(text, start) {
		return find{}, false
	}
	if !scheme && form == URL {
		form = URLBare
	}
	f := find{start: start, form: form}
	path := dot + 4
	if form == APIURL {
		ok = f.readAPIPath(text, path)
	} else {
		ok = f.readPath(text, path)
	}
	return f, ok
}

// hostForm knows the hub's host names. Others that end like them, such as
// notgithub.com, are not the hub.
func hostForm(host string) (Form, bool) {
	switch host {
	case "github.com", "www.github.com":
		return URL, true
	case "api.github.com":
		return APIURL, true
	case "redirect.github.com", "togithub.com", "www.togithub.com", "github-redirect.dependabot.com":
		return RedirectURL, true
	}
	return "", false
}

// readScheme finds where the address begins and whether it has a scheme.
func readScheme(text string, host int) (start int, scheme, ok bool) {
	for _, s := range []string{"https://", "http://"} {
		if at := host - len(s); at >= 0 && strings.EqualFold(text[at:host], s) {
			return at, true, at == 0 || !alnum(text[at-1])
		}
	}
	return host, false, leftBoundary(text, host) && (host == 0 || text[host-1] != ':' && text[host-1] != '_')
}

// reserved are first path parts that are no owners.
var reserved = map[string]bool{"orgs": true, "users": true, "apps": true, "marketplace": true, "settings": true,
	"sponsors": true, "topics": true, "notifications": true, "search": true, "enterprises": true, "features": true,
	"repos": true}

// readPath reads /owner/name/(pull|issues|discussions)/N or /owner/name/commit/SHA at at.
func (f *find) readPath(text string, at int) bool {
	owner, at := segment(text, at)
	name, at := segment(text, at)
	what, at := segment(text, at)
	if !validOwner(owner) || !validName(name) || reserved[strings.ToLower(owner)] {
		return false
	}
	f.owner, f.name = owner, name
	switch strings.ToLower(what) {
	case "pull":
		f.kind = Pull
	case "issues":
		f.kind = Issue
	case "discussions":
		f.kind = Discussion
	case "commit", "commits":
		return f.readCommit(text, at)
	default:
		return false
	}
	return f.readEnd(text, at)
}

// readAPIPath reads /repos/owner/name/(pulls|issues|commits)/N and
// /repositories/ID/….
func (f *find) readAPIPath(text string, at int) bool {
	root, at := segment(text, at)
	switch strings.ToLower(root) {
	case "repos":
		f.owner, at = segment(text, at)
		f.name, at = segment(text, at)
		if !validOwner(f.owner) || !validName(f.name) {
			return false
		}
	case "repositories":
		var id string
		id, at = segment(text, at)
		n, err := strconv.ParseInt(id, 10, 64)
		if err != nil || n <= 0 {
			return false
		}
		f.repositoryID = n
	default:
		return false
	}
	what, at := segment(text, at)
	switch strings.ToLower(what) {
	case "pulls":
		f.kind = Pull
	case "issues":
		f.kind = Issue
	case "commits":
		ok := f.readCommit(text, at)
		f.form = APIURL
		return ok
	case "git":
		if what, at = segment(text, at); !strings.EqualFold(what, "commits") {
			return false
		}
		ok := f.readCommit(text, at)
		f.form = APIURL
		return ok
	default:
		return false
	}
	return f.readEnd(text, at)
}

func (f *find) readCommit(text string, at int) bool {
	if at >= len(text) || text[at] != '/' {
		return false
	}
	end, ok := readHash(text, at+1, true)
	if !ok {
		return false
	}
	f.kind, f.sha = Commit, text[at+1:end]
	if f.form == URL || f.form == URLBare {
		f.form = CommitURL
	}
	f.end = tail(text, end)
	return true
}

func (f *find) readEnd(text string, at int) bool {
	if at >= len(text) || text[at] != '/' {
		return false
	}
	n, end, ok := readNumber(text, at+1)
	if !ok {
		return false
	}
	f.number, f.end = n, tail(text, end)
	return true
}

// segment reads one part of a path, its slash included, and returns where the
// next begins; an empty part ends the reading.
func segment(text string, at int) (string, int) {
	if at >= len(text) || text[at] != '/' {
		return "", at
	}
	at++
	end := at
	for end < len(text) && end-at <= maxName && nameByte(text[end]) {
		end++
	}
	return text[at:end], end
}

// tailBytes bounds the part of an address after the number.
const tailBytes = 400

// tail gives the end of the address: sub-pages, anchors and queries belong to it,
// closing punctuation does not.
func tail(text string, end int) int {
	rest := text[end:]
	for _, view := range []string{".diff", ".patch"} {
		if strings.HasPrefix(rest, view) && (len(rest) == len(view) || !nameByte(rest[len(view)])) {
			return end + len(view)
		}
	}
	if rest == "" || !strings.ContainsRune("/#?", rune(rest[0])) {
		return end
	}
	to := end
	for to < len(text) && to-end < tailBytes && addressByte(text[to]) {
		to++
	}
	for to > end && strings.ContainsRune(".,:!?*_~/#\\", rune(text[to-1])) {
		to--
	}
	return to
}
