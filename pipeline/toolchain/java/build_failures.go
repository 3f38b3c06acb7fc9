package java

import "github.com/wideswe/wideswe/pipeline/buildfailure"

// buildFailures are the words of the tools that build these trees.
var buildFailures = buildfailure.Words{
	Failures: []buildfailure.Failure{
		buildfailure.New(`Could not (?:resolve dependencies|find artifact`+
			`|transfer artifact) ?(?:for project )?(\S+:\S+)`,
			"Maven can't resolve $1", buildfailure.HintSetup),
		buildfailure.New(`Unresolveable build extension|Non-resolvable (?:parent POM`+
			`|import POM)[^:]*: (?:Could not find artifact )?(\S+)`,
			"Maven can't resolve $1", buildfailure.HintSetup),
		buildfailure.New(`(?:Source|Target) option (\S+) is no longer supported`+
			`|release version (\S+) not supported|invalid target release: (\S+)`,
			"the JDK does not compile for Java $1$2$3", buildfailure.HintRuntime),
		buildfailure.New(`Could not (?:find|resolve) (?:method )?(\S+:\S+:\S+)\.`,
			"Gradle can't resolve $1", buildfailure.HintSetup),
		buildfailure.New(`Unsupported class file major version (\d+)`,
			"the JDK is too new for this Gradle (class file version $1)", buildfailure.HintRuntime),
	},
	Certificates: []string{`PKIX path building failed`},
	Memory:       []string{`java\.lang\.OutOfMemoryError`},
}
