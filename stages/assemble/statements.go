package assemble

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A pull's text tells what should happen, and how the work went: the list of
// commits that a squash leaves, notes on files, updates of dependencies. A prompt
// is made of the first.

// conventional takes a title of the form type(scope)!: words apart.
var conventional = regexp.MustCompile(`(?i)^(feat|feature|fix|bugfix|hotfix|revert|refactor|chore|docs?|tests?|style|` +
	`ci|build|perf|lint|deps|nits?|wip|cleanup|release)(?:\(([^()]{0,60})\))?!?:\s+`)

// behaviour are the types whose words state behaviour.
var behaviour = regexp.MustCompile(`(?i)^(?:feat|feature|fix|bugfix|hotfix|revert)$`)

// maintenance are the types that no task is about.
var maintenance = regexp.MustCompile(`(?i)^(?:chore|deps|lint|nits?|wip|cleanup|release|style)$`)

// chore matches lines that tell of work and of no behaviour.
var chore = regexp.MustCompile(`(?i)^(?:(?:fixup|squash)! .*|(?:wip|clean ?up|initial commit)\W*|` +
	`(?:fix(?:ed|es|ing)? )?(?:some |more |a |the )?(?:typos?|lint(?:er|ing)?(?: \w+)?|nits?|formatting|(?:(?:failing|` +
	`flaky|broken|unit) )?tests?|build|ci)\W*|` +
	`(?:run |apply )?(?:go ?fmt|gofumpt|goimports|prettier|go mod tidy|go vet|go get .*)\W*|` +
	`(?:apply|address(?:es|ed|ing)?|incorporate) (?:the |some |pr )?(?:suggestions?|review|reviewer|comments|feedback|` +
	`code review|nits).*|` +
	`(?:more )?(?:pr |code )?review (?:comments|feedback|fixes|suggestions)\W*|` +
	`merge (?:branch|remote|pull request|commit|main|master)\b.*|(?:rebase|switch to \S+@).*|` +
	`updat(?:e|es|ed|ing)(?: \S+){1,3}|bump(?:s|ed)? .*|upgrade \S+ to v?\d.*|` +
	`(?:\w+ ){0,3}change ?log(?: (?:to|for|in|with|entry|entries)\b.*)?\W*|` +
	`(?:add(?:s|ed|ing)?|updat(?:e|es|ed|ing)|more|improve|extend)(?: \S+){0,3} tests?(?: (?:for|to|that|of|in|with|on|` +
	`cases?|coverage)\b.*)?\W*|` +
	`co-authored-by:.*)$`)

// works says whether a line tells of work alone. Work of the kind that the pull is
// about (its title's type) is what the pull is about.
func works(line, about string) bool {
	line = strings.TrimSpace(line)
	m := conventional.FindStringSubmatch(line)
	if m == nil {
		return chore.MatchString(line)
	}
	if behaviour.MatchString(m[1]) || strings.EqualFold(m[1], about) {
		return strings.EqualFold(m[2], "deps") || chore.MatchString(line[len(m[0]):])
	}
	return true
}

// subject is the type of a title whose pull is about such work, "" of other titles.
func subject(title string) string {
	if m := conventional.FindStringSubmatch(title); m != nil && !maintenance.MatchString(m[1]) {
		return m[1]
	}
	return ""
}

// sentence makes a plain sentence of a title or of a commit's first line. A scope
// that is a word stays, since it says what the words are about; a path goes.
func sentence(line string) string {
	line = strings.TrimSpace(line)
	scope := ""
	if m := conventional.FindStringSubmatch(line); m != nil {
		line = line[len(m[0]):]
		if word.MatchString(m[2]) {
			scope = m[2] + ": "
		}
	}
	if first, _, _ := strings.Cut(line, " "); scope == "" && plainWord.MatchString(first) {
		r, n := utf8.DecodeRuneInString(line)
		line = string(unicode.ToUpper(r)) + line[n:]
	}
	if last, _ := utf8.DecodeLastRuneInString(line); unicode.IsLetter(last) || unicode.IsDigit(last) || last == ')' ||
		last == '`' {
		line += "."
	}
	return scope + line
}

