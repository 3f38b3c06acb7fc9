package reference

import (
	"regexp"
	"strings"
)

// Relation is what the words around a reference say it is to the source.
type Relation string

// The relations.
const (
	Mention      Relation = "mention"       // no word says more
	DependsOn    Relation = "depends_on"    // Depends-On:, depends on
	Needs        Relation = "needs"         // needs, requires, blocked by, builds on
	Companion    Relation = "companion"     // companion, counterpart, goes with
	PicksUp      Relation = "picks_up"      // bumps a dependency to it, uses what it brings
	Closes       Relation = "closes"        // fixes, closes, resolves
	PartOf       Relation = "part_of"       // part of, tracked in
	PortOf       Relation = "port_of"       // port of, same change as, mirrors
	FollowUp     Relation = "follow_up"     // follow-up to
	BackportOf   Relation = "backport_of"   // backport of, cherry-picked from
	Reverts      Relation = "reverts"       // reverts
	CausedBy     Relation = "caused_by"     // regression from, introduced in
	Contrast     Relation = "contrast"      // unrelated to, unlike, does not depend on
	ImportedFrom Relation = "imported_from" // a copy of the same diff
)

// Negative says whether the relation speaks against one coordinated change.
func (r Relation) Negative() bool {
	switch r {
	case BackportOf, Reverts, CausedBy, Contrast, ImportedFrom:
		return true
	}
	return false
}

// Strong says whether the writer says that the two belong together.
func (r Relation) Strong() bool { return r == DependsOn || r == Needs || r == Companion }

// cue is a pattern of words before a reference. Where several match, the one that
// ends nearest to the reference wins; of equal ones the first.
type cue struct {
	relation Relation
	before   *regexp.Regexp
}

func words(pattern string) *regexp.Regexp { return regexp.MustCompile(`\b(?:` + pattern + `)`) }

// contrast wins wherever it stands in the clause: "does not depend on".
var contrast = words(`unrelated\b|not related\b|unlike\b|(?:in contrast|contrary|as opposed|alternative) to\b|` +
	`differ(?:s|ent)?(?:ly)? (?:from|than|to)\b|instead of\b|rather than\b|independent(?:ly)? (?:of|from)\b|` +
	`(?:do|does|did|is|are|was|should|will|must|need)(?:n[’']?t| not| no longer) (?:\w+ ){0,2}?(?:depend|requir|need|` +
	`block|fix|clos|part|companion|address|resolv|based|relate)|no longer (?:depend|requir|need|block)\w*|not (?:a |the ` +
	`)?(?:companion|part of|depend\w*|blocked)`)

