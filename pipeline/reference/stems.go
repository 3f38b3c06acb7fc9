package reference

import "strings"

// stems are what every match of a relation's expression in [contrast] and [cues]
// holds one of. The expressions are slow, and most words hold none.
var stems = map[Relation][]string{
	Contrast: {"unrelated", "not", "unlike", "contrast", "contrary", "opposed", "alternative", "differ", "instead",
		"rather", "independent", "nt", "n't", "n’t", "no longer"},
	Reverts:      {"revert"},
	CausedBy:     {"regress", "introduced", "brok", "caused", "breakage"},
	ImportedFrom: {"import", "sync", "copied", "exported", "vendored", "mirror"},
	BackportOf:   {"port", "cherry"},
	DependsOn:    {"depend"},
	Companion:    {"companion", "accompan", "sister", "with", "alongside", "correspond", "side", "part", "change"},
	Needs: {"need", "requir", "prerequisite", "block", "wait", "built", "builds", "based", "stacked", "on top",
		"merge", "land", "after", "once", "until"},
	PartOf: {"part of", "track", "epic", "parent", "umbrella", "sub", "toward"},
	PortOf: {"port", "same", "mirror", "cop", "based", "model", "inspired", "adapted", "equivalent", "analog", "similar",
		"parity", "aligned", "in line"},
	FollowUp: {"follow", "continu"},
	Mention:  {"based"},
	PicksUp: {"bump", "updat", "upgrad", "pick", "pull", "includ", "adopt", "use", "usi", "consum", "integrat",
		"incorporat", "implement", "with", "appl", "test"},
	Closes: {"close", "fix", "resolve"},
}

// mayMatch says whether words can match a relation's expression.
func mayMatch(r Relation, words string) bool {
	for _, stem := range stems[r] {
		if strings.Contains(words, stem) {
			return true
		}
	}
	return false
}