// pathWord matches a path with a folder, or the name of a file.
const pathWord = "`?(?:[\\w.@-]+(?:/[\\w.@-]+)+/?|[\\w.@-]+\\.(?:go|mod|sum|pyi?|[cm]?[jt]sx?|java|kt|rs|rb|c|h|cc|cpp|hpp|cs|swift|php|scala|" +
	"sh|ya?ml|toml|json|md|rst|txt|proto|sql|css|html|vue|gradle|xml|cfg|ini|lock))`?"

var (
	word      = regexp.MustCompile(`^[\pL\pN_-]+$`)
	plainWord = regexp.MustCompile(`^\p{Ll}+$`)
	bullet    = regexp.MustCompile(`^(\s*)(?:[-*+]|\d{1,3}[.)])\s+(.*)$`)
	// fileNote is the text of a bullet that begins with a path: a note on the change
	// itself.
	fileNote = regexp.MustCompile(`^` + pathWord + `(?:,\s+` + pathWord + `)*\s*(?::|–|—|-\s)`)
)

// statements leaves of a pull's paragraphs those that state behaviour. In a list of
// commits, which a squash makes, a commit's own text goes with its first line.
func statements(list []string, about string) (out []string) {
	commits := len(list) > 0 && strings.HasPrefix(list[0], "* ")
	skipping := false
	for _, text := range list {
		if commits {
			if last := lastCommit(text); last != "" {
				skipping = works(last, about)
			} else if skipping && !heading.MatchString(text) {
				continue
			} else {
				skipping = false
			}
		}
		if text = dropNotes(text, about); text == "" {
			continue
		}
		if m := bullet.FindStringSubmatch(text); commits && m != nil && strings.HasPrefix(text, "* ") &&
			!strings.Contains(text, "\n") {
			text = sentence(m[2])
		}
		out = append(out, text)
	}
	return dropEmptyHeadings(out)
}

// lastCommit is the last line of a paragraph that begins a commit.
func lastCommit(text string) (last string) {
	for line := range strings.SplitSeq(text, "\n") {
		if rest, ok := strings.CutPrefix(line, "* "); ok {
			last = rest
		}
	}
	return last
}

// dropNotes removes from a paragraph the list items that tell of work or of files,
// each with its further lines, and a line that announced them where none is left.
// Code is left alone.
func dropNotes(text, about string) string {
	if strings.Contains(text, "```") || strings.Contains(text, "~~~") {
		return text
	}
	var kept []string
	gone := -1 // how far the item is indented that was dropped last; -1: the last line stays
	announced := func() {
		if n := len(kept); gone >= 0 && n > 0 && strings.HasSuffix(kept[n-1], ":") && !bullet.MatchString(kept[n-1]) {
			kept = kept[:n-1]
		}
	}
	for line := range strings.SplitSeq(text, "\n") {
		m := bullet.FindStringSubmatch(line)
		switch {
		case gone >= 0 && len(line)-len(strings.TrimLeft(line, " \t")) > gone:
		case m != nil && (works(m[2], about) || fileNote.MatchString(m[2])):
			gone = len(m[1])
		default:
			if m == nil {
				announced()
			}
			gone = -1
			kept = append(kept, line)
		}
	}
	announced()
	return strings.TrimSpace(strings.Join(kept, "\n"))
}

// covered says whether the words of a title all stand in the paragraphs, in some form.
func covered(title string, list []string) bool {
	said := map[string]bool{}
	for _, text := range list {
		for _, w := range strings.Fields(normal(text)) {
			said[stem(w)] = true
		}
	}
	for _, w := range strings.Fields(normal(title)) {
		if len(w) > 2 && !little[w] && !said[stem(w)] {
			return false
		}
	}
	return len(list) > 0
}

// stem makes the forms of a word equal, roughly: provide, provider, provided.
func stem(w string) string {
	for _, end := range []string{"ing", "ers", "er", "ed", "es", "s", "e"} {
		if root, ok := strings.CutSuffix(w, end); ok && len(root) > 2 && !strings.HasSuffix(w, "ss") {
			return root
		}
	}
	return w
}

var little = map[string]bool{"the": true, "and": true, "for": true, "with": true, "from": true, "into": true,
	"when": true, "that": true, "this": true, "are": true}
