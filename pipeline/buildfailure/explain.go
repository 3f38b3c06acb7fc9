// Package buildfailure says in one line why a build failed: from what its last step
// printed, by the words of the system and those that languages give as facts. Who
// builds images is [pipeline/sandbox/image].
package buildfailure

import (
	"regexp"
	"slices"
	"strings"

	"github.com/wideswe/wideswe/pipeline/sandbox"
)

// tracePrefix marks the commands that a step's shell says it runs.
const tracePrefix = "wideswe+ "

// Traced makes a step's script say each command before it runs it, so that a
// failure can name the command.
func Traced(script string) string {
	return "PS4='" + tracePrefix + "'\nset -x\n" + script
}

// Failure says what words of a build's output mean.
type Failure struct {
	Pattern *regexp.Regexp
	Means   string // $1 is the pattern's first group
	Hint    string // what to do about it
}

// New compiles a failure's pattern, which must be right.
func New(pattern, means, hint string) Failure {
	return Failure{regexp.MustCompile(pattern), means, hint}
}

// Words are the words in which the tools of one language say why a build failed.
type Words struct {
	// Failures are tried in their order: after those of the system's packages, before
	// those of the network.
	Failures []Failure
	// Native says that they are words of compilers and linkers, which the tools of other
	// languages print, too: a package that does not build says more by its own words.
	Native bool
	// Certificates and Memory are expressions for a certificate that is not trusted and
	// for memory that did not suffice; case does not matter.
	Certificates, Memory []string
}

// Hints that several failures share.
const (
	HintNetwork = "the build did not reach it: where this network has a proxy or mirror, name it in build.env"
	HintAccess  = "the registry wants an account, or the package is private: pass its settings by build.env or " +
		"build.files"
	HintSetup    = "correct packages or setup in the recipe"
	HintRuntime  = "choose another image or runtime in the recipe"
	HintCompiler = "a compiler or library may be missing: add its package to the recipe"

	hintTrust = "the build does not trust the server: where this network has certificates of its own, name their " +
		"file in build.files and the variable that points at it in build.env"
	hintDisk = "free some space (wideswe images prune; docker system df)"
)

// systemFailures are those of the disk and of the system's packages.
var systemFailures = []Failure{
	New(`(?i)no space left on device|ENOSPC|disk quota exceeded`, "the disk is full", hintDisk),
	New(`(?m)^E: Unable to locate package (\S+)`, "apt has no package $1", HintSetup),
	New(`(?m)^E: Package '([^']+)' has no installation candidate`, "apt has no package $1", HintSetup),
	New(`(?m)^E: Version '([^']+)' for '[^']+' was not found`, "apt has no such version: $1", HintSetup),
	New(`(?m)^ (\S+) : Depends: .*(?:but it is not (?:going to be installed|installable))`,
		"apt can't install what $1 depends on", HintSetup),
	New(`(?m)^E: (?:dpkg was interrupted|Sub-process \S*dpkg returned an error code).*`, "$0", ""),
}

// lateFailures come after those of languages, since they name no package.
func lateFailures(certificates, memory []string) []Failure {
	return []Failure{
		New(`(?m)(?:sh|bash|run|step-\d+)?:? ?(?:\d+: )?(\S+): (?:command )?not found$`,
			"there is no command $1", HintSetup),
		New(`(?i)(?:could not resolve host:? |temporary failure resolving '|getaddrinfo \w+ |lookup `+
			`|no address associated with hostname|name or service not known:? ?)([A-Za-z0-9.-]*)`,
			"the name of the host $1 can't be resolved", HintNetwork),
		New(`(?i)Temporary failure in name resolution|no such host`,
			"a host's name can't be resolved", HintNetwork),
		New(`(?i)certificate verify failed|self[- ]signed certificate`+
			`|unable to get local issuer certificate|SSL certificate problem`+or(certificates),
			"a certificate is not trusted", hintTrust),
		New(`(?i)(?:connection (?:refused|timed out|reset by peer)|could not connect to (\S+)`+
			`|network is unreachable|i/o timeout|read timed out|ETIMEDOUT|ECONNRESET|ECONNREFUSED|EAI_AGAIN)`,
			"a server did not answer", HintNetwork),
		New(`(?i)\b(407 Proxy Authentication Required)`, "the proxy wants a name and a password", HintNetwork),
		New(`(?i)\b(?:401 Unauthorized|403 Forbidden)\b`, "a server refuses", HintAccess),
		New(`(?i)\b(429 Too Many Requests|rate limit)`,
			"a server says that it was asked too often", "wait, and run again"),
		New(`(?i)out of memory|cannot allocate memory`+or(memory),
			"the memory did not suffice", "raise validate.memory"),
	}
}

// or lists expressions after another.
func or(more []string) string {
	return strings.Join(append([]string{""}, more...), "|")
}

// Explainer gives the function that says in one line why a step ended badly: the
// command, what it lacked, and what to do. It knows the words of the system and those
// that it is given; what stands first among them explains what stands below it. Words
// that it does not know are given as they are.
func Explainer(languages ...Words) func(output string, exitCode int) string {
	known := slices.Clone(systemFailures)
	var certificates, memory []string
	for _, l := range languages {
		known = append(known, l.Failures...)
		certificates, memory = append(certificates, l.Certificates...), append(memory, l.Memory...)
	}
	known = append(known, lateFailures(certificates, memory)...)
	return func(output string, exitCode int) string { return explain(known, output, exitCode) }
}

func explain(known []Failure, tail string, exit int) string {
	command := lastCommand(tail)
	text := withoutTrace(tail)
	why, hint := sandbox.LastLines(text, 3), ""
	if line := errorLine(text); line != "" {
		why = line
	}
	if f, m, ok := find(known, text); ok {
		why, hint = f.fill(text, m), f.Hint
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

// find gives the first failure whose words are in the text, and where they are.
func find(known []Failure, text string) (Failure, []int, bool) {
	for _, f := range known {
		if m := f.Pattern.FindStringSubmatchIndex(text); m != nil {
			return f, m, true
		}
	}
	return Failure{}, nil, false
}

// fill puts what the pattern's groups found into what it means.
func (f Failure) fill(text string, m []int) string {
	// ${1} so that what follows a number is no part of its name.
	template := regexp.MustCompile(`\$(\d)`).ReplaceAllString(f.Means, "$${$1}")
	why := string(f.Pattern.ExpandString(nil, template, text, m))
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
