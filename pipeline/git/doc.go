// Package git keeps bare mirrors of repositories and reads them: commits, merge
// bases, diffs, snapshots without history, patches applied to trees. It leaves to
// others what a path is (pipeline/filerole), what a patch may do (pipeline/patch)
// and which commits matter (stages/assemble).
//
// A mirror holds every commit and tree of the branches and of the pull refs asked
// for, and no blob until something needs it (--filter=blob:none). Nothing is
// fetched behind a reader's back: the mirror's file of configuration names no
// promisor remote, so a reading command meets a blob that is not there as a plain
// error, and [Repo.Blobs] brings the blobs a step needs in one request. A blob
// that nobody has is a [MissingError] that names it. So work on trees alone is
// never stopped by a file it does not touch.
//
// go-git reads commits. The git program does what go-git can't, or can't on such
// a mirror:
//
//   - fetch with a filter and fetch of single objects by id (no partial clone in go-git)
//   - diff --binary with renames found, exactly as people and git apply read it
//   - apply --cached and write-tree --missing-ok: patches onto trees whose other blobs are absent
//   - merge-tree --write-tree: three-way merges without a work tree
//   - ls-tree and cat-file --batch: whole trees as a stream, in little memory
//   - patch-id, merge-base over large histories
//
// Repositories are strangers' bytes. Every call runs in a process group of its own
// with a deadline, and sees no configuration, hook, attribute, credential helper,
// prompt, external diff or smudge filter, neither the user's nor the repository's.
package git
