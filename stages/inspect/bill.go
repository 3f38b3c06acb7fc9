package inspect

import (
	"context"
	"fmt"

	"github.com/wideswe/wideswe/pipeline"
)

// mirrorFrom is from how many pulls of a repository on its history is fetched: the
// host's lists cost at least one request a pull, git costs none of the quota.
const mirrorFrom = 100

// bill is the most that a run can ask of the host, lists of one page each.
type bill struct{ candidates, pulls, files, texts, issues int }

func (b bill) requests() int { return b.files + b.texts + b.issues }

func (b bill) String() string {
	return fmt.Sprintf("inspect: %d candidates with %d pulls; at most %d requests: %d for lists of files, %d for comments, reviews and commits, %d for issues (what a mirror lacks and lists of over 100 rows take more)",
		b.candidates, b.pulls, b.requests(), b.files, b.texts, b.issues)
}

// prepared decides where the files come from and prints the bill of the items that
// this run will work on.
func (s Stage) prepared(ctx context.Context, run *pipeline.Run, items []pipeline.Item[candidate]) (Stage, error) {
	latest, err := run.Ledger.Latest(ctx, s.Name())
	if err != nil {
		return s, fmt.Errorf("reading outcomes: %w", err)
	}
	var todo []candidate
	for _, it := range items {
		o, ok := latest[it.ID]
		if (run.Redo || !ok || !pipeline.Stands(o, s.Version(), it.Hash)) && !s.early(it.Value) {
			todo = append(todo, it.Value)
		}
	}
	s.mirrored = s.fromGit(todo)
	b := s.billOf(todo)
	if s.Bill != nil && b.requests() > 0 {
		_, err = fmt.Fprintln(s.Bill, b)
	}
	return s, err
}

// early says whether a candidate is dropped before anything is read.
func (s Stage) early(c candidate) bool {
	return !s.LatestMergeSince.IsZero() && c.LatestMergedAt.Before(s.LatestMergeSince.Time)
}

// fromGit gives the repositories whose files are read from a mirror.
func (s Stage) fromGit(todo []candidate) map[string]bool {
	pulls, out := map[string]int{}, map[string]bool{}
	for _, c := range todo {
		for _, m := range c.Members {
			pulls[m.Repository]++
		}
	}
	for r, n := range pulls {
		out[r] = s.Mirrors != nil && (s.API == nil || n >= mirrorFrom || s.Mirrors.Has(r))
	}
	return out
}

func (s Stage) billOf(todo []candidate) bill {
	b := bill{candidates: len(todo)}
	for _, c := range todo {
		for _, m := range c.Members {
			b.pulls++
			if s.API == nil || !m.Merged {
				continue
			}
			b.texts += 3
			if !s.mirrored[m.Repository] {
				b.files++
				b.texts++ // the commits
			}
			for _, i := range m.Issues {
				if !i.Known {
					b.issues++
				}
			}
		}
	}
	return b
}
