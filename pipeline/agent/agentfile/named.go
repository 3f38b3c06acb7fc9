package agentfile

import (
	"bytes"
	"os"
	"strings"

	"github.com/wideswe/wideswe/pipeline"
)

// ScriptFolder is the folder inside a sandbox that holds the script of shell:SCRIPT, as agent.
const ScriptFolder = "/opt/wideswe"

// Named returns the agent that a word or a file name means.
func Named(word string) (*File, error) {
	switch {
	case word == Gold, word == Empty:
		return &File{Name: word, builtin: word}, nil
	case strings.HasPrefix(word, scripted):
		text, err := os.ReadFile(strings.TrimPrefix(word, scripted))
		if err != nil {
			return nil, pipeline.Usage("the script of --agent %s can't be read: %v", word, err)
		}
		f := &File{Name: "shell", script: text, Command: Command{Line: "exec sh \"$WIDESWE_AGENT\""},
			Set: map[string]string{"WIDESWE_AGENT": "{root}" + ScriptFolder + "/agent"}}
		if bytes.HasPrefix(text, []byte("#!")) {
			f.Command.Line = "exec \"$WIDESWE_AGENT\""
		}
		return f, nil
	}
	return ReadFile(word)
}
