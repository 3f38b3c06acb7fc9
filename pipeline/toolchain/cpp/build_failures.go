package cpp

import "github.com/wideswe/wideswe/pipeline/buildfailure"

// buildFailures are the words of the tools that build these trees.
var buildFailures = buildfailure.Words{
	Native: true,
	Failures: []buildfailure.Failure{
		buildfailure.New(`(?m)Could (?:NOT`+
			`|not) find (?:a package configuration file provided by )?"?([A-Za-z0-9_+-]+)"?`,
			"CMake finds no $1", "add its -dev package to the recipe's packages"),
		buildfailure.New(`(?m)fatal error: (\S+): No such file or directory`,
			"the compiler finds no $1", "add its -dev package to the recipe's packages"),
		buildfailure.New(`(?m)cannot find -l(\S+)`,
			"the linker finds no lib$1", "add its -dev package to the recipe's packages"),
	},
}
