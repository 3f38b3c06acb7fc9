// Package assemble turns accepted candidates into tasks: for every target the base
// commit, the gold patch and the hidden tests, divided by pipeline/filerole and
// proved on trees, and for the task a prompt drafted from what people wrote in the
// pulls and their issues. It runs nothing; whether the tests tell base from gold is
// for validate.
package assemble
