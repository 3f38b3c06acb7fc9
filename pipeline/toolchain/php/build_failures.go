package php

import "github.com/wideswe/wideswe/pipeline/buildfailure"

// buildFailures are the words of the tools that build these trees.
var buildFailures = buildfailure.Words{
	Failures: []buildfailure.Failure{
		buildfailure.New(`(?m)Root composer\.json requires (\S+)`,
			"composer can't agree on versions: $1", buildfailure.HintRuntime),
		buildfailure.New(`(?m)requires ext-(\S+) \S+ -> it is missing`,
			"PHP has no extension $1", "add php-$1 to the recipe's packages"),
	},
}
