package reference_test

import (
	"os"
	"sort"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wideswe/wideswe/pipeline/reference"
)

// specRow is a row of testdata/link_cases.tsv; its head explains the columns.
type specRow struct{ id, category, author, repository, text, links, grouping, loose, trap string }

func specRows(t testing.TB) (rows []specRow) {
	t.Helper()
	b, err := os.ReadFile("testdata/link_cases.tsv")
	if err != nil {
		t.Fatal(err)
	}
	unescape := strings.NewReplacer(`\\`, `\`, `\n`, "\n", `\r`, "\r", `\t`, "\t", `\u200b`, "\u200b")
	for line := range strings.Lines(string(b)) {
		line = strings.TrimSuffix(line, "\n")
		if line == "" || line[0] == '#' || strings.HasPrefix(line, "id\t") {
			continue
		}
		c := strings.Split(line, "\t")
		if len(c) != 9 {
			t.Fatalf("row %q has %d columns", c[0], len(c))
		}
		rows = append(rows, specRow{c[0], c[1], c[2], c[3], unescape.Replace(c[4]), c[5], c[6], c[7], c[8]})
	}
	return rows
}

// specInventory is the inventory that the spec's head names.
func specInventory() *reference.Inventory {
	var repositories []reference.Repository
	id := int64(0)
	for _, o := range []struct{ owner, names string }{
		{"acme", "api api.js web web-ui sdk-go sdk-python docs .github infra"}, {"globex", "core ui"}} {
		for _, n := range strings.Fields(o.names) {
			id++
			repositories = append(repositories, reference.Repository{ID: id, Name: o.owner + "/" + n, Ecosystem: o.owner})
		}
	}
	return reference.NewInventory(repositories, []reference.Alias{{Written: "acme/old-api", RepositoryID: 1}})
}

func TestSpec(t *testing.T) {
	inv := specInventory()
	rows := specRows(t)
	if len(rows) < 70 {
		t.Fatalf("the spec has %d rows", len(rows))
	}
	for _, row := range rows {
		t.Run(row.id+" "+row.category, func(t *testing.T) {
			got, grouping := readRow(t, inv, row)
			want, loose := set(row.links), looseSet(row.loose)
			for _, g := range got {
				if !contains(want, g) && contains(loose, g) {
					want = append(want, g)
				}
			}
			sort.Strings(want)
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("%s: links (-want +got)\n%s", row.trap, d)
			}
			if d := cmp.Diff(set(row.grouping), grouping); d != "" {
				t.Errorf("%s: grouping links (-want +got)\n%s", row.trap, d)
			}
		})
	}
}

// readRow gives the references into the inventory and those that may group.
func readRow(t *testing.T, inv *reference.Inventory, row specRow) (all, grouping []string) {
	owner, name, _ := strings.Cut(row.repository, "/")
	source, ok := inv.Lookup(owner, name)
	if !ok {
		t.Fatalf("no repository %s", row.repository)
	}
	login, kind := row.author, "User"
	if login != "human" {
		kind = "Bot"
	}
	links, groups := map[string]bool{}, map[string]bool{}
	for _, r := range reference.Extract(row.text, reference.Source{Owner: owner, Name: name, Author: login,
		AuthorType: kind, Location: reference.Body}) {
		target, ok := inv.Resolve(r)
		if !ok || target.ID == source.ID {
			continue
		}
		key := strings.ToLower(target.Name) + "#" + strconv.Itoa(r.Number)
		if r.Kind == reference.Commit {
			key = strings.ToLower(target.Name) + "@" + r.SHA
		}
		links[key] = true
		if may, _ := inv.MayGroup(r, source, target); may {
			groups[key] = true
		}
	}
	return keys(links), keys(groups)
}

func keys(m map[string]bool) []string {
	out := []string{}
	for k := range m {
		out = append(out, k)
	}
	sort.Strings(out)
	return out
}

func set(column string) []string {
	m := map[string]bool{}
	for _, f := range strings.Fields(column) {
		if f != "-" {
			m[f] = true
		}
	}
	return keys(m)
}

func looseSet(column string) []string {
	m := map[string]bool{}
	for _, f := range strings.Fields(column) {
		if strings.Contains(f, "/") {
			f, _, _ = strings.Cut(f, ":")
			m[f] = true
		}
	}
	return keys(m)
}

func contains(list []string, s string) bool {
	for _, l := range list {
		if l == s {
			return true
		}
	}
	return false
}
