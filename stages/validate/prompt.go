package validate

import (
	"context"
	"fmt"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/leak"
	"github.com/wideswe/wideswe/schema"
)

// promptNames are the names of tests that a prompt says. They are a part of an item's hash:
// a prompt that names other tests than before is looked at again, and one whose words
// are bettered otherwise costs nothing.
func promptNames(prompt string, tests []string) (names []string) {
	var all leak.Secrets
	for _, test := range tests {
		for _, part := range nameParts(test) {
			all.AddWord(part, part)
		}
	}
	for _, f := range leak.Sorted(all.Text("", prompt)) {
		names = append(names, f.What)
	}
	return names
}

// nameParts are the identifiers in a test's name.
func nameParts(test string) []string {
	_, name := schema.SplitTestID(test)
	return word.FindAllString(name, -1)
}

// goldTests are the tests that passed on gold when their tasks were last looked at.
func (s Stage) goldTests(ctx context.Context) (map[string][]string, error) {
	list, err := s.DB.Query(ctx, "SELECT DISTINCT task_id, test_id FROM test_outcomes WHERE state = 'gold' AND outcome "+
		"= 'pass' ORDER BY ALL")
	if err != nil {
		return nil, err
	}
	type row struct{ task, test string }
	rows, err := pipeline.Scan(list, func(r *row) []any { return []any{&r.task, &r.test} })
	if err != nil {
		return nil, fmt.Errorf("reading tests: %w", err)
	}
	of := map[string][]string{}
	for _, r := range rows {
		of[r.task] = append(of[r.task], r.test)
	}
	return of, nil
}

// goldTests are the same of rows that are yet to be written.
func (r rows) goldTests() (tests []string) {
	const state, test, outcome = 3, 5, 6 // columns of test_outcomes
	for _, o := range r.outcomes {
		if o[state] == gold && o[outcome] == string(schema.Pass) {
			tests = append(tests, o[test].(string))
		}
	}
	return tests
}
