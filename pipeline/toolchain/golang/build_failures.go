package golang

import "github.com/wideswe/wideswe/pipeline/buildfailure"

// buildFailures are the words of the tools that build these trees.
var buildFailures = buildfailure.Words{
	Failures: []buildfailure.Failure{
		buildfailure.New(`(?m)(\S+@\S+): invalid version: unknown revision (\S+)`,
			"Go knows no $1 (unknown revision)", buildfailure.HintAccess),
		buildfailure.New(`(?m)(\S+@\S+): reading \S+: (?:404|410)`,
			"Go finds no module $1", buildfailure.HintAccess),
		buildfailure.New(`(?m)verifying (\S+@?\S*?):? (?:checksum mismatch|.*SECURITY ERROR)|(?m)^SECURITY ERROR`,
			"the checksum of the Go module $1 does not agree", "the mirror serves other bytes than go.sum names"),
		buildfailure.New(`(?m)go: (\S+ requires go >= \S+)`, "Go is too old: $1", buildfailure.HintRuntime),
		buildfailure.New(`(?m)go: module (\S+): not a known dependency`+
			`|(?m)no required module provides package (\S+?)[;:]`,
			"go.mod lacks $1$2", buildfailure.HintSetup),
	},
	Certificates: []string{`x509: [^\n]*`},
	Memory:       []string{`signal: killed`},
}
