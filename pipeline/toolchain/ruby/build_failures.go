package ruby

import "github.com/wideswe/wideswe/pipeline/buildfailure"

// buildFailures are the words of the tools that build these trees.
var buildFailures = buildfailure.Words{
	Failures: []buildfailure.Failure{
		buildfailure.New(`(?m)Could not find gem '([^']+)'`, "bundler finds no gem $1", buildfailure.HintSetup),
		buildfailure.New(`(?m)An error occurred while installing (\S+)`,
			"the gem $1 does not build", buildfailure.HintCompiler),
	},
}
