package reference

import (
	"sort"
	"strconv"
	"strings"
)

// find is a reference in the raw text, before its place is known.
type find struct {
	start, end   int
	form         Form
	owner, name  string
	repositoryID int64
	number       int
	sha          string
	kind         Kind

	place   place
	context context
	list    int // the outermost list it stands in, 0 none
	// Of the target of a link with a label: where the label begins, and the first thing in
	// it that has a reference's shape; 0 none.
	label, named int
}

// words gives where the words before a find end.
func (f *find) words() int {
	if f.named > 0 {
		return f.named
	}
	return f.start
}

// apart gives where the text between a find and the one before it ends.
func (f *find) apart() int {
	if f.named > 0 {
		return f.label
	}
	return f.start
}

// scan finds everything that has the shape of a reference. It passes over the
// text three times with the fastest search there is, each time for a byte that
// every reference of some form holds and that prose holds rarely.
func scan(text string) []find {
	var found []find
	found = scanHosts(text, found)
	found = scanNumbers(text, found)
	found = scanCommits(text, found)
	found = scanBuiltWith(text, found)
	if len(found) < 2 {
		return found
	}
	// Where two overlap, the one that begins first is the longer one.
	sort.SliceStable(found, func(i, j int) bool { return found[i].start < found[j].start })
	kept := found[:1]
	for _, f := range found[1:] {
		if f.start >= kept[len(kept)-1].end {
			kept = append(kept, f)
		}
	}
	return kept
}

// scanHosts looks at each dot that ends a host name of the hub.
func scanHosts(text string, found []find) []find {
	for at := 0; ; {
		i := strings.IndexByte(text[at:], '.')
		if i < 0 {
			return found
		}
		dot := at + i
		at = dot + 1
		if dot < 6 || dot+5 >= len(text) || text[dot+4] != '/' || !strings.EqualFold(text[dot+1:dot+4], "com") {
			continue
		}
		if before := text[dot-6 : dot]; !strings.EqualFold(before, "github") && !strings.EqualFold(before, "ndabot") {
			continue
		}
		if f, ok := readURL(text, dot); ok {
			found = append(found, f)
			at = f.end
		}
	}
}

// scanNumbers looks at each # between a name and a number.
func scanNumbers(text string, found []find) []find {
	for at := 0; ; {
		i := strings.IndexByte(text[at:], '#')
		if i < 0 {
			return found
		}
		hash := at + i
		at = hash + 1
		if hash == 0 || at >= len(text) || text[at] < '1' || text[at] > '9' || !nameByte(text[hash-1]) {
			continue
		}
		number, end, ok := readNumber(text, at)
		if !ok || strings.HasPrefix(text[end:], "-") && end+1 < len(text) && digit(text[end+1]) { // a range is not read
			continue
		}
		start, owner, name, ok := readNameBefore(text, hash)
		if !ok {
			continue
		}
		f := find{start: start, end: end, form: Shorthand, owner: owner, name: name, number: number, kind: Unknown}
		if owner == "" {
			f.form = NameOnly
		}
		found = append(found, f)
		at = end
	}
}

// scanCommits looks at each @ between a full name and a hash.
func scanCommits(text string, found []find) []find {
	for at := 0; ; {
		i := strings.IndexByte(text[at:], '@')
		if i < 0 {
			return found
		}
		sign := at + i
		at = sign + 1
		if sign == 0 || !nameByte(text[sign-1]) {
			continue
		}
		end, ok := readHash(text, at, false)
		if !ok {
			continue
		}
		start, owner, name, ok := readNameBefore(text, sign)
		if !ok || owner == "" {
			continue
		}
		found = append(found, find{start: start, end: end, form: CommitShorthand, owner: owner, name: name, sha: text[at:end],
			kind: Commit})
		at = end
	}
}

// readNameBefore reads owner/name, or name alone, that ends at end.
func readNameBefore(text string, end int) (start int, owner, name string, ok bool) {
	start = end
	for start > 0 && end-start <= maxName && nameByte(text[start-1]) {
		start--
	}
	name = text[start:end]
	if start > 0 && text[start-1] == '/' {
		stop := start - 1
		from := stop
		for from > 0 && stop-from <= maxOwner && ownerByte(text[from-1]) {
			from--
		}
		// A leading underscore is emphasis.
		for from < stop && text[from] == '_' {
			from++
		}
		owner, start = text[from:stop], from
		if !validOwner(owner) {
			return 0, "", "", false
		}
	} else {
		for name != "" && name[0] == '_' {
			name, start = name[1:], start+1
		}
	}
	if !validName(name) || !leftBoundary(text, start) || insideAddress(text, start) {
		return 0, "", "", false
	}
	return start, owner, name, true
}

// leftBoundary says whether a name may begin at start: what stands before must
// not make it part of a path, an address, an entity or a longer word.
func leftBoundary(text string, start int) bool {
	if start == 0 {
		return true
	}
	switch c := text[start-1]; c {
	case '.', '/', '@', '#', '&', '\\', '-', '%', '}':
		return false
	default:
		return !alnum(c)
	}
}

// addressBytes bounds how far back the start of an address is looked for.
const addressBytes = 512

// insideAddress says whether the word before start is the beginning of an
// address: https://example.org/?u=acme/api#12.
func insideAddress(text string, start int) bool {
	from := start
	for from > 0 && start-from < addressBytes && addressByte(text[from-1]) {
		from--
	}
	return strings.Contains(text[from:start], "://")
}

func addressByte(c byte) bool {
	return c > ' ' && c < 0x7f && !strings.ContainsRune("<>\"'()[]{}|`,;", rune(c))
}

// readNumber reads a number of at most ten digits that no letter follows.
func readNumber(text string, at int) (n, end int, ok bool) {
	end = at
	for end < len(text) && digit(text[end]) {
		end++
	}
	if end == at || text[at] == '0' || end-at > 10 || end < len(text) && alnum(text[end]) {
		return 0, 0, false
	}
	n, err := strconv.Atoi(text[at:end])
	return n, end, err == nil && n <= 1<<31-1 // the database's INTEGER
}

// readHash reads 7 to 40 hexadecimal digits at a boundary. A short run without a
// letter is a date or a version, unless its place says that it is a commit.
func readHash(text string, at int, commit bool) (end int, ok bool) {
	letters := commit
	for end = at; end < len(text) && hex(text[end]); end++ {
		letters = letters || !digit(text[end])
	}
	n := end - at
	if n < 7 || n > 40 || !letters && n < 40 {
		return 0, false
	}
	if end < len(text) && (alnum(text[end]) || text[end] == '-' || text[end] == '_') {
		return 0, false
	}
	return end, true
}

// The host's bounds on names.
const (
	maxOwner = 39
	maxName  = 100
)

// validOwner leaves double hyphens and underscores to the inventory: old and
// enterprise accounts have them.
func validOwner(s string) bool {
	return s != "" && len(s) <= maxOwner && alnum(s[0]) && s[len(s)-1] != '-'
}

func validName(s string) bool {
	return s != "" && len(s) <= maxName && s != "." && s != ".."
}

func digit(c byte) bool { return '0' <= c && c <= '9' }
func alnum(c byte) bool { return digit(c) || 'a' <= c|0x20 && c|0x20 <= 'z' }
func hex(c byte) bool   { return digit(c) || 'a' <= c|0x20 && c|0x20 <= 'f' }

func ownerByte(c byte) bool { return alnum(c) || c == '-' || c == '_' }
func nameByte(c byte) bool  { return ownerByte(c) || c == '.' }
