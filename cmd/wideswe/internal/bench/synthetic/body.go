package synthetic

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
)

// maxBody is where the host cuts bodies.
const maxBody = 65_536

// writer writes the texts of one pull.
type writer struct {
	words      *words
	r          *rand.Rand
	repository *Repository
	b          []byte
}

// length is how long a person's text gets: half are shorter than 600 bytes, a few
// very long.
func (w *writer) length() int {
	return min(int(560*math.Exp(1.32*w.r.NormFloat64())), maxBody-2000)
}

// person writes as people do: one in eight nothing, some in a template, some with
// code, a log or issues that the pull closes.
func (w *writer) person(p *Pull, mentions []mention) {
	p.Author = w.words.author(w.r)
	p.HeadRef = w.words.pick(w.r) + "-" + w.words.pick(w.r)
	p.Title = w.title()
	if len(mentions) == 0 && w.r.IntN(100) < 14 {
		return // no body
	}
	templated := w.r.IntN(100) < 38
	if templated {
		w.add("<!-- Thanks for your contribution! Say what it does and why.\n     Link the issue, for example #123 or " +
			w.repository.Name + "#123. -->\n## What does this change?\n\n")
	}
	w.prose(w.length())
	if w.r.IntN(100) < 30 {
		w.add(fmt.Sprintf("\n\n%s #%d\n", [...]string{"Fixes", "Closes", "Resolves", "Part of", "Refs"}[w.r.IntN(5)], 1+
			w.r.IntN(20_000)))
	}
	for _, m := range mentions {
		w.add("\n\n" + m.text)
		if m.title != "" {
			p.Title = m.title
		}
		if m.backport {
			p.HeadRef, p.BaseRef = "backport-"+p.HeadRef, "release-1.4"
		}
	}
	switch n := w.r.IntN(100); {
	case n < 14:
		w.code(w.length())
	case n < 18:
		w.add("\n\nhttps://github.com/" + w.repository.Name + fmt.Sprintf("/pull/%d is related.", 1+w.r.IntN(9000)))
	case n < 23:
		w.add("\n\n![screenshot](https://github.com/user-attachments/assets/" + sha(w.r) + ")\n")
	case n < 26:
		w.add("\n\n<details><summary>Log</summary>\n\n")
		w.code(w.length() * 2)
		w.add("\n</details>\n")
	}
	if templated {
		w.add("\n\n## How was it tested?\n\n- [x] unit tests\n- [ ] by hand\n\n## Checklist\n\n- [x] I read the " +
			"[guide](https://github.com/" + w.repository.Name +
			"/blob/main/CONTRIBUTING.md).\n- [ ] The documentation is up to date.\n")
	}
	p.Body = string(w.b)
}

func (w *writer) title() string {
	kinds := [...]string{"fix: ", "feat: ", "chore: ", "Add ", "Fix ", "Remove ", "docs: ", "refactor: ", "Update ", ""}
	w.add(kinds[w.r.IntN(len(kinds))])
	w.sentence(3 + w.r.IntN(7))
	title := string(w.b)
	w.b = w.b[:0]
	return title
}

// program writes what the makers of updates write: the notes and commits of
// another project, full of its references.
func (w *writer) program(p *Pull) {
	bots := [...]string{"dependabot[bot]", "renovate[bot]", "mergify[bot]", "release-please[bot]"}
	bot := w.r.IntN(len(bots))
	p.Author, p.AuthorType = bots[bot], "Bot"
	of := w.words.pick(w.r) + "/" + w.words.pick(w.r)
	p.Title = fmt.Sprintf("Bump %s from 1.%d.0 to 1.%d.1", of, w.r.IntN(40), w.r.IntN(40))
	p.HeadRef = "dependabot/go_modules/" + of
	if bot == 1 {
		p.HeadRef = "renovate/" + of
	}
	w.add("Bumps [" + of + "](https://github.com/" + of +
		") to a newer version.\n<details>\n<summary>Release notes</summary>\n<p><em>Sourced from <a " +
		"href=\"https://github.com/" + of + "/releases\">the releases</a>.</em></p>\n<blockquote>\n<h2>Changes</h2>\n<ul>\n")
	for range int(1 + w.r.ExpFloat64()*7) {
		w.add("<li>")
		w.sentence(8)
		n := 1 + w.r.IntN(9000)
		switch bot {
		case 0:
			w.add(fmt.Sprintf(" by <a href=\"https://github.com/someone\"><code>@someone</code></a> in <a "+
				"href=\"https://redirect.github.com/%s/pull/%d\">%s#%d</a></li>\n", of, n, of, n))
		case 1:
			w.add(fmt.Sprintf(" ([#%d](https://redirect.github.com/%s/issues/%d))</li>\n", n, of, n))
		default:
			w.add(fmt.Sprintf(" (%s#%d)</li>\n", of, n))
		}
	}
	w.add("</ul>\n</blockquote>\n</details>\n\nThe update merges when the checks pass. Say `@bot rebase` to renew it.\n")
	p.Body = string(w.b)
}

func (w *writer) add(s string) { w.b = append(w.b, s...) }

// prose writes paragraphs, lists and headings up to a length.
func (w *writer) prose(length int) {
	for end := len(w.b) + length; len(w.b) < end; {
		switch w.r.IntN(12) {
		case 0:
			w.add("\n\n### ")
			w.sentence(4)
			w.add("\n\n")
		case 1, 2:
			w.add("\n- ")
		case 3:
			w.add("\n\n")
		case 4:
			w.add("`" + w.words.pick(w.r) + "." + w.words.pick(w.r) + "()` ")
		}
		w.sentence(5 + w.r.IntN(18))
		w.add(". ")
	}
}

// sentence writes words; about one in forty is a path, version, number or address.
func (w *writer) sentence(n int) {
	for i := range n {
		if i > 0 {
			w.b = append(w.b, ' ')
		}
		x := w.r.Uint64()
		if x>>58 == 0 {
			w.oddity()
			continue
		}
		w.add(w.words.at(x))
	}
}

func (w *writer) oddity() {
	switch w.r.IntN(7) {
	case 0:
		w.add(w.words.pick(w.r) + "/" + w.words.pick(w.r) + ".go")
	case 1:
		w.add(fmt.Sprintf("v%d.%d.%d", w.r.IntN(9), w.r.IntN(30), w.r.IntN(9)))
	case 2:
		w.add(fmt.Sprintf("#%d", 1+w.r.IntN(20_000)))
	case 3:
		w.add("https://docs.example.org/" + w.words.pick(w.r) + "/" + w.words.pick(w.r) + "#" + w.words.pick(w.r))
	case 4:
		w.add("@" + w.words.author(w.r))
	case 5:
		w.add(sha(w.r)[:8+w.r.IntN(32)])
	case 6:
		w.add(w.words.pick(w.r) + "/" + w.words.pick(w.r))
	}
}

// code writes a fenced block.
func (w *writer) code(length int) {
	w.add("\n\n```\n")
	for end := len(w.b) + length; len(w.b) < end; {
		w.add(strings.Repeat("  ", w.r.IntN(4)))
		w.add(w.words.pick(w.r) + "_" + w.words.pick(w.r) + "(" + w.words.pick(w.r) + fmt.Sprintf(", 0x%x) // line %d\n",
			w.r.Uint32(), w.r.IntN(900)))
	}
	w.add("```\n")
}
