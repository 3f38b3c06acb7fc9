package reference

import (
	"regexp"
	"strings"
)

// changelog matches the titles that changelogs, release notes and lists of commits
// carry in pull bodies.
var changelog = regexp.MustCompile(`(?i)^[\s#*_]*(?:(?:full |upstream )?change ?logs?|release notes?|commits?|commit ` +
	`messages?|commit history|upgrade notes|what'?s (?:changed|new)|new contributors)\b`)

func changelogTitle(s string) bool { return changelog.MatchString(s) }

// botNames are accounts that programs write with and whose type does not say so.
var botNames = setOf(`dependabot dependabot-preview renovate greenkeeper mergify bors homu copilot
	copybara-service github-actions web-flow pre-commit-ci istio-testing dotnet-maestro msftbot scala-steward
	release-please semantic-release allcontributors weblate transifex-integration crowdin snyk imgbot`)

func setOf(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}

// botBranch matches head branches that programs make.
var botBranch = regexp.MustCompile(`^(?:renovate/|dependabot/|greenkeeper/|snyk-(?:fix|upgrade)-|pyup-|` +
	`scala-steward/|update/[^/]+-\d|release-please--|changeset-release/|darc-|autoroll|mergify/)`)

// BotAuthor says whether a program wrote under this account.
func BotAuthor(login, accountType string) bool {
	l := strings.ToLower(login)
	return strings.EqualFold(accountType, "Bot") || strings.HasSuffix(l, "[bot]") || botNames[l] ||
		strings.HasSuffix(l, "-bot") || strings.HasSuffix(l, "-robot") || strings.HasSuffix(l, "_bot")
}

// BotBranch says whether a program made this head branch.
func BotBranch(ref string) bool { return botBranch.MatchString(ref) }

var (
	releaseTitle = regexp.MustCompile(`(?i)^(?:chore(?:\([^)]*\))?!?: *)?(?:\[?(?:prepare|cut|publish|draft)\]? ` +
		`)?(?:(?:for )?releas(?:e|ing)\b(?: branch)?:?(?: of)? *(?:candidate )?(?:version )?(?:[\w@/.-]+ )?[\w@/-]*v?\d|` +
		`(?:version packages|release main)\b|v?\d+\.\d+(?:\.\d+)?(?:-?(?:rc|beta|alpha)[.\d]*)?$)`)
	rollupTitle   = regexp.MustCompile(`(?i)^(?:roll-?up of \d|merge queue\b|auto merge of\b|\[?bors\]?\b)`)
	backportTitle = regexp.MustCompile(`(?i)\bback-?port(?:s|ed|ing)?\b|\bcherry[- ]?pick(?:s|ed|ing)?\b|` +
		`^\[(?:(?:release|stable|branch)[-/ ]?)?v?\d+(?:\.(?:\d+|x))+\]`)
	backportHead = regexp.MustCompile(`(?i)^(?:backports?|cherry-?pick|mergify/bp)[-/]`)
)

// branchMerge matches titles of pulls that carry a release branch back: no change of their own.
var branchMerge = regexp.MustCompile(`(?i)^(?:chore: *)?(?:back-?)?merge (?:the )?(?:branch )?['"\x60]?(?:(?:release|` +
	`stable)(?:[-/_.][\w./-]+)?|v?\d+\.[\w.]+)['"\x60]? (?:branch )?(?:back )?(?:in)?to\b`)

// ReleaseTitle says whether a pull's title is that of a release, or of a release
// branch that is carried back.
func ReleaseTitle(title string) bool {
	title = strings.TrimSpace(title)
	return releaseTitle.MatchString(title) || branchMerge.MatchString(title)
}

// RollupTitle says whether a pull gathers others, by its title.
func RollupTitle(title string) bool { return rollupTitle.MatchString(strings.TrimSpace(title)) }

// BackportTitle says whether a pull repeats another on an older branch, by its
// title or its head branch.
func BackportTitle(title, headRef string) bool {
	return backportTitle.MatchString(strings.TrimSpace(title)) || backportHead.MatchString(headRef)
}

// sourceFlags are the flags that every reference of a source carries.
func sourceFlags(src Source) (flags []Flag) {
	if BotAuthor(src.Author, src.AuthorType) || BotBranch(src.HeadRef) {
		flags = append(flags, Bot)
	}
	if ReleaseTitle(src.Title) {
		flags = append(flags, Release)
	}
	if RollupTitle(src.Title) {
		flags = append(flags, Rollup)
	}
	return flags
}

var revertTitle = regexp.MustCompile(`(?i)^(?:\w+(?:\([^)]*\))?!?: *)?revert(?:s|ed|ing)?\b`)

// RevertTitle says whether a pull takes another back, by its title.
func RevertTitle(title string) bool { return revertTitle.MatchString(strings.TrimSpace(title)) }

var (
	importTitle = regexp.MustCompile(`(?i)^(?:\[[\w -]{1,30}\] *)?(?:auto(?:matic|mated)?[- ])?(?:import|mirror|sync|` +
		`copybara)(?:s|ed|ing)?:? (?:(?:all|the|latest|upstream|recent|new|changes?|commits?|code|files?|import|updates?) ` +
		`){0,5}(?:from|of)\b`)
	importBody = regexp.MustCompile(`(?m)^(?:PiperOrigin-RevId|GitOrigin-RevId|Copybara-Import|` +
		`COPYBARA_INTEGRATE_REVIEW|fbshipit-source-id|ORIGINAL_AUTHOR)\b[=:]|\bImported from GitHub PR\b`)
)

// MirrorImport says whether a pull copies a change that was made elsewhere, by its
// title and the marks that copying programs leave in the body.
func MirrorImport(title, body string) bool {
	return importTitle.MatchString(strings.TrimSpace(title)) || importBody.MatchString(body)
}
