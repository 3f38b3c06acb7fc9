package agent

import (
	"bytes"
	"os"
	"strings"

	"github.com/wideswe/wideswe/pipeline"
)

// The built-in agents, for checks: one that does what the pulls did, one that does
// nothing. A third, shell:SCRIPT, runs a script.
const (
	Gold     = "gold"
	Empty    = "empty"
	scripted = "shell:"
)

// agentDir is the folder inside a sandbox that holds the script of shell:SCRIPT, as agent.
const agentDir = "/opt/wideswe"

// Named gives the agent that a word or a file names.
func Named(word string) (*File, error) {
	switch {
	case word == Gold, word == Empty:
		return &File{Name: word, builtin: word}, nil
	case strings.HasPrefix(word, scripted):
		text, err := os.ReadFile(strings.TrimPrefix(word, scripted))
		if err != nil {
			return nil, pipeline.Usage("the script of --agent %s can't be read: %v", word, err)
		}
		f := &File{Name: "shell", script: text, Command: Command{Line: "exec sh \"$WIDESWE_AGENT\""}, Set: map[string]string{"WIDESWE_AGENT": "{root}" + agentDir + "/agent"}}
		if bytes.HasPrefix(text, []byte("#!")) {
			f.Command.Line = "exec \"$WIDESWE_AGENT\""
		}
		return f, nil
	}
	return ReadFile(word)
}

// Runs says whether the agent runs anything of its own.
func (f *File) Runs() bool { return f.builtin == "" }

// Script returns the text of the script that shell:SCRIPT names, nil for other agents.
func (f *File) Script() []byte { return f.script }
