// Package release120 reads the benchmark as the paper's authors released it: the index
// release120.tsv and, of each case, task.yaml, repos.yaml, harness.yaml, the prompt, gold,
// the layers of hidden tests, the profiles and the lists of tests that decide. It checks
// what it reads against itself, and says of whatever is wrong in which case, file and
// field that is. It writes nothing, and runs nothing of theirs.
package release120
