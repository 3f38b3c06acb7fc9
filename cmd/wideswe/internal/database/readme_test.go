package database

import (
	"context"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/wideswe/wideswe/pipeline/store"
	"github.com/wideswe/wideswe/pipeline/tables"
	"github.com/wideswe/wideswe/schema"
)

var update = flag.Bool("update", false, "write the list of views into schema/README.md")

const (
	readmeFile  = "../../../../schema/README.md"
	readmeStart = "<!-- The rest is written from the heads of schema/views: go test ./cmd/wideswe/internal/database " +
		"-run ReadmeOfTheSchema -update -->\n"
)

// TestReadmeOfTheSchema keeps the list of views in schema/README.md as the heads
// of their files say.
func TestReadmeOfTheSchema(t *testing.T) {
	db, err := store.Open(t.Context(), "", store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	b, err := os.ReadFile(readmeFile)
	if err != nil {
		t.Fatal(err)
	}
	head, got, found := strings.Cut(string(b), readmeStart)
	if !found {
		t.Fatalf("%s has no line %q", readmeFile, readmeStart)
	}
	want, err := viewsText(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(readmeFile, []byte(head+readmeStart+want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if got != want {
		t.Errorf("%s is not what the views say; go test ./cmd/wideswe/internal/database -run ReadmeOfTheSchema -update",
			readmeFile)
	}
}

func viewsText(ctx context.Context, db *store.DB) (string, error) {
	list, err := tables.List(ctx, db)
	if err != nil {
		return "", err
	}
	views, err := schema.Views()
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, v := range views {
		i := slices.IndexFunc(list, func(t tables.Table) bool { return t.Name == v.Name })
		if i < 0 || len(v.Key) == 0 {
			continue
		}
		fmt.Fprintf(&b, "\n### %s\n\n%s\n\nKey: `%s`.\n\n", v.Name, v.Grain, strings.Join(v.Key, "`, `"))
		writeColumns(&b, list[i].Columns)
		if v.Example.SQL != "" {
			fmt.Fprintf(&b, "\nExample: %s.\n\n```sql\n%s\n```\n", v.Example.Title, v.Example.SQL)
		}
	}
	return b.String(), nil
}

// writeColumns writes a table of the columns with their comments.
func writeColumns(b *strings.Builder, columns []tables.Column) {
	b.WriteString("| column | type | meaning | filled by |\n|---|---|---|---|\n")
	for _, c := range columns {
		fmt.Fprintf(b, "| `%s` | %s | %s | %s |\n", c.Name, strings.ToLower(c.Type), c.Comment, c.FilledBy)
	}
}
