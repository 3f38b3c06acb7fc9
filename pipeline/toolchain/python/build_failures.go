package python

import "github.com/wideswe/wideswe/pipeline/buildfailure"

// buildFailures are the words of the tools that build these trees.
var buildFailures = buildfailure.Words{
	Failures: []buildfailure.Failure{
		buildfailure.New(`No matching distribution found for (\S+)`,
			"pip finds no distribution of $1", buildfailure.HintRuntime),
		buildfailure.New(`(?m)Could not find a version that satisfies the requirement (\S+)`,
			"pip finds no distribution of $1", buildfailure.HintRuntime),
		buildfailure.New(`(?m)^ERROR: Package '([^']+)' requires a different Python: (\S+)`,
			"$1 does not support Python $2", buildfailure.HintRuntime),
		buildfailure.New(`(?m)ResolutionImpossible`+
			`|^ERROR: Cannot install (.+?) because these package versions have conflicting dependencies`,
			"pip can't agree on versions: $1", buildfailure.HintSetup),
		buildfailure.New(`(?m)because ([A-Za-z0-9._\[\]-]+) was not found in the package registry`,
			"uv finds no distribution of $1", buildfailure.HintRuntime),
		buildfailure.New(`(?m)Because (.+?), version solving failed`,
			"poetry can't agree on versions: $1", buildfailure.HintSetup),
		buildfailure.New(`(?m)^ERROR: Failed (?:to build|building wheel for) (\S+)`,
			"pip can't build $1", buildfailure.HintCompiler),
		buildfailure.New(`error: subprocess-exited-with-error`,
			"a Python package did not build", buildfailure.HintCompiler),
		buildfailure.New(`ModuleNotFoundError: No module named '([^']+)'`,
			"Python has no module $1", buildfailure.HintSetup),
	},
}
