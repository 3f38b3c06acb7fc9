package sandbox

import (
	"regexp"
	"strings"
)

// tracePrefix marks the commands that a step's shell says it runs.
const tracePrefix = "wideswe+ "

// traced makes a step's script say each command before it runs it, so that a
// failure can name the command.
func traced(script string) string {
	return "PS4='" + tracePrefix + "'\nset -x\n" + script
}

// failure is what the words of package managers and kernels mean. $1 in means is
// the pattern's first group.
type failure struct {
	pattern *regexp.Regexp
	means   string
	hint    string
}

// Hints that several failures share.
const (
	hintNetwork = "the build did not reach it: where this network has a proxy or mirror, name it in build.env"
	hintTrust   = "the build does not trust the server: where this network has certificates of its own, name their file in build.files and the variable that points at it in build.env"
	hintAccess  = "the registry wants an account, or the package is private: pass its settings by build.env or build.files"
	hintSetup   = "correct packages or setup in the recipe"
	hintRuntime = "choose another image or runtime in the recipe"
	hintDisk    = "free some space (wideswe images prune; docker system df)"
)

// failures are tried in this order over the whole of what a step printed last: what
// stands first explains what stands below it.
var failures = []failure{
	{re(`(?i)no space left on device|ENOSPC|disk quota exceeded`), "the disk is full", hintDisk},
	{re(`(?m)^E: Unable to locate package (\S+)`), "apt has no package $1", hintSetup},
	{re(`(?m)^E: Package '([^']+)' has no installation candidate`), "apt has no package $1", hintSetup},
	{re(`(?m)^E: Version '([^']+)' for '[^']+' was not found`), "apt has no such version: $1", hintSetup},
	{re(`(?m)^ (\S+) : Depends: .*(?:but it is not (?:going to be installed|installable))`), "apt can't install what $1 depends on", hintSetup},
	{re(`(?m)^E: (?:dpkg was interrupted|Sub-process \S*dpkg returned an error code).*`), "$0", ""},
	// pip, uv, poetry
	{re(`No matching distribution found for (\S+)`), "pip finds no distribution of $1", hintRuntime},
	{re(`(?m)Could not find a version that satisfies the requirement (\S+)`), "pip finds no distribution of $1", hintRuntime},
	{re(`(?m)^ERROR: Package '([^']+)' requires a different Python: (\S+)`), "$1 does not support Python $2", hintRuntime},
	{re(`(?m)ResolutionImpossible|^ERROR: Cannot install (.+?) because these package versions have conflicting dependencies`), "pip can't agree on versions: $1", hintSetup},
	{re(`(?m)because ([A-Za-z0-9._\[\]-]+) was not found in the package registry`), "uv finds no distribution of $1", hintRuntime},
	{re(`(?m)Because (.+?), version solving failed`), "poetry can't agree on versions: $1", hintSetup},
	{re(`(?m)^ERROR: Failed (?:to build|building wheel for) (\S+)`), "pip can't build $1", "a compiler or library may be missing: add its package to the recipe"},
	{re(`error: subprocess-exited-with-error`), "a Python package did not build", "a compiler or library may be missing: add its package to the recipe"},
	{re(`ModuleNotFoundError: No module named '([^']+)'`), "Python has no module $1", hintSetup},
	// npm, yarn, pnpm
	{re(`(?m)^npm (?:ERR!|error) code ERESOLVE[\s\S]*?While resolving: (\S+)`), "npm can't agree on versions (ERESOLVE) for $1", "setup with npm ci, or npm install --legacy-peer-deps, in the recipe"},
	{re(`(?m)^npm (?:ERR!|error) code ERESOLVE`), "npm can't agree on versions (ERESOLVE)", "setup with npm ci, or npm install --legacy-peer-deps, in the recipe"},
	{re(`(?m)^npm (?:ERR!|error) 404 +'?([^\s']+)'? is not in (?:this|the npm) registry`), "npm has no package $1", hintAccess},
	{re(`(?m)^npm (?:ERR!|error) 404[^\n]*?GET (\S+)`), "npm has no package at $1", hintAccess},
	{re(`(?m)^npm (?:ERR!|error) code (E40[13])`), "the npm registry refuses ($1)", hintAccess},
	{re(`(?m)^npm (?:ERR!|error) code (EBADENGINE|ENOTSUP|EUSAGE|ETARGET|EINTEGRITY)`), "npm: $1", hintRuntime},
	{re(`ERR_PNPM_([A-Z_0-9]+)[ \t]+(.*)`), "pnpm: $1 $2", hintSetup},
	{re(`(?m)(YN\d{4}): .*?(?:│ )?(.*(?:can't be found|couldn't be found|No candidates found|would have been (?:created|modified)).*)`), "yarn: $1 $2", hintSetup},
	{re(`(?m)^error (.*Couldn't find (?:package|any versions for).*)`), "yarn: $1", hintSetup},
	{re(`(?m)^error (\S+: The engine "[^"]+" is incompatible.*)`), "yarn: $1", hintRuntime},
	// cargo
	{re(`(?m)^error: no matching package (?:named )?` + "`([^`]+)`" + ` found`), "cargo finds no crate $1", hintSetup},
	{re(`(?m)^error: failed to select a version for (?:the requirement )?` + "`([^`]+)`"), "cargo finds no version for $1", hintSetup},
	{re(`(?m)(?:package|rustc) ` + "`?([^`\\n]+?)`?" + ` (?:cannot be built because it )?requires rustc (\S+)`), "$1 needs rustc $2", hintRuntime},
	{re(`(?m)^error: failed to (?:download|get) (?:from )?` + "`([^`]+)`"), "cargo can't fetch $1", hintNetwork},
	{re(`(?m)^error: the lock file \S+ needs to be updated but --locked`), "Cargo.lock is behind Cargo.toml", "setup without --locked in the recipe"},
	{re("(?m)^error: linker `([^`]+)` not found"), "there is no linker $1", "add build-essential to the recipe's packages"},
	// maven, gradle
	{re(`Could not (?:resolve dependencies|find artifact|transfer artifact) ?(?:for project )?(\S+:\S+)`), "Maven can't resolve $1", hintSetup},
	{re(`Unresolveable build extension|Non-resolvable (?:parent POM|import POM)[^:]*: (?:Could not find artifact )?(\S+)`), "Maven can't resolve $1", hintSetup},
	{re(`(?:Source|Target) option (\S+) is no longer supported|release version (\S+) not supported|invalid target release: (\S+)`), "the JDK does not compile for Java $1$2$3", hintRuntime},
	{re(`Could not (?:find|resolve) (?:method )?(\S+:\S+:\S+)\.`), "Gradle can't resolve $1", hintSetup},
	{re(`Unsupported class file major version (\d+)`), "the JDK is too new for this Gradle (class file version $1)", hintRuntime},
	// go
	{re(`(?m)(\S+@\S+): invalid version: unknown revision (\S+)`), "Go knows no $1 (unknown revision)", hintAccess},
	{re(`(?m)(\S+@\S+): reading \S+: (?:404|410)`), "Go finds no module $1", hintAccess},
	{re(`(?m)verifying (\S+@?\S*?):? (?:checksum mismatch|.*SECURITY ERROR)|(?m)^SECURITY ERROR`), "the checksum of the Go module $1 does not agree", "the mirror serves other bytes than go.sum names"},
	{re(`(?m)go: (\S+ requires go >= \S+)`), "Go is too old: $1", hintRuntime},
	{re(`(?m)go: module (\S+): not a known dependency|(?m)no required module provides package (\S+?)[;:]`), "go.mod lacks $1$2", hintSetup},
	// composer, bundler, dotnet, cmake
	{re(`(?m)Root composer\.json requires (\S+)`), "composer can't agree on versions: $1", hintRuntime},
	{re(`(?m)requires ext-(\S+) \S+ -> it is missing`), "PHP has no extension $1", "add php-$1 to the recipe's packages"},
	{re(`(?m)Could not find gem '([^']+)'`), "bundler finds no gem $1", hintSetup},
	{re(`(?m)An error occurred while installing (\S+)`), "the gem $1 does not build", "a compiler or library may be missing: add its package to the recipe"},
	{re(`(?m)error (NU\d+): (.*)`), "NuGet $1: $2", hintSetup},
	{re(`(?m)Could (?:NOT|not) find (?:a package configuration file provided by )?"?([A-Za-z0-9_+-]+)"?`), "CMake finds no $1", "add its -dev package to the recipe's packages"},
	{re(`(?m)fatal error: (\S+): No such file or directory`), "the compiler finds no $1", "add its -dev package to the recipe's packages"},
	{re(`(?m)cannot find -l(\S+)`), "the linker finds no lib$1", "add its -dev package to the recipe's packages"},
	{re(`(?m)(?:sh|bash|run|step-\d+)?:? ?(?:\d+: )?(\S+): (?:command )?not found$`), "there is no command $1", hintSetup},
	// the network, after what names a package
	{re(`(?i)(?:could not resolve host:? |temporary failure resolving '|getaddrinfo \w+ |lookup |no address associated with hostname|name or service not known:? ?)([A-Za-z0-9.-]*)`), "the name of the host $1 can't be resolved", hintNetwork},
	{re(`(?i)Temporary failure in name resolution|no such host`), "a host's name can't be resolved", hintNetwork},
	{re(`(?i)certificate verify failed|self[- ]signed certificate|unable to get local issuer certificate|x509: [^\n]*|SSL certificate problem|PKIX path building failed|UNABLE_TO_VERIFY|SELF_SIGNED_CERT`), "a certificate is not trusted", hintTrust},
	{re(`(?i)(?:connection (?:refused|timed out|reset by peer)|could not connect to (\S+)|network is unreachable|i/o timeout|read timed out|ETIMEDOUT|ECONNRESET|ECONNREFUSED|EAI_AGAIN)`), "a server did not answer", hintNetwork},
	{re(`(?i)\b(407 Proxy Authentication Required)`), "the proxy wants a name and a password", hintNetwork},
	{re(`(?i)\b(?:401 Unauthorized|403 Forbidden)\b`), "a server refuses", hintAccess},
	{re(`(?i)\b(429 Too Many Requests|rate limit)`), "a server says that it was asked too often", "wait, and run again"},
	{re(`(?i)out of memory|cannot allocate memory|JavaScript heap out of memory|java\.lang\.OutOfMemoryError|\(signal: 9, SIGKILL|signal: killed`), "the memory did not suffice", "raise validate.memory"},
}

