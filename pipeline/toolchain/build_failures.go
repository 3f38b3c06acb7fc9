package toolchain

import (
	"context"
	"os/exec"
	"strings"

	"github.com/wideswe/wideswe/pipeline/sandbox/image"
)

// BuildFailures gives the words in which the tools of every language say why a build
// failed. A repository of one language may build with the tools of another, so that
// whoever makes images is given all of them.
func BuildFailures() (list []image.FailureWords) {
	for _, language := range buildFailures {
		list = append(list, language.words)
	}
	return list
}

// buildFailures are tried in this order: a Python package that does not build says why
// in the words of a compiler, and the package is what its reader needs.
var buildFailures = []struct {
	language string
	words    image.FailureWords
}{
	{"python", image.FailureWords{
		Failures: []image.Failure{
			image.NewFailure(`No matching distribution found for (\S+)`,
				"pip finds no distribution of $1", image.HintRuntime),
			image.NewFailure(`(?m)Could not find a version that satisfies the requirement (\S+)`,
				"pip finds no distribution of $1", image.HintRuntime),
			image.NewFailure(`(?m)^ERROR: Package '([^']+)' requires a different Python: (\S+)`,
				"$1 does not support Python $2", image.HintRuntime),
			image.NewFailure(`(?m)ResolutionImpossible`+
				`|^ERROR: Cannot install (.+?) because these package versions have conflicting dependencies`,
				"pip can't agree on versions: $1", image.HintSetup),
			image.NewFailure(`(?m)because ([A-Za-z0-9._\[\]-]+) was not found in the package registry`,
				"uv finds no distribution of $1", image.HintRuntime),
			image.NewFailure(`(?m)Because (.+?), version solving failed`,
				"poetry can't agree on versions: $1", image.HintSetup),
			image.NewFailure(`(?m)^ERROR: Failed (?:to build|building wheel for) (\S+)`,
				"pip can't build $1", image.HintCompiler),
			image.NewFailure(`error: subprocess-exited-with-error`,
				"a Python package did not build", image.HintCompiler),
			image.NewFailure(`ModuleNotFoundError: No module named '([^']+)'`,
				"Python has no module $1", image.HintSetup),
		},
	}},
	{"node", image.FailureWords{
		Failures: []image.Failure{
			image.NewFailure(`(?m)^npm (?:ERR!|error) code ERESOLVE[\s\S]*?While resolving: (\S+)`,
				"npm can't agree on versions (ERESOLVE) for $1",
				"setup with npm ci, or npm install --legacy-peer-deps, in the recipe"),
			image.NewFailure(`(?m)^npm (?:ERR!|error) code ERESOLVE`,
				"npm can't agree on versions (ERESOLVE)",
				"setup with npm ci, or npm install --legacy-peer-deps, in the recipe"),
			image.NewFailure(`(?m)^npm (?:ERR!|error) 404 +'?([^\s']+)'? is not in (?:this|the npm) registry`,
				"npm has no package $1", image.HintAccess),
			image.NewFailure(`(?m)^npm (?:ERR!|error) 404[^\n]*?GET (\S+)`,
				"npm has no package at $1", image.HintAccess),
			image.NewFailure(`(?m)^npm (?:ERR!|error) code (E40[13])`,
				"the npm registry refuses ($1)", image.HintAccess),
			image.NewFailure(`(?m)^npm (?:ERR!|error) code (EBADENGINE|ENOTSUP|EUSAGE|ETARGET|EINTEGRITY)`,
				"npm: $1", image.HintRuntime),
			image.NewFailure(`ERR_PNPM_([A-Z_0-9]+)[ \t]+(.*)`, "pnpm: $1 $2", image.HintSetup),
			image.NewFailure(`(?m)(YN\d{4}): .*?(?:│ )?(.*(?:can't be found|couldn't be found|No candidates found`+
				`|would have been (?:created|modified)).*)`,
				"yarn: $1 $2", image.HintSetup),
			image.NewFailure(`(?m)^error (.*Couldn't find (?:package|any versions for).*)`,
				"yarn: $1", image.HintSetup),
			image.NewFailure(`(?m)^error (\S+: The engine "[^"]+" is incompatible.*)`,
				"yarn: $1", image.HintRuntime),
		},
		Certificates: []string{`UNABLE_TO_VERIFY`, `SELF_SIGNED_CERT`},
	}},
	{"rust", image.FailureWords{
		Failures: []image.Failure{
			image.NewFailure(`(?m)^error: no matching package (?:named )?`+"`([^`]+)`"+` found`,
				"cargo finds no crate $1", image.HintSetup),
			image.NewFailure(`(?m)^error: failed to select a version for (?:the requirement )?`+"`([^`]+)`",
				"cargo finds no version for $1", image.HintSetup),
			image.NewFailure(`(?m)(?:package`+
				`|rustc) `+"`?([^`\\n]+?)`?"+` (?:cannot be built because it )?requires rustc (\S+)`,
				"$1 needs rustc $2", image.HintRuntime),
			image.NewFailure(`(?m)^error: failed to (?:download|get) (?:from )?`+"`([^`]+)`",
				"cargo can't fetch $1", image.HintNetwork),
			image.NewFailure(`(?m)^error: the lock file \S+ needs to be updated but --locked`,
				"Cargo.lock is behind Cargo.toml", "setup without --locked in the recipe"),
			image.NewFailure("(?m)^error: linker `([^`]+)` not found",
				"there is no linker $1", "add build-essential to the recipe's packages"),
		},
		Memory: []string{`\(signal: 9, SIGKILL`},
	}},
	{"java", image.FailureWords{
		Failures: []image.Failure{
			image.NewFailure(`Could not (?:resolve dependencies|find artifact`+
				`|transfer artifact) ?(?:for project )?(\S+:\S+)`,
				"Maven can't resolve $1", image.HintSetup),
			image.NewFailure(`Unresolveable build extension|Non-resolvable (?:parent POM`+
				`|import POM)[^:]*: (?:Could not find artifact )?(\S+)`,
				"Maven can't resolve $1", image.HintSetup),
			image.NewFailure(`(?:Source|Target) option (\S+) is no longer supported`+
				`|release version (\S+) not supported|invalid target release: (\S+)`,
				"the JDK does not compile for Java $1$2$3", image.HintRuntime),
			image.NewFailure(`Could not (?:find|resolve) (?:method )?(\S+:\S+:\S+)\.`,
				"Gradle can't resolve $1", image.HintSetup),
			image.NewFailure(`Unsupported class file major version (\d+)`,
				"the JDK is too new for this Gradle (class file version $1)", image.HintRuntime),
		},
		Certificates: []string{`PKIX path building failed`},
		Memory:       []string{`java\.lang\.OutOfMemoryError`},
	}},
	{"go", image.FailureWords{
		Failures: []image.Failure{
			image.NewFailure(`(?m)(\S+@\S+): invalid version: unknown revision (\S+)`,
				"Go knows no $1 (unknown revision)", image.HintAccess),
			image.NewFailure(`(?m)(\S+@\S+): reading \S+: (?:404|410)`,
				"Go finds no module $1", image.HintAccess),
			image.NewFailure(`(?m)verifying (\S+@?\S*?):? (?:checksum mismatch|.*SECURITY ERROR)|(?m)^SECURITY ERROR`,
				"the checksum of the Go module $1 does not agree", "the mirror serves other bytes than go.sum names"),
			image.NewFailure(`(?m)go: (\S+ requires go >= \S+)`, "Go is too old: $1", image.HintRuntime),
			image.NewFailure(`(?m)go: module (\S+): not a known dependency`+
				`|(?m)no required module provides package (\S+?)[;:]`,
				"go.mod lacks $1$2", image.HintSetup),
		},
		Certificates: []string{`x509: [^\n]*`},
		Memory:       []string{`signal: killed`},
	}},
	{"php", image.FailureWords{
		Failures: []image.Failure{
			image.NewFailure(`(?m)Root composer\.json requires (\S+)`,
				"composer can't agree on versions: $1", image.HintRuntime),
			image.NewFailure(`(?m)requires ext-(\S+) \S+ -> it is missing`,
				"PHP has no extension $1", "add php-$1 to the recipe's packages"),
		},
	}},
	{"ruby", image.FailureWords{
		Failures: []image.Failure{
			image.NewFailure(`(?m)Could not find gem '([^']+)'`, "bundler finds no gem $1", image.HintSetup),
			image.NewFailure(`(?m)An error occurred while installing (\S+)`,
				"the gem $1 does not build", image.HintCompiler),
		},
	}},
	{"dotnet", image.FailureWords{
		Failures: []image.Failure{
			image.NewFailure(`(?m)error (NU\d+): (.*)`, "NuGet $1: $2", image.HintSetup),
		},
	}},
	{"cpp", image.FailureWords{
		Failures: []image.Failure{
			image.NewFailure(`(?m)Could (?:NOT`+
				`|not) find (?:a package configuration file provided by )?"?([A-Za-z0-9_+-]+)"?`,
				"CMake finds no $1", "add its -dev package to the recipe's packages"),
			image.NewFailure(`(?m)fatal error: (\S+): No such file or directory`,
				"the compiler finds no $1", "add its -dev package to the recipe's packages"),
			image.NewFailure(`(?m)cannot find -l(\S+)`,
				"the linker finds no lib$1", "add its -dev package to the recipe's packages"),
		},
	}},
}

// hostCaches are the variables in which a language's own program says where this
// machine keeps its caches.
var hostCaches = []struct {
	language  string
	command   []string
	variables []string
}{
	{"go", []string{"go", "env", "GOCACHE", "GOMODCACHE"}, []string{"GOCACHE", "GOMODCACHE"}},
}

// HostCaches gives the variables that let builds outside of containers use this
// machine's caches, of the languages that the machine has.
func HostCaches(ctx context.Context) map[string]string {
	env := map[string]string{}
	for _, c := range hostCaches {
		out, err := exec.CommandContext(ctx, c.command[0], c.command[1:]...).Output()
		values := strings.Split(strings.TrimSpace(string(out)), "\n")
		if err != nil || len(values) != len(c.variables) {
			continue
		}
		for i, name := range c.variables {
			env[name] = values[i]
		}
	}
	return env
}
