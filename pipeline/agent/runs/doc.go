// Package runs keeps the OUT folder of an agent's runs: jobs, the record of each run, predictions.jsonl and the lock
// that
// lets one process write. A process that is killed at any step leaves a folder that the next one continues.
package runs
