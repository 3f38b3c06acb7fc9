// Package review is the commands with which people review candidates: wideswe review list, show, accept, reject, split,
// merge, import and export. What a verdict does is the stage review's.
package review

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/wideswe/wideswe/cmd/wideswe/internal/env"
	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/settings"
	"github.com/wideswe/wideswe/stages/review"
)

// NewCommands returns the sub-commands of wideswe review, which itself runs the stage.
func NewCommands(e *env.Env) []*cobra.Command {
	return []*cobra.Command{newListCommand(e), newShowCommand(e), newAcceptCommand(e), newRejectCommand(e),
		newSplitCommand(e), newMergeCommand(e), newImportCommand(e), newExportCommand(e)}
}

// openDesk opens the reviewer's desk on the folder.
func openDesk(e *env.Env, cmd *cobra.Command) (review.Desk, error) {
	cur, db, err := e.ReadFolderDatabase(cmd.Context())
	if err != nil {
		return review.Desk{}, err
	}
	return review.Desk{DB: db, Folder: cur.Folder}, nil
}

// decide gives the reviewer's decision at the desk, and prints the file that keeps it and which stage reads it.
func decide(e *env.Env, cmd *cobra.Command, stage string, decision func(review.Desk) (file string, err error)) error {
	desk, err := openDesk(e, cmd)
	if err != nil {
		return err
	}
	file, err := decision(desk)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(e.Out, "wrote %s; next: %s run --from %s\n", file, e.Command(), stage)
	return err
}

func newListCommand(e *env.Env) *cobra.Command {
	var o review.ListOptions
	var since string
	var asJSON bool
	c := &cobra.Command{
		Use: "list", Short: "List the candidates to review", Args: cobra.NoArgs,
		Example: "  wideswe review list --status unreviewed --limit 20",
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			if o.Since, err = parseSince(since); err != nil {
				return err
			}
			desk, err := openDesk(e, cmd)
			if err != nil {
				return err
			}
			rows, err := desk.List(cmd.Context(), o)
			if err != nil {
				return err
			}
			if asJSON {
				return e.PrintJSON(rows)
			}
			return review.RenderList(e.Out, rows)
		},
	}
	f := c.Flags()
	f.StringVar(&o.Ecosystem, "ecosystem", "", "of this ecosystem")
	f.StringVar(&o.Repository, "repository", "", "that hold a pull of owner/name")
	f.StringVar(&o.Status, "status", "", "unreviewed, accepted, rejected, disputed, stale, grouped (inspect has not "+
		"looked yet), "+
		"dropped or orphaned")
	f.StringVar(&o.Reviewer, "reviewer", "", "reviewed by")
	f.StringVar(&since, "since", "", "whose newest merge is on or after this day")
	f.BoolVar(&o.All, "all", false, "those that inspect dropped, too")
	f.IntVar(&o.Limit, "limit", 0, "at most this many")
	f.BoolVar(&asJSON, "json", false, "as JSON")
	return c
}

func parseSince(text string) (time.Time, error) {
	d := settings.Date{}
	if err := d.UnmarshalYAML([]byte(text)); err != nil {
		return d.Time, pipeline.Usage("--since: %v", err)
	}
	return d.Time, nil
}

func newShowCommand(e *env.Env) *cobra.Command {
	var o review.ShowOptions
	var asJSON bool
	c := &cobra.Command{
		Use: "show CANDIDATE", Short: "Show everything there is to judge a candidate by", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			desk, err := openDesk(e, cmd)
			if err != nil {
				return err
			}
			d, err := desk.Show(cmd.Context(), args[0], o)
			if err != nil {
				return err
			}
			if asJSON {
				return e.PrintJSON(d)
			}
			return review.RenderDetail(e.Out, d)
		},
	}
	c.Flags().IntVar(&o.BodyBytes, "body", 2000, "bytes of each pull's text")
	c.Flags().IntVar(&o.Files, "files", 30, "files of each pull")
	c.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	return c
}

