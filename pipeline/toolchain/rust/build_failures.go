package rust

import "github.com/wideswe/wideswe/pipeline/buildfailure"

// buildFailures are the words of the tools that build these trees.
var buildFailures = buildfailure.Words{
	Failures: []buildfailure.Failure{
		buildfailure.New(`(?m)^error: no matching package (?:named )?`+"`([^`]+)`"+` found`,
			"cargo finds no crate $1", buildfailure.HintSetup),
		buildfailure.New(`(?m)^error: failed to select a version for (?:the requirement )?`+"`([^`]+)`",
			"cargo finds no version for $1", buildfailure.HintSetup),
		buildfailure.New(`(?m)(?:package`+
			`|rustc) `+"`?([^`\\n]+?)`?"+` (?:cannot be built because it )?requires rustc (\S+)`,
			"$1 needs rustc $2", buildfailure.HintRuntime),
		buildfailure.New(`(?m)^error: failed to (?:download|get) (?:from )?`+"`([^`]+)`",
			"cargo can't fetch $1", buildfailure.HintNetwork),
		buildfailure.New(`(?m)^error: the lock file \S+ needs to be updated but --locked`,
			"Cargo.lock is behind Cargo.toml", "setup without --locked in the recipe"),
		buildfailure.New("(?m)^error: linker `([^`]+)` not found",
			"there is no linker $1", "add build-essential to the recipe's packages"),
	},
	Memory: []string{`\(signal: 9, SIGKILL`},
}
