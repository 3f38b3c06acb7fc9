// Package reference finds references to pulls, issues and commits of other
// repositories in text that people wrote, and says what each may be used for.
//
// It holds the grammar ([Extract]), the repositories that names can mean
// ([Inventory]), the rule for what may join pulls into one change
// ([Inventory.MayGroup]) and, apart from all that, the rule of the authors' own
// script ([PaperLinks]). It reads no database and asks no network: whether number
// 12 is a pull or an issue is for others to find out.
//
// The grammar, in short. A cheap look at the bytes rejects most texts. In the
// others references are found in the raw text, by bytes, so that offsets are the
// text's own; then the Markdown around them says which count: code, comments and
// title attributes do not, quotes and struck text do but join nothing.
// testdata/link_cases.tsv is the executable spec.
package reference

import (
	"sort"
	"strings"
	"unicode/utf8"
)

// Version of the rules; outcomes of another version are stale.
const Version = "5"

// Form is how a reference is written.
type Form string

// The forms.
const (
	URL             Form = "url"              // https://github.com/o/n/pull/12, any sub-page, anchor or query
	URLBare         Form = "url_bare"         // github.com/o/n/pull/12 without a scheme
	Shorthand       Form = "shorthand"        // o/n#12
	NameOnly        Form = "name_only"        // n#12: the owner is taken to be the source's
	CommitURL       Form = "commit_url"       // https://github.com/o/n/commit/SHA
	CommitShorthand Form = "commit_shorthand" // o/n@SHA
	RedirectURL     Form = "redirect_url"     // a host that bots use so that no backlink arises
	APIURL          Form = "api_url"          // https://api.github.com/repos/o/n/pulls/12
	HTMLAnchor      Form = "html_anchor"      // <a href="https://github.com/o/n/pull/12">
)

// Kind is what the written form says the target is. A number that is written as
// an issue may be a pull all the same: the host redirects.
type Kind string

// The kinds.
const (
	Pull       Kind = "pull"
	Issue      Kind = "issue"
	Commit     Kind = "commit"
	Discussion Kind = "discussion" // shares the numbers of issues and is never a pull
	Unknown    Kind = "unknown"
)

// Flag is a fact about the place a reference stands in.
type Flag string

// The flags.
const (
	Quote     Flag = "quote"     // in a quotation: someone else's words
	Changelog Flag = "changelog" // in release notes or a changelog that the text carries
	Bot       Flag = "bot"       // a program wrote the text
	Struck    Flag = "struck"    // struck out: withdrawn
	Redirect  Flag = "redirect"  // by a host that hides the reference
	List      Flag = "list"      // in a list of more than five references
	Details   Flag = "details"   // in a section that is folded up
	Heading   Flag = "heading"   // in a heading
	Release   Flag = "release"   // the source is a release pull by its title
	Rollup    Flag = "rollup"    // the source gathers other pulls by its title
	Loose     Flag = "loose"     // the name alone, or a discussion: recorded, joins nothing by itself
)

// Location is which text of the source a reference stands in.
type Location string

// The locations.
const (
	Title         Location = "title"
	Body          Location = "body"
	Comment       Location = "comment"
	CommitMessage Location = "commit"
	IssueText     Location = "issue"
	Branch        Location = "branch"
)

// Source says who wrote a text and where it stands.
type Source struct {
	Owner, Name string
	Author      string // login
	AuthorType  string // User, Bot, …, as the host says
	HeadRef     string
	Title       string // the pull's title, whatever text is read
	Location    Location
}

// Reference is one occurrence of a reference in a text.
type Reference struct {
	Offset, Length int // bytes of the text given to Extract
	Form           Form
	Written        string // the text at the offset
	Owner, Name    string // as written
	RepositoryID   int64  // where an API address gives the repository by number
	Number         int    // 0 for commits
	SHA            string // lower case, '' but for commits
	Kind           Kind
	Relation       Relation
	Flags          []Flag // sorted
	Snippet        string // at most 80 bytes around the reference, valid UTF-8
}

