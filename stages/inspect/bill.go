package inspect

import (
	"context"
	"fmt"

	"github.com/wideswe/wideswe/pipeline"
)

// usualMirrorFrom is from how many pulls of a repository on its history is fetched: the
// host's lists cost at least one request a pull, git costs none of the quota.
const usualMirrorFrom = 100

// bill is the most that a run can ask of the host, lists of one page each.
type bill struct{ candidates, pulls, paper, files, texts, issues int }

func (b bill) requests() int { return b.files + b.texts + b.issues }

func (b bill) String() string {
	paper := ""
	if b.paper > 0 {
		paper = fmt.Sprintf(", and %d more pulls of the paper's records (review.paper_files)", b.paper)
	}
	return fmt.Sprintf("inspect: %d candidates with %d pulls%s; at most %d requests: %d for lists of files, "+
		"%d for comments, reviews and commits, %d for issues (what a mirror lacks and lists of over 100 rows take more)",
		b.candidates, b.pulls, paper, b.requests(), b.files, b.texts, b.issues)
}

// printBill prints the bill of the items that this run will work on.
func (s Stage) printBill(ctx context.Context, run *pipeline.Run, items []pipeline.Item[candidate]) error {
	latest, err := run.Ledger.Latest(ctx, s.Name())
	if err != nil {
		return fmt.Errorf("reading outcomes: %w", err)
	}
	var todo []candidate
	for _, it := range items {
		o, ok := latest[it.ID]
		if (run.Redo || !ok || !pipeline.Stands(o, s.Version(), it.Hash)) && !s.early(it.Value) {
			todo = append(todo, it.Value)
		}
	}
	b := s.billOf(todo)
	if s.Bill != nil && b.requests() > 0 {
		_, err = fmt.Fprintln(s.Bill, b)
	}
	return err
}

// early says whether a candidate is dropped before anything is read.
func (s Stage) early(c candidate) bool {
	return !c.Paper && c.History == nil && !s.LatestMergeSince.IsZero() && c.LatestMergedAt.Before(s.LatestMergeSince.Time)
}

// fromGit says of every pull whether its files are read from a mirror: of the
// repositories that have many pulls in candidates, done or not. The two sources do not
// tell the same of manifests, so neither a mirror that another stage left on disk nor
// what an interrupted run did already may decide; the choice is part of an item's hash.
func (s Stage) fromGit(items []pipeline.Item[candidate]) {
	from := s.MirrorFrom
	if from == 0 {
		from = usualMirrorFrom
	}
	pulls := map[int64]int{}
	for _, it := range items {
		for _, m := range it.Value.Members {
			pulls[m.RepositoryID]++
		}
	}
	for _, it := range items {
		for i := range it.Value.Members {
			m := &it.Value.Members[i]
			m.FromGit = s.Mirrors != nil && (s.API == nil || pulls[m.RepositoryID] >= from)
		}
	}
}

func (s Stage) billOf(todo []candidate) (b bill) {
	for _, c := range todo {
		if !c.Paper && c.History == nil {
			b.candidates++
		}
		for _, m := range c.Members {
			s.add(&b, c, m)
		}
	}
	return b
}

func (s Stage) add(b *bill, c candidate, m member) {
	asks := s.API != nil && m.Merged
	if asks && !m.FromGit {
		b.files++
	}
	if c.Paper {
		b.paper++
		return
	}
	b.pulls++
	if !asks {
		return
	}
	b.texts += 3
	if !m.FromGit {
		b.texts++ // the commits
	}
	for _, i := range m.Issues {
		if !i.Known {
			b.issues++
		}
	}
}
