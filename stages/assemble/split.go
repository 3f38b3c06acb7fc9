package assemble

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sort"
	"time"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/filerole"
	"github.com/wideswe/wideswe/pipeline/git"
)

// Pull is what the host says of one merged pull.
type Pull struct {
	Number      int
	MergedAt    time.Time
	MergeCommit string
	Head        string // '' where the host gives none
	HostBase    string // as the host recorded it; kept, and asked only for a pull that was pushed
	// Files is the host's own list of the pull's files, nil where it is not there or not whole.
	Files []HostFile `json:",omitempty"`
	// Landed are commits of the branch that say that they land the pull.
	Landed []string `json:",omitempty"`
}

// Range is where one pull's change begins and ends.
type Range struct {
	Base, Head string // commits
	Merge      string
	Note       string // why head is not the pull's own head, '' where it is
}

// Split is the change of one repository's pulls, divided into gold patch and
// hidden tests.
type Split struct {
	Pulls                []int // in merge order
	Base, Gold, Merge    string
	BaseTree, GoldTree   string
	BaseTime             time.Time
	HostBase             string
	Composed             bool
	Note                 string
	GoldPatch, TestPatch []byte
	GoldFiles            []string
	HiddenFiles          []string
	Families             []string // languages of the gold files, repeats and all
	// Applied is the tree that base has after the hidden tests and the gold patch
	// were laid over it. The split is proved where it is GoldTree.
	Applied string
	// Differences are where the pulls' ranges and the host's lists of files part.
	Differences []Difference
}

// Proved says whether base + gold patch + hidden tests is the gold tree.
func (s Split) Proved() bool { return s.Applied != "" && s.Applied == s.GoldTree }

// RangeOf finds a pull's base and head: the merge base of its head and the first
// parent of its merge commit, and its head. Where the head is gone, or holds
// nothing that its merge did not find there already, it is what the merge commit and
// the commits pushed with it landed (see pushed). It returns a skip where neither can be had.
func RangeOf(ctx context.Context, repo *git.Repo, p Pull) (Range, error) {
	merge, err := repo.Commit(ctx, p.MergeCommit)
	var missing *git.MissingError
	if errors.As(err, &missing) || p.MergeCommit == "" {
		return Range{}, pipeline.Skip("the merge commit of %s#%d is gone", repo.Repository, p.Number)
	}
	if err != nil {
		return Range{}, err
	}
	if len(merge.Parents) == 0 {
		return Range{}, pipeline.Skip("the merge commit of %s#%d has no parent", repo.Repository, p.Number)
	}
	before := merge.Parents[0]
	head, err := headOf(ctx, repo, p)
	if err != nil {
		return Range{}, err
	}
	switch head {
	case "":
		return pushed(ctx, repo, p, merge, "the head is gone")
	case merge.SHA:
		return pushed(ctx, repo, p, merge, "the head was pushed to the branch")
	}
	base, err := repo.MergeBase(ctx, head, before)
	if err != nil {
		return Range{}, err
	}
	switch base {
	case "":
		return pushed(ctx, repo, p, merge, "the head shares no history with the branch")
	case head:
		return pushed(ctx, repo, p, merge, "the head was on the branch before its merge")
	}
	return Range{Base: base, Head: head, Merge: merge.SHA}, nil
}

// headOf is the pull's head where the mirror has it: as recorded, else by its ref.
func headOf(ctx context.Context, repo *git.Repo, p Pull) (string, error) {
	if p.Head != "" {
		_, err := repo.Commit(ctx, p.Head)
		var missing *git.MissingError
		if err == nil || !errors.As(err, &missing) {
			return p.Head, err
		}
	}
	return repo.PullHead(ctx, p.Number)
}

// Prove divides the change of one pull and proves the division on trees. The
// pull's commits must be in the mirror (see [git.Repo.Ensure]).
func Prove(ctx context.Context, repo *git.Repo, p Pull) (Split, error) {
	return ProveAll(ctx, repo, []Pull{p})
}

// ProveAll does the same for all pulls of one repository that a task takes
// together. The base is the first one's, the gold tree their three-way
// composition in merge order.
func ProveAll(ctx context.Context, repo *git.Repo, pulls []Pull) (Split, error) {
	pulls = append([]Pull(nil), pulls...)
	sort.SliceStable(pulls, func(i, j int) bool {
		if !pulls[i].MergedAt.Equal(pulls[j].MergedAt) {
			return pulls[i].MergedAt.Before(pulls[j].MergedAt)
		}
		return pulls[i].Number < pulls[j].Number
	})
	var s Split
	var steps []git.Step
	for _, p := range pulls {
		r, err := RangeOf(ctx, repo, p)
		if err != nil {
			return s, err
		}
		if err := s.hold(ctx, repo, p, r); err != nil {
			return s, err
		}
		s.Pulls = append(s.Pulls, p.Number)
		steps = append(steps, git.Step{Base: r.Base, Head: r.Head})
		s.Gold, s.Merge = r.Head, r.Merge
		if r.Note != "" {
			s.Note += fmt.Sprintf("#%d: %s. ", p.Number, r.Note)
		}
	}
	s.Base, s.HostBase, s.Composed = steps[0].Base, pulls[0].HostBase, len(pulls) > 1
	if err := s.trees(ctx, repo, steps); err != nil {
		return s, err
	}
	return s, s.divide(ctx, repo)
}