// Has says whether the reference carries a flag.
func (r Reference) Has(f Flag) bool {
	for _, g := range r.Flags {
		if f == g {
			return true
		}
	}
	return false
}

// MaxText bounds how much of a text is read, in bytes. The host cuts bodies at
// 65,536 characters.
const MaxText = 1 << 20

// Extract finds the references of a text, in order of appearance. References by
// number alone (#12, GH-12) mean the source's own repository and are not given.
func Extract(text string, src Source) []Reference {
	return ExtractIf(text, src, func(Reference) bool { return true })
}

// ExtractIf gives what [Extract] gives, or nothing, where matters says of everything
// in the text that looks like a reference that it is of no use. It is shown what is
// written alone: the form, names, number, kind and hash. To read the Markdown and the
// words around takes far longer than to look up a name, and most pulls that programs
// write name repositories of strangers only.
func ExtractIf(text string, src Source, matters func(Reference) bool) []Reference {
	if len(text) > MaxText {
		text = text[:MaxText]
	}
	found := scan(text)
	if !anyMatters(found, src, matters) {
		return nil
	}
	switch src.Location {
	case CommitMessage, Branch:
		for i := range found {
			found[i].place = placeText
		}
	default:
		readMarkdown(text, found)
	}
	found = countable(text, found)
	if len(found) == 0 {
		return nil
	}
	flags := sourceFlags(src)
	refs := make([]Reference, 0, len(found))
	for i, f := range found {
		r := f.reference(text, src)
		r.Relation = weaken(relationOf(text, found, i, refs), text[f.start:f.end])
		r.Flags = f.flags(flags)
		refs = append(refs, r)
	}
	return refs
}

func anyMatters(found []find, src Source, matters func(Reference) bool) bool {
	for i := range found {
		if matters(found[i].written(src)) {
			return true
		}
	}
	return false
}

// written is what a find says by itself.
func (f *find) written(src Source) Reference {
	r := Reference{Form: f.form, Owner: f.owner, Name: f.name, RepositoryID: f.repositoryID, Number: f.number,
		SHA: strings.ToLower(f.sha), Kind: f.kind}
	if f.form == NameOnly {
		r.Owner = src.Owner
	}
	return r
}

func (f *find) reference(text string, src Source) Reference {
	r := f.written(src)
	r.Offset, r.Length, r.Written, r.Snippet = f.start, f.end-f.start, text[f.start:f.end], snippet(text, f.start, f.end)
	if f.place == placeAttribute && (f.form == URL || f.form == CommitURL) {
		r.Form = HTMLAnchor
	}
	return r
}

func (f *find) flags(of []Flag) []Flag {
	flags := append([]Flag{}, of...)
	for _, c := range contextFlags {
		if f.context&c.bit != 0 {
			flags = append(flags, c.flag)
		}
	}
	if f.form == RedirectURL {
		flags = append(flags, Redirect)
	}
	if f.form == NameOnly || f.kind == Discussion {
		flags = append(flags, Loose)
	}
	sort.Slice(flags, func(i, j int) bool { return flags[i] < flags[j] })
	return flags
}

// snippetBytes bounds a snippet.
const snippetBytes = 80

// snippet cuts about 80 bytes around a reference, on one line, mostly before it:
// what leads up to a reference tells what it means.
func snippet(text string, start, end int) string {
	if end-start > snippetBytes {
		end = start + snippetBytes
	}
	room := snippetBytes - (end - start)
	from := max(start-room*3/4, 0)
	if nl := strings.LastIndexAny(text[from:start], "\r\n"); nl >= 0 {
		from += nl + 1
	}
	to := min(from+snippetBytes, len(text))
	if nl := strings.IndexAny(text[end:max(to, end)], "\r\n"); nl >= 0 {
		to = end + nl
	}
	for from < start && !utf8.RuneStart(text[from]) {
		from++
	}
	for to > from && to < len(text) && !utf8.RuneStart(text[to]) {
		to--
	}
	// A replacement is longer than the byte it stands for, so bad bytes become a question mark.
	return strings.ToValidUTF8(strings.TrimSpace(text[from:to]), "?")
}
