// Package release is the release on disk: what export writes and what evaluators
// and other tools read.
//
//	release.json                            counts, rules, pins, sha256 of every file
//	release.json.sha256                     its own checksum
//	README.md                               data card
//	selection.yaml                          why each task is in
//	funnel.json                             what each stage of the road kept, and why the rest dropped out
//	tasks/ID/prompt.md, workspace.json      what an agent may see
//	tasks/ID/task.yaml, prompt_sources.yaml, record.yaml
//	tasks/ID/hidden/OWNER__NAME/            gold.patch, tests/NN-name.patch, tests.json,
//	                                        recipe.yaml, Dockerfile, image.yaml
//	sources/OWNER__NAME@COMMIT.tar.zst      trees, carried or fetched later by their pins
//	images/images.tar.zst                   the images validation ran in, saved later
//	images/references.json                  where a registry has them, pushed later
//	images/agents.json                      in which of them agents work on several targets
//	sources/SHA256SUMS, images/SHA256SUMS   the checksums of what came later
//
// A reader trusts nothing: the checksums of all files are verified before one is
// used, files that nobody named are refused, and a source's git tree id must be
// the pinned one. The nouns are schema/release.go's; what goes into a release is
// the export stage's.
package release
