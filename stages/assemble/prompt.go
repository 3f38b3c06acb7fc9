package assemble

import (
	"regexp"
	"sort"
	"strings"
	"unicode"
)

// paragraph is a piece of a prompt and where it comes from.
type paragraph struct {
	text   string
	source string // owner/name#N title|body, several joined by "; ", or person
	edited bool
}

// Bounds on a draft. What is longer is for a person to choose from.
const (
	maxSource     = 64 << 10
	maxParagraphs = 60
)

// source is a pull with its repository's name.
type source struct {
	repository string
	pull
}

// draft makes a prompt from what people wrote: first the issues the pulls close,
// which tell the problem, then the pulls, in merge order. It names no pull and
// links to none, since they are the answer, and does not say which repositories
// they change, since finding that is part of the task.
func draft(c candidate) []paragraph {
	var out []paragraph
	add := func(text, source string) {
		for _, t := range paragraphs(text) {
			out = merge(out, paragraph{text: t, source: source})
		}
	}
	var pulls []source
	for _, r := range c.Repositories {
		for _, p := range r.Pulls {
			pulls = append(pulls, source{r.Name, p})
		}
	}
	sort.SliceStable(pulls, func(i, j int) bool { return pulls[i].MergedAt.Before(pulls[j].MergedAt) })
	for _, p := range pulls {
		for _, i := range p.Issues {
			add(cleanLine(i.Title), i.Name+" title")
			add(i.Body, i.Name+" body")
		}
	}
	for _, p := range pulls {
		out = p.tell(out, false)
	}
	if len(out) == 0 {
		for _, p := range pulls {
			out = p.tell(out, true)
		}
	}
	return out[:min(len(out), maxParagraphs)]
}

// tell adds what a pull says: its title as a sentence, where it says more than the
// body, and the body. A title that tells of work only is said where nothing else is.
func (p source) tell(out []paragraph, anyTitle bool) []paragraph {
	title, name := cleanLine(p.Title), p.repository+"#"+itoa(p.Number)
	about := subject(title)
	body := statements(paragraphs(p.Body), about)
	if title != "" && (anyTitle || !works(title, about)) && !covered(sentence(title), body) {
		out = merge(out, paragraph{text: sentence(title), source: name + " title"})
	}
	for _, t := range body {
		out = merge(out, paragraph{text: t, source: name + " body"})
	}
	return out
}

// merge adds a paragraph, or only its source where the text is there already.
func merge(list []paragraph, p paragraph) []paragraph {
	key := normal(p.text)
	for i := range list {
		if normal(list[i].text) == key {
			if !strings.Contains("; "+list[i].source+"; ", "; "+p.source+"; ") {
				list[i].source += "; " + p.source
			}
			return list
		}
	}
	return append(list, p)
}

// normal makes texts equal that say the same in other blanks, case or punctuation.
func normal(s string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}), " ")
}

// paragraphs cleans a body and divides it at blank lines; a fenced block stays whole.
func paragraphs(body string) []string {
	body = strings.ReplaceAll(strings.ToValidUTF8(body[:min(len(body), maxSource)], ""), "\r\n", "\n")
	body = htmlComment.ReplaceAllString(body, "")
	var out []string
	var block []string
	flush := func() {
		if text := strings.TrimSpace(strings.Join(block, "\n")); wordy.MatchString(text) {
			out = append(out, text)
		}
		block = nil
	}
	fence := ""
	for line := range strings.SplitSeq(body, "\n") {
		switch mark := fenceMark.FindString(strings.TrimSpace(line)); {
		case fence != "":
			block = append(block, plainLinks(line))
			if strings.HasPrefix(mark, fence) && strings.Trim(strings.TrimSpace(line), fence[:1]) == "" {
				fence = ""
			}
			continue
		case mark != "":
			fence = mark
			block = append(block, line)
			continue
		}
		if strings.TrimSpace(line) == "" {
			flush()
			continue
		}
		if signature.MatchString(line) {
			flush()
			break // what follows is the program's own text
		}
		if line = cleanBodyLine(line); line != "" {
			block = append(block, line)
		}
	}
	flush()
	return dropEmptyHeadings(out)
}