func newAcceptCommand(e *env.Env) *cobra.Command {
	var o review.AcceptOptions
	c := &cobra.Command{
		Use: "accept CANDIDATE", Short: "Take a candidate for one change", Args: cobra.ExactArgs(1),
		Example: "  wideswe review accept 3fk2 --kind feature --pattern producer-consumer --reviewer ada",
		RunE: func(cmd *cobra.Command, args []string) error {
			return decide(e, cmd, "review", func(desk review.Desk) (string, error) {
				r, err := desk.Accept(cmd.Context(), args[0], o)
				return r.File, err
			})
		},
	}
	c.Flags().StringVar(&o.Kind, "kind", "", "bugfix or feature")
	c.Flags().StringVar(&o.Pattern, "pattern", "", "producer-consumer or parallel")
	c.Flags().StringVar(&o.Reviewer, "reviewer", "", "your name")
	c.Flags().StringVar(&o.Note, "note", "", "a remark for later readers")
	return c
}

func newRejectCommand(e *env.Env) *cobra.Command {
	var o review.RejectOptions
	c := &cobra.Command{
		Use: "reject CANDIDATE", Short: "Say that a candidate is not one change, and why", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return decide(e, cmd, "review", func(desk review.Desk) (string, error) {
				r, err := desk.Reject(cmd.Context(), args[0], o)
				return r.File, err
			})
		},
	}
	c.Flags().StringVar(&o.Reason, "reason", "", "why")
	c.Flags().StringVar(&o.Reviewer, "reviewer", "", "your name")
	c.Flags().StringVar(&o.Note, "note", "", "a remark for later readers")
	return c
}

func newSplitCommand(e *env.Env) *cobra.Command {
	var o review.SplitOptions
	c := &cobra.Command{
		Use: "split CANDIDATE [PULL…]", Args: cobra.MinimumNArgs(1),
		Short: "Decide that a candidate's pulls are not one change; the pulls named leave together",
		RunE: func(cmd *cobra.Command, args []string) error {
			return decide(e, cmd, "group", func(desk review.Desk) (string, error) {
				o.Pulls = args[1:]
				d, err := desk.Split(cmd.Context(), args[0], o)
				return d.File, err
			})
		},
	}
	c.Flags().StringVar(&o.Reason, "reason", "", "why")
	c.Flags().StringVar(&o.Reviewer, "reviewer", "", "your name")
	return c
}

func newMergeCommand(e *env.Env) *cobra.Command {
	var o review.MergeOptions
	c := &cobra.Command{
		Use: "merge CANDIDATE|PULL…", Args: cobra.MinimumNArgs(2),
		Short: "Decide that several candidates, and pulls named beside them, are one change",
		RunE: func(cmd *cobra.Command, args []string) error {
			return decide(e, cmd, "group", func(desk review.Desk) (string, error) {
				d, err := desk.Merge(cmd.Context(), args, o)
				return d.File, err
			})
		},
	}
	c.Flags().StringVar(&o.Reason, "reason", "", "the common requirement")
	c.Flags().StringVar(&o.Reviewer, "reviewer", "", "your name")
	return c
}

func newImportCommand(e *env.Env) *cobra.Command {
	var o review.ImportOptions
	c := &cobra.Command{
		Use: "import [FILE]", Args: cobra.MaximumNArgs(1),
		Short: "Take verdicts from JSON lines or CSV (a file, or stdin)",
		RunE: func(cmd *cobra.Command, args []string) error {
			desk, err := openDesk(e, cmd)
			if err != nil {
				return err
			}
			in := e.In
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
			return e.PrintJSON(result)
		},
	}
	c.Flags().BoolVar(&o.CSV, "csv", false, "the input is CSV")
	c.Flags().StringVar(&o.Reviewer, "reviewer", "", "for lines that name none")
	c.Flags().BoolVar(&o.DryRun, "dry-run", false, "check every line, write nothing")
	return c
}

func newExportCommand(e *env.Env) *cobra.Command {
	var asCSV, force bool
	c := &cobra.Command{
		Use: "export [FILE]", Args: cobra.MaximumNArgs(1),
		Short: "Write every verdict in the form that import reads",
		RunE: func(_ *cobra.Command, args []string) error {
			cur, err := e.Curator()
			if err != nil {
				return err
			}
			var out io.Writer = e.Out
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