func (s *Split) trees(ctx context.Context, repo *git.Repo, steps []git.Step) error {
	base, err := repo.Commit(ctx, s.Base)
	if err != nil {
		return fmt.Errorf("reading the base: %w", err)
	}
	s.BaseTree, s.BaseTime = base.Tree, base.CommitterTime
	s.GoldTree, err = repo.Compose(ctx, steps)
	var conflict *git.ConflictError
	if errors.As(err, &conflict) {
		return pipeline.Skip("the pulls of %s can't be composed: #%d conflicts in %s", repo.Repository,
			s.Pulls[conflict.Step], conflict.Paths[0])
	}
	return explain(repo, "composing the pulls", err)
}

// divide makes both patches and lays them over the base.
func (s *Split) divide(ctx context.Context, repo *git.Repo) error {
	changes, err := repo.Changes(ctx, s.BaseTree, s.GoldTree)
	if err != nil {
		return fmt.Errorf("comparing base and gold: %w", err)
	}
	var gold, hidden []git.Change
	for _, c := range changes {
		if filerole.Hidden(c.Path) {
			hidden = append(hidden, c)
			s.HiddenFiles = append(s.HiddenFiles, c.Path)
		} else {
			gold = append(gold, c)
			s.GoldFiles = append(s.GoldFiles, c.Path)
		}
	}
	if s.GoldPatch, err = repo.DiffOf(ctx, s.BaseTree, s.GoldTree, gold); err != nil {
		return explain(repo, "making the gold patch", err)
	}
	if s.TestPatch, err = repo.DiffOf(ctx, s.BaseTree, s.GoldTree, hidden); err != nil {
		return explain(repo, "making the hidden tests", err)
	}
	s.Applied, err = repo.ApplyToTree(ctx, s.BaseTree, s.TestPatch, s.GoldPatch)
	var refused *git.ApplyError
	if errors.As(err, &refused) {
		return pipeline.Skip("the patches of %s do not go onto its base: %s", repo.Repository, refused.Reason)
	}
	if err != nil {
		return explain(repo, "laying the patches over the base", err)
	}
	return s.binaries(ctx, repo, changes)
}

// binaries proves the binary parts where the mirror can't help: it has the new
// content already, and git would take it from there.
func (s *Split) binaries(ctx context.Context, repo *git.Repo, changes []git.Change) error {
	if !bytes.Contains(s.GoldPatch, binaryMark) && !bytes.Contains(s.TestPatch, binaryMark) {
		return nil
	}
	after, err := repo.ApplyApart(ctx, changes, s.TestPatch, s.GoldPatch)
	if err != nil {
		return explain(repo, "laying the binary patches over the base", err)
	}
	got := make(map[string]git.Entry, len(after))
	for _, e := range after {
		got[e.Path] = e
	}
	for _, c := range changes {
		if e := got[c.Path]; c.Status != "D" && (e.OID != c.NewOID || e.Mode != c.NewMode) {
			return pipeline.Skip("the binary patch of %s does not make %s as gold has it", repo.Repository, c.Path)
		}
	}
	return nil
}

var binaryMark = []byte("\nGIT binary patch\n")

// explain makes a skip of an object that nobody has.
func explain(repo *git.Repo, doing string, err error) error {
	var missing *git.MissingError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &missing):
		return pipeline.Skip("%s of %s needs blob %s, which nobody has", doing, repo.Repository, missing.Objects[0])
	}
	return fmt.Errorf("%s of %s: %w", doing, repo.Repository, err)
}

// PatchID is the id of a pull's change that stays the same where the change is
// picked or ported unchanged; "" where its commits can't be had.
func PatchID(ctx context.Context, repo *git.Repo, p Pull) (string, error) {
	if err := tolerateMissing(repo.Ensure(ctx, nonEmpty(p.MergeCommit, p.Head), []int{p.Number})); err != nil {
		return "", err
	}
	r, err := RangeOf(ctx, repo, p)
	if _, skip := pipeline.SkipReason(err); skip {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	id, err := repo.PatchID(ctx, r.Base, r.Head)
	return id, tolerateMissing(err)
}

func nonEmpty(list ...string) []string {
	var out []string
	for _, s := range list {
		if s != "" {
			out = append(out, s)
		}
	}
	return out
}