var cues = []cue{
	{Mention, words(`based (?:up)?on (?:\w+ ){0,4}(?:lessons?|learn(?:ed|t|ing|ings)|experiences?|insights?|` +
		`findings)\b(?: \w+){0,3}`)},
	{PicksUp, words(`(?:bump|updat|upgrad)\w*\b[^;:]*\bafter[\s(\[]*$`)},
	{Reverts, words(`revert(?:s|ed|ing)?\b`)},
	{CausedBy, words(`regress(?:ion|ed|ions)?(?: \w+){0,2} (?:from|in|of|by|since|with)\b|introduced (?:in|by|with)\b|` +
		`brok(?:e|en)(?: \w+){0,2} (?:by|in|since)\b|caused by\b|breakage (?:from|in|of)\b`)},
	{ImportedFrom, words(`import(?:s|ed|ing)?(?: \w+){0,2} from\b|(?:sync|synced|synchroni[sz]ed|copied|exported|` +
		`vendored)(?: \w+){0,2} from\b|mirror(?:ed)? (?:of|from)\b`)},
	{BackportOf, words(`back-?port(?:s|ed|ing)?\b(?: of\b| from\b)?|cherry[- ]?pick(?:s|ed|ing)?\b(?: of\b| from\b)?`)},
	{DependsOn, words(`depend(?:s|ing|ed|ant|ent|ency|encies)?[- ]?(?:on|of)?\b`)},
	{Companion, words(`companions?\b|counterparts?\b|accompan(?:y|ies|ied|ying)\b|sister (?:pr|pull|change)s?\b|` +
		`pair(?:ed|s)? with\b|(?:goes|go|going)(?: \w+)? with\b|(?:in tandem|together|hand in hand|in conjunction|along|` +
		`alongside) with\b|alongside\b|correspond(?:s|ing)?(?: \w+){0,2}(?: to\b)?|(?:client|server|backend|frontend|ui|` +
		`api|sdk|cli)[- ](?:side|part|change)s?\b`)},
	{Needs, words(`needs?\b|require[sd]?\b|requiring\b|prerequisites?\b|blocke?[sd]?(?: by| on)?\b|blocking\b|wait(?:s|` +
		`ing)? (?:for|on)\b|(?:built|builds|based|stacked) (?:up)?on\b|on top of\b|merge[ds]? (?:after|before|with)\b|` +
		`land(?:s|ed)? (?:after|before|with)\b|(?:after|once|until)[\s:(\[]*$`)},
	{PartOf, words(`part of\b|track(?:ed|ing|s)?(?: \w+)?(?: (?:in|by|issue))?\b|epic\b|parent(?: issue)?\b|umbrella\b|` +
		`sub-?(?:issue|task) of\b|towards?\b`)},
	{PortOf, words(`port(?:s|ed|ing)?(?: \w+)? (?:of|from)\b|same (?:\w+ )?(?:as|change|fix|in)\b|mirror(?:s|ing)\b|` +
		`cop(?:y|ies) of\b|based off(?: of)?\b|model(?:l)?ed (?:on|after)\b|inspired by\b|adapted from\b|equivalent (?:of|` +
		`to|for)\b|(?:analog(?:ous)?|similar(?:ly)?|parity|aligned|in line) (?:to|with)\b`)},
	{FollowUp, words(`follow(?:s|ed|ing)?[- ]?up\b|continu(?:es|ation of|ing)\b`)},
	{PicksUp, words(`bump(?:s|ed|ing)?\b|updat(?:e|es|ed|ing)\b|upgrad(?:e|es|ed|ing)\b|pick(?:s|ed|ing)? up\b|pull(?:s|` +
		`ed|ing)? in\b|includ(?:e|es|ed|ing)\b|adopt(?:s|ed|ing)?\b|us(?:e|es|ed|ing)\b|consum(?:e|es|ed|ing)\b|` +
		`integrat(?:e|es|ed|ing)\b|incorporat(?:e|es|ed|ing)\b|implement(?:s|ed|ing|ation)\b|appl(?:y|ies|ied|ying)\b|` +
		`test(?:s|ed|ing)?(?: \w+){0,4} (?:with|from)\b|(?:@\S+|main|master|branch|version|commit) with(?: the)?(?: prs?| ` +
		`pull requests?)?[\s:(\[]*$`)},
	{Closes, regexp.MustCompile(`\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?)\s*:?\s*(?:the )?(?:(?:issue|bug|pr|pull ` +
		`request)s?\s*)?[\[<*_]*$`)},
}

// after are words behind a reference.
var after = []cue{
	{Needs, regexp.MustCompile(`^[\s)\]>*_]*(?:(?:must|should|needs? to|has to) (?:be )?(?:merge|land|release|go)|(?:is|` +
		`are) (?:required|needed|a prerequisite)|(?:is|are|gets?|has been|was) (?:merged|released|landed) first)`)},
	{Companion, regexp.MustCompile(`^[\s)\]>*_]*\(?(?:companion|counterpart)\b`)},
}

// separator is what may stand between two references that share a relation word.
var separator = regexp.MustCompile(`^[\s,;&+)\]>*_"'|]*(?:and|or|as well as)?[\s,(<*_"'|]*(?:\[[^\]]{0,60}\]\()?$`)

// How far words reach, in bytes.
const (
	cueBytes   = 80
	afterBytes = 40
	leadLines  = 20
)

