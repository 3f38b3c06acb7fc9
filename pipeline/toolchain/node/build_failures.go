package node

import "github.com/wideswe/wideswe/pipeline/buildfailure"

// buildFailures are the words of the tools that build these trees.
var buildFailures = buildfailure.Words{
	Failures: []buildfailure.Failure{
		buildfailure.New(`(?m)^npm (?:ERR!|error) code ERESOLVE[\s\S]*?While resolving: (\S+)`,
			"npm can't agree on versions (ERESOLVE) for $1",
			"setup with npm ci, or npm install --legacy-peer-deps, in the recipe"),
		buildfailure.New(`(?m)^npm (?:ERR!|error) code ERESOLVE`,
			"npm can't agree on versions (ERESOLVE)",
			"setup with npm ci, or npm install --legacy-peer-deps, in the recipe"),
		buildfailure.New(`(?m)^npm (?:ERR!|error) 404 +'?([^\s']+)'? is not in (?:this|the npm) registry`,
			"npm has no package $1", buildfailure.HintAccess),
		buildfailure.New(`(?m)^npm (?:ERR!|error) 404[^\n]*?GET (\S+)`,
			"npm has no package at $1", buildfailure.HintAccess),
		buildfailure.New(`(?m)^npm (?:ERR!|error) code (E40[13])`,
			"the npm registry refuses ($1)", buildfailure.HintAccess),
		buildfailure.New(`(?m)^npm (?:ERR!|error) code (EBADENGINE|ENOTSUP|EUSAGE|ETARGET|EINTEGRITY)`,
			"npm: $1", buildfailure.HintRuntime),
		buildfailure.New(`ERR_PNPM_([A-Z_0-9]+)[ \t]+(.*)`, "pnpm: $1 $2", buildfailure.HintSetup),
		buildfailure.New(`(?m)(YN\d{4}): .*?(?:│ )?(.*(?:can't be found|couldn't be found|No candidates found`+
			`|would have been (?:created|modified)).*)`,
			"yarn: $1 $2", buildfailure.HintSetup),
		buildfailure.New(`(?m)^error (.*Couldn't find (?:package|any versions for).*)`,
			"yarn: $1", buildfailure.HintSetup),
		buildfailure.New(`(?m)^error (\S+: The engine "[^"]+" is incompatible.*)`,
			"yarn: $1", buildfailure.HintRuntime),
	},
	Certificates: []string{`UNABLE_TO_VERIFY`, `SELF_SIGNED_CERT`},
}
