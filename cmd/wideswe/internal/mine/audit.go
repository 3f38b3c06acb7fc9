package mine

import (
	"context"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/wideswe/wideswe/cmd/wideswe/internal/env"
	"github.com/wideswe/wideswe/cmd/wideswe/internal/exit"
	"github.com/wideswe/wideswe/stages/crawl"
)

// auditReport is what crawl audit --json prints.
type auditReport struct {
	Repositories []crawl.Audited `json:"repositories"`
	Expected     int64           `json:"expected"`
	Stored       int64           `json:"stored"`
	Missing      int             `json:"missing"`
	Incomplete   int             `json:"incomplete"` // repositories
}

// auditOptions holds the flags of crawl audit.
type auditOptions struct {
	env        *env.Env
	json, redo bool
}

func newAuditCommand(e *env.Env) *cobra.Command {
	o := &auditOptions{env: e}
	c := &cobra.Command{
		Use:   "audit",
		Short: "Count each repository's merged pulls against GitHub's search; 1 where some are missing",
		Example: `  wideswe -C DIR crawl audit
  wideswe -C DIR crawl audit --json | jq '.repositories[] | select(.missing != [])'`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context()) },
	}
	c.Flags().BoolVar(&o.json, "json", false, "as JSON")
	c.Flags().BoolVar(&o.redo, "redo", false, "ask again for what was counted before")
	return c
}

func (o *auditOptions) run(ctx context.Context) error {
	s, stage, err := openCrawl(ctx, o.env)
	if err != nil {
		return err
	}
	list, err := stage.Audit(ctx, s.NewRun(o.redo))
	if err != nil {
		return err
	}
	r := newAuditReport(list)
	if o.json {
		err = o.env.PrintJSON(r)
	} else {
		err = r.render(o.env.Out)
	}
	if err == nil && r.Incomplete > 0 {
		err = exit.Failure("%d of %d repositories are not complete; "+
			"wideswe crawl reads what it has not read, crawl --redo goes over all of them", r.Incomplete, len(list))
	}
	return err
}

func newAuditReport(list []crawl.Audited) auditReport {
	r := auditReport{Repositories: list}
	for _, v := range list {
		r.Expected, r.Stored, r.Missing = r.Expected+v.Expected, r.Stored+v.Stored, r.Missing+len(v.Missing)
		if !v.Complete() {
			r.Incomplete++
		}
	}
	return r
}

func (r auditReport) render(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "REPOSITORY\tFROM\tTO\tEXPECTED\tSTORED\tMISSING")
	for _, v := range r.Repositories {
		if v.Complete() && v.Expected == v.Stored {
			continue
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%d\t%d\t%s\n", v.Repository, v.Since.Format(time.DateOnly), untilText(v),
			v.Expected, v.Stored, gapText(v))
	}
	fmt.Fprintf(t, "%d repositories\t\t\t%d\t%d\t%d\n", len(r.Repositories), r.Expected, r.Stored, r.Missing)
	return t.Flush()
}

func untilText(v crawl.Audited) string {
	if v.Unread {
		return "-"
	}
	return v.Until.Format(time.DateTime)
}

// gapText names what is missing, at most so much that a line stays a line.
func gapText(v crawl.Audited) string {
	const shown = 12
	var words []string
	for i, n := range v.Missing {
		if i == shown {
			words = append(words, fmt.Sprintf("and %d more", len(v.Missing)-shown))
			break
		}
		words = append(words, fmt.Sprintf("#%d", n))
	}
	switch {
	case v.Unread:
		return "not read yet"
	case len(v.Unlisted) > 0:
		words = append(words, fmt.Sprintf("(%d here are not in the search)", len(v.Unlisted)))
	}
	return strings.Join(words, " ")
}
