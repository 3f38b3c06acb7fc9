package testreport

import (
	"regexp"
	"strings"
)

// framing is what a runner itself writes around a test's words and what differs from
// run to run: how long things took, numbers of threads. Messages hold none of it,
// so that two runs in which a test said the same are told the same. What a test printed
// stays, whatever it is.
type framing struct {
	word string // stands in whatever re matches
	re   *regexp.Regexp
	by   string
}

func frame(word, re, by string) framing {
	return framing{word, regexp.MustCompile("(?m)" + re), by}
}

// figure is a number of seconds or the like.
const figure = `\d+(?:[.,]\d+)?`

var (
	goFraming = []framing{
		frame("\t", `^((?:FAIL|ok  )\t\S+)\t\d+\.\d+s`, "$1"),
		frame(" ", `^(\t\t\S+) \((?:\d+[hms]+)+\)$`, "$1"), // the tests that a time-out found running
	}
	rustFraming = []framing{
		frame("; finished in ", `^(test result: .*); finished in `+figure+`s$`, "$1"),
		frame(" target(s) in ", `^( +Finished .* target\(s\)) in .*$`, "$1"),
		frame("has been running for over", `^test .+ has been running for over \d+ seconds\n`, ""),
		frame("thread '", `^(thread '.*') \(\d+\) (panicked at|has overflowed)`, "$1 $2"),
		frame("s>", ` <`+figure+`s>$`, ""),
	}
	tapFraming = []framing{
		frame("duration_ms", `^(?:duration_ms: |# duration_ms )[\d.]+(?:\n|$)`, ""),
		frame("# time=", `^# time=[\d.]+m?s(?:\n|$)`, ""),
	}
	nodeFraming = append([]framing{
		frame("Time:", `^Time: +`+figure+` m?s(?:, estimated .*)?(?:\n|$)`, ""),
		frame("ing (", `^( +\d+ (?:passing|failing|pending)) \(\d+m?s\)$`, "$1"),
		frame(" ms)", `^( +[✓✕√×] .*) \(`+figure+` m?s\)$`, "$1"),
		frame("ms", `^( +[✓×❯↓] .*) \d+ms$`, "$1"),
		frame("   Start at  ", `^ +Start at  [\d:]+(?:\n|$)`, ""),
		frame("   Duration  ", `^ +Duration  .*(?:\n|$)`, ""),
	}, tapFraming...)
	pythonFraming = []framing{
		frame(" in ", `^(=+ .*) in [\d.]+s(?: \([\d:]+\))?( =+)$`, "$1$2"),
		frame(" object at 0x", `(<[\w.<> ]+ object at )0x[0-9a-f]+>`, "${1}0xADDR>"),
	}
	javaFraming = []framing{
		frame("Time elapsed: ", `(Time elapsed): `+figure+` s(?:ec)?\b`, "$1"),
		frame("Total time", `^\[INFO\] Total time(?: \([^)]*\))?: .*(?:\n|$)`, ""),
		frame("Finished at", `^\[INFO\] Finished at: .*(?:\n|$)`, ""),
		frame("BUILD ", `^(BUILD (?:SUCCESSFUL|FAILED)) in .*$`, "$1"),
	}
	cppFraming = []framing{
		frame(" ms", `^((?:\d+: )?\[[ A-Z=-]{10}\] .*) \(\d+ ms(?: total)?\)$`, "$1"),
		frame(" sec", `^( *\d+/\d+ Test +#\d+: .*?) +`+figure+` sec`, "$1"),
		frame("Total Test time", `^Total Test time \(real\) = .*(?:\n|$)`, ""),
		frame("s", `^( *\d+/\d+ .*(?:OK|FAIL|ERROR|SKIP|TIMEOUT|EXPECTEDFAIL|UNEXPECTEDPASS)) +`+figure+`s\b`, "$1"),
		frame("MALLOC_PERTURB_=", `MALLOC_PERTURB_=\d+ `, ""),
	}
	phpFraming = []framing{
		frame("Time: ", `^Time: [\d:.]+, Memory: .*(?:\n|$)`, ""),
		frame("Duration:", `^ +Duration: +[\d.]+s(?:\n|$)`, ""),
	}
	rubyFraming = append([]framing{
		frame("Finished in ", `^(?:# )?Finished in `+figure+`s?(?: (?:seconds?|minutes?)\b.*|, .*)?\.?(?:\n|$)`, ""),
	}, tapFraming...)
	netFraming = []framing{
		frame("[xUnit.net ", `\[xUnit\.net [\d:.]+\]`, "[xUnit.net]"),
		frame("ime", `^ *(?:Total time: [\d.]+ \w+|Time Elapsed [\d:.]+)(?:\n|$)`, ""),
		frame("Duration: ", `, Duration: (?:< )?`+figure+` \w+`, ""),
		frame("[", `^( +(?:Passed|Failed|Skipped) .*) \[(?:< )?`+figure+` \w+\]$`, "$1"),
	}
)

// said takes a runner's framing out of a message.
func said(frames []framing, message string) string {
	for _, f := range frames {
		if strings.Contains(message, f.word) {
			message = f.re.ReplaceAllString(message, f.by)
		}
	}
	return message
}