func re(s string) *regexp.Regexp { return regexp.MustCompile(s) }

// explainFailure says in one line why a step ended badly: the command, what it
// lacked, and what to do. Words that no rule knows are given as they are.
func explainFailure(tail string, exit int) string {
	command := lastCommand(tail)
	text := withoutTrace(tail)
	why, hint := lastLines(text, 3), ""
	if line := errorLine(text); line != "" {
		why = line
	}
	if f, m, ok := known(text); ok {
		why, hint = f.fill(text, m), f.hint
		if line := lineAt(text, m[0]); line != "" && !strings.Contains(line, why) && !strings.Contains(why, line) {
			why += " (" + short(line, 200) + ")"
		}
	} else if exit == 137 {
		why, hint = "killed, as happens where the memory does not suffice: "+why, "raise validate.memory"
	}
	if command != "" {
		why = short(command, 120) + ": " + why
	}
	if hint != "" {
		why += "; " + hint
	}
	return short(strings.ToValidUTF8(why, "\uFFFD"), 600)
}

func known(text string) (failure, []int, bool) {
	for _, f := range failures {
		if m := f.pattern.FindStringSubmatchIndex(text); m != nil {
			return f, m, true
		}
	}
	return failure{}, nil, false
}

func (f failure) fill(text string, m []int) string {
	// ${1} so that what follows a number is no part of its name.
	template := regexp.MustCompile(`\$(\d)`).ReplaceAllString(f.means, "$${$1}")
	why := string(f.pattern.ExpandString(nil, template, text, m))
	return strings.TrimRight(strings.Join(strings.Fields(why), " "), " :.,;")
}

