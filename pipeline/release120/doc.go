// Package release120 reads the benchmark as the paper's authors released it: the index
// release120.tsv and, of each case, task.yaml, repos.yaml, harness.yaml, the prompt, gold,
// the layers of hidden tests, the profiles and the lists of tests that decide. It checks
// that these agree, and names the case, file and field of each error. It writes nothing,
// and runs none of the authors' programs.
package release120