var (
	htmlComment = regexp.MustCompile(`(?s)<!--.*?(?:-->|$)`)
	fenceMark   = regexp.MustCompile("^(?:`{3,}|~{3,})")
	wordy       = regexp.MustCompile(`[\pL\pN]`)
	checklist   = regexp.MustCompile(`^\s*[-*+]?\s*\[[ xX]?\]`)
	trailer     = regexp.MustCompile(`(?i)^\s*(?:signed-off-by|co-authored-by|reviewed-by|acked-by|tested-by|cc|` +
		`change-id|reviewers?|license)\s*:`)
	signature = regexp.MustCompile(`(?i)^\s*(?:\W*generated (?:with|by) \W*\[?\w+|<details>\s*<summary>\s*(?:changelog|` +
		`release notes|commits)|\*\*?configuration\*\*?:|` +
		`this (?:pr|pull request) (?:was|has been) (?:automatically )?(?:generated|created|opened) by|<!-- this is an ` +
		`auto-generated)`)
	heading       = regexp.MustCompile(`^\s{0,3}#{1,6}\s+`)
	image         = regexp.MustCompile(`!\[[^\]]*\]\([^)]*\)|<img\b[^>]*>`)
	markdownLink  = regexp.MustCompile(`\[([^\]]*)\]\(\s*<?[^)\s]*>?(?:\s+"[^"]*")?\s*\)`)
	referenceLink = regexp.MustCompile(`^\s*\[[^\]]+\]:\s*\S+.*$`)
	bareLink      = regexp.MustCompile(`<?\bhttps?://[^\s<>)\]]*[^\s<>)\].,;:!?'"]>?`)
	hostReference = regexp.MustCompile(`(?i)(?:\b[\w.-]+/[\w.-]+)?(?:\B|\b)#\d+\b|\bGH-\d+\b|` +
		`\b[\w.-]+/[\w.-]+@[0-9a-f]{7,40}\b`)
	htmlTag = regexp.MustCompile(`</?(?:details|summary|sub|sup|p|br|b|i|em|strong|div|span|a|h[1-6]|table|tr|td|th|` +
		`tbody|thead|ul|ol|li|hr|center|picture|source|kbd|u)\b[^>]*>`)
	hollow = regexp.MustCompile(`(?i)^[\s\-*+>#_.,;:()\[\]&]*(?:(?:also|and|or|this|pr|it|the|a|pull|request|issue|see|` +
		`see also|part of|depends? on|depended on by|needs|necessary|incl|including|requires|required by|requires merging|` +
		`same(?: fix| change)? as|blocked by|blocks|` +
		`closes?|closed|fix(?:es|ed)?|resolves?|resolved|ref(?:s|erences)?|related(?: to)?|relates to|addresses|follow[- ` +
		`]?up (?:to|of)|companion(?: pr)?(?: of| to| for)?|counterpart(?: of| to)?|` +
		`in|from|to|of|for|with|by|merge|merged|after|before|blocked|based on|on|top|extracted from|split from|upstream|` +
		`downstream|goes|more|details|info|information|context|spec|docs?|original|replaces|supersedes|n/a|none|` +
		`tbd)[\s\-*+>#_.,;:()\[\]&]*)*$`)
	// label is what a link leaves that was all a line had to say.
	label           = regexp.MustCompile(`^\W*\w[\w -]{0,30}:$`)
	templateHeading = regexp.MustCompile(`(?i)^\W*(?:checklist|checks|pr checklist|before (?:merging|submitting)\b.*|` +
		`type of change|how has this been tested\??|related issues?(?: \(.*\))?|linked issues?|screenshots?(?: \(.*\))?|` +
		`reviewers?|todo|references?|test plan|testing|release notes?|changelog|additional (?:context|notes|` +
		`information))\W*$`)
)

// cleanBodyLine removes what is no prose of the author's: checklists, trailers,
// images, links, references to pulls. It returns "" for a line with nothing left.
func cleanBodyLine(line string) string {
	if checklist.MatchString(line) || trailer.MatchString(line) || referenceLink.MatchString(line) {
		return ""
	}
	had := line
	had = strings.TrimRight(had, " \t")
	line = proseLinks(line)
	if line != had && (hollow.MatchString(line) || label.MatchString(line) && !strings.HasSuffix(had, ":")) {
		return ""
	}
	if !wordy.MatchString(line) && !strings.HasPrefix(strings.TrimSpace(line), "|") {
		return ""
	}
	return line
}

// plainLinks leaves of links and references only their words.
func plainLinks(line string) string {
	return tidyBrackets(line, unlink(line, ""))
}

// unlink puts gap where a link without words or a reference was.
func unlink(line, gap string) string {
	line = image.ReplaceAllString(line, "")
	line = markdownLink.ReplaceAllString(line, "$1")
	line = bareLink.ReplaceAllString(line, gap)
	line = hostReference.ReplaceAllString(line, gap)
	return htmlTag.ReplaceAllString(line, "")
}

func tidyBrackets(had, line string) string {
	if line != had {
		line = emptyBrackets.ReplaceAllString(line, "")
		line = emptyCode.ReplaceAllString(line, "$1$2")
	}
	return strings.TrimRight(line, " \t")
}

var emptyBrackets = regexp.MustCompile(`(?:^|\s+)(?:\(\s*(?:see|cf\.?|in|from|via|and|,|\s)*\)|\[\s*\])`)

// emptyCode is what a reference in code marks leaves.
var emptyCode = regexp.MustCompile("(^|[^`])``($|[^`])")

// cleanLine cleans a title.
func cleanLine(title string) string {
	return strings.Join(strings.Fields(strings.TrimRight(plainLinks(title), " .:-")), " ")
}

// dropEmptyHeadings removes headings that nothing follows before the next one, and
// the sections that templates ask for.
func dropEmptyHeadings(list []string) []string {
	var out []string
	for i, p := range list {
		first, rest, more := strings.Cut(p, "\n")
		switch {
		case !heading.MatchString(first):
			out = append(out, p)
		case templateHeading.MatchString(heading.ReplaceAllString(first, "")):
			if more {
				out = append(out, strings.TrimSpace(rest))
			}
		case !more && (i+1 == len(list) || heading.MatchString(list[i+1])):
		default:
			out = append(out, p)
		}
	}
	return out
}
