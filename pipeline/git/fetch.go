package git

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"time"
)

// attempts bounds how often one fetch is tried.
const attempts = 5

// promisor makes a fetch a filtered one. It is given to fetches alone, so that
// reading commands never go to the network by themselves.
func (r *Repo) promisor() []string {
	return []string{"-c", "remote.origin.url=" + r.url, "-c", "remote.origin.promisor=true",
		"-c", "remote.origin.partialclonefilter=blob:none"}
}

// Fetch brings the branches up to date.
func (r *Repo) Fetch(ctx context.Context) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	unlock, err := r.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	if err := r.fetchBranches(ctx); err != nil {
		return fmt.Errorf("fetching %s: %w", r.Repository, err)
	}
	return nil
}

func (r *Repo) fetchBranches(ctx context.Context) error {
	if err := r.fetch(ctx, "", "--prune", "+refs/heads/*:refs/heads/*"); err != nil {
		return err
	}
	return r.setHead(ctx)
}

// setHead makes HEAD the host's default branch.
func (r *Repo) setHead(ctx context.Context) error {
	var out []byte
	err := r.retry(ctx, func() (err error) {
		out, err = call{dir: r.dir, env: []string{r.protocols()}, timeout: 5 * time.Minute,
			args: append(r.promisor(), "ls-remote", "--symref", "origin", "HEAD")}.run(ctx)
		return err
	})
	if err != nil {
		return err
	}
	line, _, _ := strings.Cut(string(out), "\n")
	ref, ok := strings.CutPrefix(line, "ref: ")
	ref, _, _ = strings.Cut(ref, "\t")
	if !ok || !strings.HasPrefix(ref, "refs/heads/") {
		return nil // a detached or unborn HEAD: nothing to follow
	}
	_, err = r.git(ctx, "symbolic-ref", "HEAD", ref)
	return err
}

// fetch runs one filtered fetch, with the wanted objects on stdin where given.
func (r *Repo) fetch(ctx context.Context, stdin string, args ...string) error {
	all := r.promisor()
	if len(args) > 0 && args[0] == "-c" {
		all, args = append(all, args[:2]...), args[2:]
	}
	all = append(all, "fetch", "--quiet", "--no-tags", "--no-write-fetch-head",
		"--no-auto-gc", "--no-recurse-submodules", "--filter=blob:none")
	if stdin != "" {
		all = append(all, "--stdin")
	}
	all = append(append(all, "origin"), args...)
	r.handle = nil // go-git lists packs once; after a fetch it must look again
	return r.retry(ctx, func() error {
		_, err := call{dir: r.dir, args: all, stdin: strings.NewReader(stdin), env: []string{r.protocols()},
			timeout: fetchTimeout}.run(ctx)
		return err
	})
}

func (r *Repo) retry(ctx context.Context, do func() error) error {
	wait := r.mirrors.Backoff
	if wait <= 0 {
		wait = time.Second
	}
	for try := 1; ; try++ {
		err := do()
		if err == nil || ctx.Err() != nil {
			return err
		}
		var exit *exitError
		if !errors.As(err, &exit) || final(exit.stderr) {
			if exit != nil && gone(exit.stderr) {
				return &GoneError{r.Repository}
			}
			return err
		}
		if try == attempts {
			return fmt.Errorf("after %d attempts: %w", attempts, err)
		}
		r.log().Warn("fetch failed, trying again", "repo", r.Repository, "err", exit.Error(), "wait", wait)
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(wait):
		}
		wait *= 2
	}
}

// gone tells a repository that is not there, or asks for a login, from trouble on the way.
func gone(stderr string) bool {
	for _, s := range []string{"epository not found", "' not found", "could not read Username",
		"terminal prompts disabled",
		"does not appear to be a git repository", "requested URL returned error: 404", "requested URL returned error: 403",
		"requested URL returned error: 410", "requested URL returned error: 451", "Authentication failed"} {
		if strings.Contains(stderr, s) {
			return true
		}
	}
	return false
}

