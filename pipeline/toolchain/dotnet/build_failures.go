package dotnet

import "github.com/wideswe/wideswe/pipeline/buildfailure"

// buildFailures are the words of the tools that build these trees.
var buildFailures = buildfailure.Words{
	Failures: []buildfailure.Failure{
		buildfailure.New(`(?m)error (NU\d+): (.*)`, "NuGet $1: $2", buildfailure.HintSetup),
	},
}
