package rank

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/wideswe/wideswe/schema"
)

// place is one row of a ranking page.
type place struct {
	number int
	name   string
	stars  int64
}

var (
	placeNumber = regexp.MustCompile(`^\s*([0-9]{1,7})\.`)
	repoCount   = regexp.MustCompile(`^\s*([0-9][0-9,.\s]*)\s+Repositor(?:y|ies)\s*$`)
)

// readRanking reads the rows of a ranking page: list items that lead to an account,
// with the place before the name and the stars in an element of their own. What
// has not this form is passed over.
func readRanking(body []byte) (places []place) {
	for row := range rows(body) {
		names := strings.Split(strings.Trim(attribute(row, "href"), "/"), "/")
		label, stars := inside(row, "name"), inside(row, "stargazers_count")
		if len(names) != 1 || !accountName.MatchString(names[0]) || label == nil || stars == nil {
			continue
		}
		m := placeNumber.FindStringSubmatch(text(label))
		n, ok := number(text(stars))
		if m == nil || !ok {
			continue
		}
		at, _ := strconv.Atoi(m[1])
		places = append(places, place{at, names[0], n})
	}
	return places
}

// readOrganization reads how many repositories an account's page says it has, 0
// unknown, and those it lists, in its order.
func readOrganization(body []byte, owner string) (count int, top []schema.RankedRepository) {
	seen := map[string]bool{}
	for row := range rows(body) {
		of, name, ok := strings.Cut(strings.Trim(attribute(row, "href"), "/"), "/")
		if !ok || !strings.EqualFold(of, owner) || strings.Contains(name, "/") || seen[strings.ToLower(name)] {
			continue
		}
		stars := inside(row, "stargazers_count")
		if stars == nil {
			continue
		}
		if n, ok := number(text(stars)); ok {
			seen[strings.ToLower(name)] = true
			top = append(top, schema.RankedRepository{Name: name, Stars: n, State: schema.RankedMissing})
		}
	}
	return heading(body), top
}

func heading(body []byte) int {
	for n := range nodes(body) {
		if n.DataAtom != atom.H3 {
			continue
		}
		if m := repoCount.FindStringSubmatch(text(n)); m != nil {
			count, _ := number(m[1])
			return int(min(count, 1<<31-1))
		}
	}
	return 0
}

// rows are the links that are items of a list with pages.
func rows(body []byte) func(yield func(*html.Node) bool) {
	return func(yield func(*html.Node) bool) {
		for n := range nodes(body) {
			if n.DataAtom == atom.A && strings.Contains(attribute(n, "class"), "paginated") && !yield(n) {
				return
			}
		}
	}
}

// nodes are the elements of a page, in its order. The parser bounds how deep they
// nest; a page that it refuses has none.
func nodes(body []byte) func(yield func(*html.Node) bool) {
	return func(yield func(*html.Node) bool) {
		root, err := html.Parse(bytes.NewReader(body))
		if err != nil {
			return
		}
		for n := range root.Descendants() {
			if n.Type == html.ElementNode && !yield(n) {
				return
			}
		}
	}
}

// inside is the first element within n that has the class.
func inside(n *html.Node, class string) *html.Node {
	for d := range n.Descendants() {
		if d.Type == html.ElementNode {
			for _, c := range strings.Fields(attribute(d, "class")) {
				if c == class {
					return d
				}
			}
		}
	}
	return nil
}

func attribute(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

func text(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data)
		}
	}
	return b.String()
}

// number reads 1,234,567.
func number(s string) (int64, bool) {
	s = strings.NewReplacer(",", "", ".", "", " ", "", "\n", "", "\t", "", "\u00a0", "").Replace(s)
	n, err := strconv.ParseInt(s, 10, 64)
	return n, err == nil && n >= 0
}
