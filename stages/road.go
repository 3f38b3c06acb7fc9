// Package stages knows every stage: their order, what each does, and how it is
// given what it needs. A stage's own work is in its folder; stages meet only in
// tables and never import each other.
package stages

// Step is one stage of the road, for people.
type Step struct{ Name, Does string }

// Road lists the stages in order. An export leaves the curator's folder; what
// follows it needs neither the folder nor the network.
var Road = []Step{
	{"rank", "Decide which ecosystems are kept: configured, listed, or of a ranking that is screened"},
	{"crawl", "Fetch repositories and merged pulls; raw pages are kept"},
	{"link", "Find references to other repositories in pull texts"},
	{"group", "Group linked pulls of two or more repositories into candidates"},
	{"dedupe", "Mark candidates that repeat another"},
	{"inspect", "Look at the files, issues and checks of candidates' pulls"},
	{"review", "Read people's verdicts; the sub-commands list, show and give them"},
	{"assemble", "Make tasks: base commits, gold patches, hidden tests, prompts"},
	{"validate", "Run each task's tests on base and gold; F2P and P2P per target"},
	{"balance", "Choose a release balanced by kind, repository count and ecosystem"},
	{"export", "Write the release; context repositories are fixed here"},
	{"evaluate", "Score predictions on a release"},
	{"report", "Draw the tables of an evaluation"},
}

// Names gives the stages' names in order.
func Names() []string {
	names := make([]string, len(Road))
	for i, s := range Road {
		names[i] = s.Name
	}
	return names
}
