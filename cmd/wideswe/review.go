package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/stages/review"
)

// reviewCommands are what a reviewer does, beside the stage itself.
func (a *app) reviewCommands() []*cobra.Command {
	return []*cobra.Command{a.reviewList(), a.reviewShow(), a.reviewAccept(), a.reviewReject(),
		a.reviewSplit(), a.reviewMerge(), a.reviewImport(), a.reviewExport()}
}

// desk opens the reviewer's desk on the folder.
func (a *app) desk(cmd *cobra.Command) (review.Desk, error) {
	cur, err := a.curator()
	if err != nil {
		return review.Desk{}, err
	}
	db, err := a.read(cmd.Context(), cur)
	if err != nil {
		return review.Desk{}, err
	}
	return review.Desk{DB: db, Folder: cur.Folder}, nil
}

func (a *app) json(v any) error {
	enc := json.NewEncoder(a.out)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

func (a *app) reviewList() *cobra.Command {
	var o review.ListOptions
	var since string
	var asJSON bool
	c := &cobra.Command{
		Use: "list", Short: "List the candidates to review", Args: cobra.NoArgs,
		Example: "  wideswe review list --status unreviewed --limit 20",
		RunE: func(cmd *cobra.Command, _ []string) error {
			d := date{}
			if err := d.UnmarshalYAML([]byte(since)); err != nil {
				return pipeline.Usage("--since: %v", err)
			}
			o.Since = d.Time
			desk, err := a.desk(cmd)
			if err != nil {
				return err
			}
			rows, err := desk.List(cmd.Context(), o)
			if err != nil {
				return err
			}
			if asJSON {
				return a.json(rows)
			}
			return review.RenderList(a.out, rows)
		},
	}
	f := c.Flags()
	f.StringVar(&o.Ecosystem, "ecosystem", "", "of this ecosystem")
	f.StringVar(&o.Repository, "repository", "", "that hold a pull of owner/name")
	f.StringVar(&o.Status, "status", "", "unreviewed, accepted, rejected, disputed, stale, grouped (inspect has not looked yet), dropped or orphaned")
	f.StringVar(&o.Reviewer, "reviewer", "", "reviewed by")
	f.StringVar(&since, "since", "", "whose newest merge is on or after this day")
	f.BoolVar(&o.All, "all", false, "those that inspect dropped, too")
	f.IntVar(&o.Limit, "limit", 0, "at most this many")
	f.BoolVar(&asJSON, "json", false, "as JSON")
	return c
}

func (a *app) reviewShow() *cobra.Command {
	var o review.ShowOptions
	var asJSON bool
	c := &cobra.Command{
		Use: "show CANDIDATE", Short: "Show everything there is to judge a candidate by", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			desk, err := a.desk(cmd)
			if err != nil {
				return err
			}
			d, err := desk.Show(cmd.Context(), args[0], o)
			if err != nil {
				return err
			}
			if asJSON {
				return a.json(d)
			}
			return review.RenderDetail(a.out, d)
		},
	}
	c.Flags().IntVar(&o.BodyBytes, "body", 2000, "bytes of each pull's text")
	c.Flags().IntVar(&o.Files, "files", 30, "files of each pull")
	c.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	return c
}

func (a *app) reviewAccept() *cobra.Command {
	var o review.AcceptOptions
	c := &cobra.Command{
		Use: "accept CANDIDATE", Short: "Take a candidate for one change", Args: cobra.ExactArgs(1),
		Example: "  wideswe review accept 3fk2 --kind feature --pattern producer-consumer --reviewer ada",
		RunE: func(cmd *cobra.Command, args []string) error {
			desk, err := a.desk(cmd)
			if err != nil {
				return err
			}
			r, err := desk.Accept(cmd.Context(), args[0], o)
			return a.wrote(r.File, err, "review")
		},
	}
	f := c.Flags()
	f.StringVar(&o.Kind, "kind", "", "bugfix or feature")
	f.StringVar(&o.Pattern, "pattern", "", "producer-consumer or parallel")
	f.StringVar(&o.Reviewer, "reviewer", "", "your name")
	f.StringVar(&o.Note, "note", "", "a remark for later readers")
	return c
}