// lastCommand is the last command that a traced script said it runs.
func lastCommand(tail string) string {
	i := strings.LastIndex("\n"+tail, "\n"+tracePrefix)
	if i < 0 {
		return ""
	}
	line, _, _ := strings.Cut(tail[i+len(tracePrefix):], "\n")
	return strings.TrimSpace(line)
}

func withoutTrace(tail string) string {
	var lines []string
	for line := range strings.SplitSeq(tail, "\n") {
		if !strings.HasPrefix(strings.TrimLeft(line, "w"), tracePrefix[1:]) {
			lines = append(lines, colours.ReplaceAllString(strings.TrimRight(line, "\r"), ""))
		}
	}
	return strings.Join(lines, "\n")
}

var (
	colours    = regexp.MustCompile("\x1b\\[[0-9;]*[A-Za-z]")
	errorWords = regexp.MustCompile(`(?i)\b(error|fatal|failed|cannot|can't|unable|denied|not found|no such)\b`)
)

// errorLine is the last line that speaks of an error.
func errorLine(text string) string {
	last := ""
	for line := range strings.SplitSeq(text, "\n") {
		if errorWords.MatchString(line) {
			last = strings.TrimSpace(line)
		}
	}
	return short(last, 300)
}

func lineAt(text string, at int) string {
	from := strings.LastIndex(text[:at], "\n") + 1
	line, _, _ := strings.Cut(text[from:], "\n")
	return strings.TrimSpace(line)
}

func short(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}