// final says that another attempt would end the same.
func final(stderr string) bool {
	return gone(stderr) || refused.MatchString(stderr) || strings.Contains(stderr, "couldn't find remote ref")
}

var (
	refused = regexp.MustCompile(`(?:not our ref|did not send all necessary objects|unadvertised object|no such ` +
		`remote ref|Server does not allow request for) ?:? ?([0-9a-f]{40}|[0-9a-f]{64})?`)
	noSuchRef = regexp.MustCompile(`couldn't find remote ref (\S+)`)
	objectID  = regexp.MustCompile(`^(?:[0-9a-f]{40}|[0-9a-f]{64})$`)
)

// Ensure brings the heads of the pulls and the commits that the mirror lacks: the
// pulls by their refs, and what is then still missing by its id. What the host
// does not have comes back as a [MissingError]; the rest is there then.
func (r *Repo) Ensure(ctx context.Context, commits []string, pulls []int) error {
	for _, c := range commits {
		if !objectID.MatchString(c) {
			return fmt.Errorf("%s: %q is not a commit id", r.Repository, c)
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	refs, err := r.absentRefs(ctx, pulls)
	if err != nil {
		return err
	}
	absent, err := r.absent(ctx, commits)
	if err != nil || len(refs)+len(absent) == 0 {
		return err
	}
	unlock, err := r.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	lost, err := r.fetchRefs(ctx, refs)
	if err != nil {
		return fmt.Errorf("fetching pulls of %s: %w", r.Repository, err)
	}
	if absent, err = r.absent(ctx, commits); err != nil {
		return err
	}
	lostCommits, err := r.fetchObjects(ctx, absent, true)
	if err != nil {
		return fmt.Errorf("fetching commits of %s: %w", r.Repository, err)
	}
	if lost = append(lost, lostCommits...); len(lost) > 0 {
		return &MissingError{r.Repository, lost}
	}
	return nil
}

func pullRef(number int) string { return "refs/pull/" + strconv.Itoa(number) + "/head" }

func (r *Repo) absentRefs(ctx context.Context, pulls []int) ([]string, error) {
	if len(pulls) == 0 {
		return nil, nil
	}
	out, err := r.git(ctx, "for-each-ref", "--format=%(refname)", "refs/pull")
	if err != nil {
		return nil, err
	}
	have := map[string]bool{}
	for _, ref := range strings.Fields(string(out)) {
		have[ref] = true
	}
	var refs []string
	for _, n := range pulls {
		if ref := pullRef(n); !have[ref] && !r.missing[ref] {
			have[ref] = true
			refs = append(refs, ref)
		}
	}
	sort.Strings(refs)
	return refs, nil
}

// fetchRefs fetches refs and returns those that the host does not have. One
// absent ref fails a whole fetch, so it is left out and the rest asked again.
func (r *Repo) fetchRefs(ctx context.Context, refs []string) (lost []string, err error) {
	for len(refs) > 0 {
		batch := refs[:min(len(refs), 500)]
		var lines strings.Builder
		for _, ref := range batch {
			fmt.Fprintf(&lines, "+%s:%s\n", ref, ref)
		}
		err := r.fetch(ctx, lines.String())
		if err == nil {
			refs = refs[len(batch):]
			continue
		}
		var exit *exitError
		if !errors.As(err, &exit) {
			return lost, err
		}
		m := noSuchRef.FindStringSubmatch(exit.stderr)
		if m == nil {
			return lost, err
		}
		rest := without(refs, m[1])
		if len(rest) == len(refs) {
			return lost, err
		}
		refs, lost = rest, append(lost, m[1])
		r.note(m[1])
	}
	return lost, nil
}

func (r *Repo) note(name string) {
	if r.missing == nil {
		r.missing = map[string]bool{}
	}
	r.missing[name] = true
}

func without(list []string, s string) []string {
	var rest []string
	for _, v := range list {
		if v != s {
			rest = append(rest, v)
		}
	}
	return rest
}

// Blobs brings those of the blobs that the mirror lacks, in one request, and
// answers with a [MissingError] where nobody has one.
func (r *Repo) Blobs(ctx context.Context, oids []string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	absent, err := r.absent(ctx, oids)
	if err != nil || len(absent) == 0 {
		return err
	}
	unlock, err := r.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	lost, err := r.fetchObjects(ctx, absent, false)
	if err != nil {
		return fmt.Errorf("fetching blobs of %s: %w", r.Repository, err)
	}
	if len(lost) > 0 {
		return &MissingError{r.Repository, lost}
	}
	return nil
}

// absent lists the objects that are not in the mirror, sorted, each once.
func (r *Repo) absent(ctx context.Context, oids []string) ([]string, error) {
	if len(oids) == 0 {
		return nil, nil
	}
	out, err := call{dir: r.dir, args: []string{"cat-file", "--batch-check"},
		stdin: strings.NewReader(strings.Join(oids, "\n") + "\n")}.run(ctx)
	if err != nil {
		return nil, err
	}
	var absent []string
	for line := range strings.Lines(string(out)) {
		if oid, ok := strings.CutSuffix(strings.TrimSpace(line), " missing"); ok {
			absent = append(absent, oid)
		}
	}
	sort.Strings(absent)
	return compact(absent), nil
}

func compact(sorted []string) []string {
	var out []string
	for i, s := range sorted {
		if i == 0 || sorted[i-1] != s {
			out = append(out, s)
		}
	}
	return out
}

// fetchObjects fetches objects by id and returns those that the host does not
// have. Commits bring their history and are kept by a ref; blobs come alone.
func (r *Repo) fetchObjects(ctx context.Context, oids []string, commits bool) (lost []string, err error) {
	var want []string
	for _, oid := range oids {
		if r.missing[oid] {
			lost = append(lost, oid)
			continue
		}
		want = append(want, oid)
	}
	lostNow, err := r.fetchWanted(ctx, want, commits)
	lost = append(lost, lostNow...)
	sort.Strings(lost)
	return lost, err
}

// fetchWanted asks in batches. One object that the host lacks fails a whole
// fetch; its complaint mostly names it, else the batch is halved until it is found.
func (r *Repo) fetchWanted(ctx context.Context, want []string, commits bool) (lost []string, err error) {
	size := maxBatch
	for len(want) > 0 {
		batch := want[:min(len(want), size)]
		err := r.fetch(ctx, wantLines(batch, commits), negotiation(commits)...)
		var exit *exitError
		switch {
		case err == nil:
			want, size = want[len(batch):], maxBatch
			continue
		case !errors.As(err, &exit) || !refused.MatchString(exit.stderr):
			return lost, err
		}
		bad := batch[0]
		if m := refused.FindStringSubmatch(exit.stderr); len(without(batch, m[1])) < len(batch) {
			bad = m[1]
		} else if len(batch) > 1 {
			size = len(batch) / 2
			continue
		}
		want, lost = without(want, bad), append(lost, bad)
		r.note(bad)
	}
	return lost, nil
}

const maxBatch = 5000

func wantLines(oids []string, commits bool) string {
	var lines strings.Builder
	for _, oid := range oids {
		if commits {
			fmt.Fprintf(&lines, "+%s:refs/wideswe/%s\n", oid, oid) // the ref keeps it
		} else {
			fmt.Fprintln(&lines, oid)
		}
	}
	return lines.String()
}

// negotiation says nothing of what is here when single blobs are asked for, as
// git's own lazy fetch does.
func negotiation(commits bool) []string {
	if commits {
		return nil
	}
	return []string{"-c", "fetch.negotiationAlgorithm=noop"}
}