func (a *app) reviewReject() *cobra.Command {
	var o review.RejectOptions
	c := &cobra.Command{
		Use: "reject CANDIDATE", Short: "Say that a candidate is not one change, and why", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			desk, err := a.desk(cmd)
			if err != nil {
				return err
			}
			r, err := desk.Reject(cmd.Context(), args[0], o)
			return a.wrote(r.File, err, "review")
		},
	}
	c.Flags().StringVar(&o.Reason, "reason", "", "why")
	c.Flags().StringVar(&o.Reviewer, "reviewer", "", "your name")
	c.Flags().StringVar(&o.Note, "note", "", "a remark for later readers")
	return c
}

func (a *app) reviewSplit() *cobra.Command {
	var o review.SplitOptions
	c := &cobra.Command{
		Use: "split CANDIDATE [PULL…]", Args: cobra.MinimumNArgs(1),
		Short: "Decide that a candidate's pulls are not one change; the pulls named leave together",
		RunE: func(cmd *cobra.Command, args []string) error {
			desk, err := a.desk(cmd)
			if err != nil {
				return err
			}
			o.Pulls = args[1:]
			d, err := desk.Split(cmd.Context(), args[0], o)
			return a.wrote(d.File, err, "group")
		},
	}
	c.Flags().StringVar(&o.Reason, "reason", "", "why")
	c.Flags().StringVar(&o.Reviewer, "reviewer", "", "your name")
	return c
}

func (a *app) reviewMerge() *cobra.Command {
	var o review.MergeOptions
	c := &cobra.Command{
		Use: "merge CANDIDATE|PULL…", Args: cobra.MinimumNArgs(2),
		Short: "Decide that several candidates, and pulls named beside them, are one change",
		RunE: func(cmd *cobra.Command, args []string) error {
			desk, err := a.desk(cmd)
			if err != nil {
				return err
			}
			d, err := desk.Merge(cmd.Context(), args, o)
			return a.wrote(d.File, err, "group")
		},
	}
	c.Flags().StringVar(&o.Reason, "reason", "", "the common requirement")
	c.Flags().StringVar(&o.Reviewer, "reviewer", "", "your name")
	return c
}

// wrote says where a decision is and which stage takes it up.
func (a *app) wrote(file string, err error, stage string) error {
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(a.out, "wrote %s; next: %s run --from %s\n", file, a.self(), stage)
	return err
}

func (a *app) reviewImport() *cobra.Command {
	var o review.ImportOptions
	c := &cobra.Command{
		Use: "import [FILE]", Args: cobra.MaximumNArgs(1),
		Short: "Take verdicts from JSON lines or CSV (a file, or stdin)",
		RunE: func(cmd *cobra.Command, args []string) error {
			desk, err := a.desk(cmd)
			if err != nil {
				return err
			}
			in := a.in
			if len(args) == 1 {
				f, err := os.Open(args[0])
				if err != nil {
					return pipeline.Usage("%v", err)
				}
				defer f.Close()
				in, o.CSV = f, o.CSV || strings.HasSuffix(args[0], ".csv")
			}
			result, err := desk.Import(cmd.Context(), in, o)
			if err != nil {
				return err
			}
			return a.json(result)
		},
	}
	c.Flags().BoolVar(&o.CSV, "csv", false, "the input is CSV")
	c.Flags().StringVar(&o.Reviewer, "reviewer", "", "for lines that name none")
	c.Flags().BoolVar(&o.DryRun, "dry-run", false, "check every line, write nothing")
	return c
}

func (a *app) reviewExport() *cobra.Command {
	var asCSV, force bool
	c := &cobra.Command{
		Use: "export [FILE]", Args: cobra.MaximumNArgs(1),
		Short: "Write every verdict in the form that import reads",
		RunE: func(cmd *cobra.Command, args []string) error {
			cur, err := a.curator()
			if err != nil {
				return err
			}
			var out io.Writer = a.out
			if len(args) == 1 {
				f, err := pipeline.CreateFile(args[0], force)
				if err != nil {
					return err
				}
				defer f.Close()
				out, asCSV = f, asCSV || strings.HasSuffix(args[0], ".csv")
			}
			_, err = review.Desk{Folder: cur.Folder}.Export(out, asCSV)
			return err
		},
	}
	c.Flags().BoolVar(&asCSV, "csv", false, "as CSV")
	c.Flags().Bool("json", true, "as JSON lines")
	c.Flags().BoolVar(&force, "force", false, "replace FILE where it is there")
	return c
}