// relationOf reads the words around the i-th find. earlier are the references
// before it.
func relationOf(text string, found []find, i int, earlier []Reference) Relation {
	f, start := found[i], found[i].words()
	line := strings.LastIndexByte(text[:start], '\n') + 1
	from := max(wrapped(text, line, start), start-cueBytes)
	if i > 0 && found[i-1].end > from {
		from = found[i-1].end
		if between := text[from:f.apart()]; separator.MatchString(between) {
			return earlier[i-1].Relation
		}
	}
	before := lastSentence(strings.ToLower(text[from:start]))
	if r := readCues(before); r != Mention {
		return r
	}
	end := f.end + len(lineOf(text[f.end:], afterBytes))
	if i+1 < len(found) {
		end = min(end, max(found[i+1].start, f.end))
	}
	rest := strings.ToLower(text[f.end:end])
	for _, c := range after {
		if c.before.MatchString(rest) {
			return c.relation
		}
	}
	if from == line && !strings.Contains(before, ". ") {
		return leadIn(text[:line], text[line:start])
	}
	return Mention
}

// remark matches the part of an address that leads to one comment of many.
var remark = regexp.MustCompile(`#(?:discussion_r|issuecomment-|pullrequestreview-)\d`)

// weaken makes a reference to a remark a mention: who needs a change, or ports it,
// names the change. Words against it stand. What is built with a pull picks it up,
// whatever else is said.
func weaken(r Relation, written string) Relation {
	switch {
	case !r.Negative() && remark.MatchString(written):
		return Mention
	case r == Mention && isBuiltWith(written):
		return PicksUp
	}
	return r
}

// goesOn matches a line that breaks off before what it speaks of.
var goesOn = regexp.MustCompile(`(?i)(?:\b(?:on|upon|by|with|in|of|to|from|for|via|after|before|than|as|the|pr|pull ` +
	`request)|[:(])[\s*_]*$`)

// wrapped gives where the words before a reference begin: with its line, or with the
// line above, where the reference comes first and that line breaks off before it.
func wrapped(text string, line, start int) int {
	if line == 0 || strings.TrimSpace(text[line:start]) != "" {
		return line
	}
	above := strings.LastIndexByte(text[:line-1], '\n') + 1
	if line-above > 400 || !goesOn.MatchString(text[above:line]) {
		return line
	}
	return above
}

func readCues(before string) Relation {
	if strings.TrimSpace(before) == "" {
		return Mention
	}
	if mayMatch(Contrast, before) && contrast.MatchString(before) {
		return Contrast
	}
	best, at := Mention, -1
	for _, c := range cues {
		if !mayMatch(c.relation, before) {
			continue
		}
		for _, m := range c.before.FindAllStringIndex(before, -1) {
			if m[1] > at {
				best, at = c.relation, m[1]
			}
		}
	}
	return best
}

// lastSentence cuts what an earlier sentence says.
func lastSentence(s string) string {
	for _, stop := range []string{". ", "! ", "? ", "; ", "| "} {
		if at := strings.LastIndex(strings.TrimRight(s, " "), stop); at >= 0 {
			s = s[at+len(stop):]
		}
	}
	return s
}

func lineOf(s string, most int) string {
	if len(s) > most {
		s = s[:most]
	}
	if at := strings.IndexAny(s, "\r\n"); at >= 0 {
		s = s[:at]
	}
	return s
}

var (
	listItem = regexp.MustCompile(`^\s*(?:[-*+]|\d{1,3}[.)])\s`)
	leadLine = regexp.MustCompile(`^\s*#{1,6}\s|:[\s*_]*$|^\s*\*\*[^*]+\*\*\s*$`)
)

// leadIn reads the line above a list, "Depends on:" or a heading, for an item
// that says nothing of its own.
func leadIn(above, item string) Relation {
	if !listItem.MatchString(item) {
		return Mention
	}
	for range leadLines {
		above = strings.TrimRight(above, "\r\n")
		at := strings.LastIndexByte(above, '\n') + 1
		line := above[at:]
		if len(line) > 200 {
			return Mention
		}
		if strings.TrimSpace(line) != "" && !listItem.MatchString(line) {
			if !leadLine.MatchString(line) {
				return Mention
			}
			return readCues(strings.ToLower(line) + " ")
		}
		if at == 0 {
			return Mention
		}
		above = above[:at]
	}
	return Mention
}
