package inspect

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/filerole"
)

// paperPrefix begins the items that are pulls of the paper's records: those that no
// candidate that is looked at holds. The paper's funnel asks of all of them what their
// files are, whatever the strict rules and the settings of review make of them.
const paperPrefix = "paper:"

// paperPulls gives the pulls of the records that are kept, as items of one pull each.
func (s Stage) paperPulls(ctx context.Context, looked map[pullKey]bool) ([]pipeline.Item[candidate], error) {
	if !s.PaperFiles {
		return nil, nil
	}
	rows, err := s.DB.Query(ctx, `
		WITH kept AS (SELECT repository_id, number, targets FROM records WHERE NOT duplicate AND reason = ''),
		named AS (
			SELECT repository_id, number FROM kept
			UNION
			SELECT r.repository_id, split_part(t.target, '#', 2)::INTEGER
			FROM (SELECT unnest(targets) AS target FROM kept) t
			JOIN repositories r ON r.repository = split_part(t.target, '#', 1)
		)
		SELECT p.repository_id, p.repository, p.number, p.title, p.merged_at IS NOT NULL, p.merge_commit_sha, p.head_sha
		FROM named n JOIN all_pulls p ON p.repository_id = n.repository_id AND p.number = n.number
		ORDER BY p.repository_id, p.number`)
	if err != nil {
		return nil, err
	}
	pulls, err := pipeline.Scan(rows, func(m *member) []any {
		return []any{&m.RepositoryID, &m.Repository, &m.Number, &m.Title, &m.Merged, &m.MergeCommit, &m.HeadSHA}
	})
	var items []pipeline.Item[candidate]
	for _, m := range pulls {
		if !looked[pullKey{m.RepositoryID, m.Number}] {
			id := paperID(m)
			items = append(items, pipeline.Item[candidate]{ID: id, Value: candidate{ID: id, Paper: true, Members: []member{m}}})
		}
	}
	return items, err
}

func paperID(m member) string { return fmt.Sprintf("%s%d#%d", paperPrefix, m.RepositoryID, m.Number) }

// lookForPaper is the work on such a pull: its list of files is read, and nothing else.
func (s Stage) lookForPaper(ctx context.Context, c candidate) (pipeline.Write, error) {
	l := look{member: c.Members[0], listOnly: true}
	if l.member.Merged {
		err := s.files(ctx, l.member, &l)
		var gone unavailable
		if err != nil && !errors.As(err, &gone) {
			return nil, fmt.Errorf("listing the files of %s: %w", l.member.name(), err)
		}
		l.available = err == nil
	}
	return func(ctx context.Context, tx pipeline.Tx) error {
		if err := removePaperPull(c.ID)(ctx, tx); err != nil {
			return err
		}
		return tx.Append(ctx, "paper_checks", [][]any{l.paperRow("")})
	}, nil
}

func removePaperPull(id string) pipeline.Write {
	return func(ctx context.Context, tx pipeline.Tx) error {
		return tx.Exec(ctx, `DELETE FROM paper_checks WHERE candidate_id = '' AND repository_id || '#' || number = ?`,
			strings.TrimPrefix(id, paperPrefix))
	}
}

// paperRow is what the paper's rule says of a pull.
func (l *look) paperRow(candidate string) []any {
	var files []filerole.PaperFile
	for _, f := range l.files {
		files = append(files, filerole.PaperFile{Path: f.path, Removed: f.status == "removed"})
	}
	c := filerole.Paper(l.member.Repository, l.member.Title, files)
	return []any{candidate, l.member.RepositoryID, l.member.Number, l.available, c.Test, c.Phone, filerole.PaperVersion}
}
