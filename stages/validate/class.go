package validate

import "github.com/wideswe/wideswe/schema"

// classify compares a test's outcomes on base and gold, one per repeat. The view
// test_transitions says the same in SQL; a test holds the two together.
func classify(base, gold []schema.TestOutcome) schema.Class {
	b, g := count(base), count(gold)
	n := len(gold)
	switch {
	case g[schema.NotRun] > 0:
		return schema.Unstable // unknown is no outcome
	case g[schema.Missing] == n:
		return schema.GoldMissing
	case g[schema.Skip] == n:
		return schema.SkippedTest
	case g[schema.Pass] == n:
		return fromBase(b, len(base), schema.P2P, schema.F2P)
	case g[schema.Fail]+g[schema.Error] == n:
		return fromBase(b, len(base), schema.P2F, schema.F2F)
	}
	return schema.Unstable
}

func fromBase(b map[schema.TestOutcome]int, n int, always, never schema.Class) schema.Class {
	switch {
	case b[schema.Pass] == n:
		return always
	case b[schema.Pass] == 0 && b[schema.NotRun] > 0 && never == schema.F2P:
		return schema.Unsettled
	case b[schema.Pass] > 0, b[schema.NotRun] > 0:
		return schema.Unstable
	case b[schema.Skip] > 0 && never == schema.F2P:
		return schema.S2P
	}
	return never
}

func count(list []schema.TestOutcome) map[schema.TestOutcome]int {
	m := map[schema.TestOutcome]int{}
	for _, o := range list {
		m[o]++
	}
	return m
}
