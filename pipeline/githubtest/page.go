package githubtest

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// page answers one page of a list, with the Link header that leads through it.
func page[T any](q *request, all []T) {
	values := q.r.URL.Query()
	size, number := positive(values.Get("per_page"), 30), positive(values.Get("page"), 1)
	size = min(size, 100)
	last := max(1, (len(all)+size-1)/size)
	from := len(all)
	if number <= last {
		from = (number - 1) * size
	}
	if link := q.links(values, number, last); link != "" {
		q.w.Header().Set("Link", link)
	}
	q.answer(append([]T{}, all[from:min(from+size, len(all))]...))
}

func (q *request) links(values url.Values, number, last int) string {
	var links []string
	add := func(rel string, n int) {
		values.Set("page", strconv.Itoa(n))
		links = append(links, fmt.Sprintf(`<%s%s?%s>; rel="%s"`, q.url, q.r.URL.Path, values.Encode(), rel))
	}
	if number > 1 {
		add("prev", min(number-1, last))
	}
	if number < last {
		add("next", number+1)
		add("last", last)
	}
	if number > 1 {
		add("first", 1)
	}
	return strings.Join(links, ", ")
}

// positive reads a positive number, or gives the default as GitHub does for nonsense.
func positive(s string, otherwise int) int {
	if n, err := strconv.Atoi(s); err == nil && n > 0 {
		return n
	}
	return otherwise
}

// pulls answers the list of a repository's pulls.
func (q *request) pulls(r Repository) {
	values := q.r.URL.Query()
	var list []Pull
	for _, p := range q.built.Pulls {
		if p.Repository == r.Name && wanted(values, r, p) {
			list = append(list, p)
		}
	}
	sortPulls(list, values.Get("sort"), values.Get("direction"))
	var rows []map[string]any
	for _, p := range list {
		rows = append(rows, q.pullJSON(p))
	}
	page(q, rows)
}

func wanted(values url.Values, r Repository, p Pull) bool {
	base := cmp.Or(p.Base, r.DefaultBranch)
	if want := values.Get("base"); want != "" && want != base {
		return false
	}
	return inState(values, p.closed())
}

func inState(values url.Values, closed time.Time) bool {
	switch values.Get("state") {
	case "all":
		return true
	case "closed":
		return !closed.IsZero()
	default:
		return closed.IsZero()
	}
}

// sortPulls sorts as GitHub does: newest first by default for created, and the
// number decides between equals.
func sortPulls(list []Pull, by, direction string) {
	if direction == "" && (by == "" || by == "created") {
		direction = "desc"
	}
	slices.SortStableFunc(list, func(a, b Pull) int {
		c := a.CreatedAt.Compare(b.CreatedAt)
		if by == "updated" {
			c = a.updated().Compare(b.updated())
		}
		if c == 0 {
			c = a.Number - b.Number
		}
		if direction == "desc" {
			return -c
		}
		return c
	})
}

// issues answers the list of a repository's issues, pulls among them.
func (q *request) issues(r Repository) {
	values := q.r.URL.Query()
	since, _ := time.Parse(time.RFC3339, values.Get("since"))
	type row struct {
		at   time.Time
		json map[string]any
	}
	var rows []row
	for _, i := range q.built.Issues {
		if i.Repository == r.Name && inState(values, i.ClosedAt) && !i.updated().Before(since) {
			rows = append(rows, row{i.CreatedAt, q.issueJSON(i)})
		}
	}
	for _, p := range q.built.Pulls {
		if p.Repository == r.Name && inState(values, p.closed()) && !p.updated().Before(since) {
			rows = append(rows, row{p.CreatedAt, q.pullAsIssue(p)})
		}
	}
	slices.SortStableFunc(rows, func(a, b row) int { return b.at.Compare(a.at) })
	var list []map[string]any
	for _, x := range rows {
		list = append(list, x.json)
	}
	page(q, list)
}

// repositories answers the list of an account's repositories, by full name.
func (q *request) repositories(a Account) {
	kind := q.r.URL.Query().Get("type")
	var list []map[string]any
	for _, r := range q.byName() {
		owner, _, _ := strings.Cut(r.Name, "/")
		if !strings.EqualFold(owner, a.Login) || kind == "forks" && !r.Fork || kind == "sources" && r.Fork {
			continue
		}
		list = append(list, q.repositoryJSON(r, false))
	}
	page(q, list)
}

func (q *request) byName() []Repository {
	list := slices.Clone(q.built.Repositories)
	slices.SortFunc(list, func(a, b Repository) int {
		return strings.Compare(strings.ToLower(a.Name),
			strings.ToLower(b.Name))
	})
	switch q.r.URL.Query().Get("sort") {
	case "pushed":
		slices.SortStableFunc(list, func(a, b Repository) int { return q.pushed(b).Compare(q.pushed(a)) })
	case "created":
		slices.SortStableFunc(list, func(a, b Repository) int { return b.CreatedAt.Compare(a.CreatedAt) })
	}
	if q.r.URL.Query().Get("direction") == "desc" && q.r.URL.Query().Get("sort") == "full_name" {
		slices.Reverse(list)
	}
	return list
}
