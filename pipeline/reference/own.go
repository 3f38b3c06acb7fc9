package reference

import (
	"regexp"
	"sort"
	"strings"
)

// OwnReference is a reference by number alone, with the word that says what the
// source does to it.
type OwnReference struct {
	Offset, Length int
	Number         int
	Relation       Relation // Closes or PartOf
}

var (
	ownClosing = regexp.MustCompile(`(?i)\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?)\s*:?\s*(?:(?:issue|` +
		`bug)s?\s*)?[(\[]?$`)
	ownPart = regexp.MustCompile(`(?i)\b(?:part of|tracked (?:in|by)|sub-?(?:issue|task) of|towards?|epic|parent(?: ` +
		`issue)?)\s*:?\s*(?:(?:issue|bug)s?\s*)?[(\[]?$`)
)

// ExtractOwn finds the issues of the source's own repository that it closes or is
// part of: "Fixes #12", "Part of GH-12". They are no links, but two pulls that
// close one issue may be one change. Numbers without such a word are not given.
func ExtractOwn(text string, src Source) []OwnReference {
	if len(text) > MaxText {
		text = text[:MaxText]
	}
	found, relations := scanOwn(text)
	if len(found) == 0 {
		return nil
	}
	readMarkdown(text, found)
	var own []OwnReference
	for i, f := range found {
		if f.place == placeText && f.context&(inQuote|inStruck|inChangelog) == 0 {
			own = append(own, OwnReference{f.start, f.end - f.start, f.number, relations[i]})
		}
	}
	return own
}

// scanOwn finds the numbers with a word before them; further numbers of the same
// enumeration share the word.
func scanOwn(text string) (found []find, relations []Relation) {
	for _, f := range numbersAlone(text) {
		relation := ownRelation(text, f.start)
		if k := len(found); relation == "" && k > 0 && f.start-found[k-1].end < cueBytes &&
			separator.MatchString(text[found[k-1].end:f.start]) {
			relation = relations[k-1]
		}
		if relation != "" {
			found = append(found, f)
			relations = append(relations, relation)
		}
	}
	return found, relations
}

// numbersAlone finds #12 and GH-12 at a boundary, in order.
func numbersAlone(text string) []find {
	var found []find
	for _, sign := range []string{"#", "GH-"} {
		for at := 0; ; {
			i := strings.Index(text[at:], sign)
			if i < 0 {
				break
			}
			start := at + i
			at = start + len(sign)
			if !leftBoundary(text, start) || start > 0 && text[start-1] == '_' {
				continue
			}
			if n, end, ok := readNumber(text, at); ok {
				found = append(found, find{start: start, end: end, form: Shorthand, number: n})
				at = end
			}
		}
	}
	if !sort.SliceIsSorted(found, func(i, j int) bool { return found[i].start < found[j].start }) {
		sort.Slice(found, func(i, j int) bool { return found[i].start < found[j].start })
	}
	return found
}

func ownRelation(text string, start int) Relation {
	before := text[max(0, start-40):start]
	if !ownStem(before) {
		return ""
	}
	if ownClosing.MatchString(before) {
		return Closes
	}
	if ownPart.MatchString(before) {
		return PartOf
	}
	return ""
}

// ownStem says whether words can end in a match of the two expressions, by the last
// word: most numbers stand alone, and the expressions are slow.
func ownStem(words string) bool {
	end := len(words)
	for end > 0 && strings.IndexByte(" \t\n\r\f:([", words[end-1]) >= 0 {
		end--
	}
	start := end
	for start > 0 && alnum(words[start-1]) {
		start--
	}
	if start > 0 && words[start-1] >= 0x80 || end > 0 && words[end-1] >= 0x80 {
		return true // may fold to a letter
	}
	return end > start && lastWord(words[start:end])
}

// lastWord says whether a word can be the last before a number.
func lastWord(word string) bool {
	for _, w := range [...]string{"fix", "fixes", "fixed", "close", "closes", "closed", "resolve", "resolves", "resolved",
		"of", "in", "by",
		"issue", "issues", "bug", "bugs", "toward", "towards", "epic", "parent"} {
		if len(w) <= len(word) && strings.EqualFold(word[len(word)-len(w):], w) { // "issuebug" is one, too
			return true
		}
	}
	return false
}
