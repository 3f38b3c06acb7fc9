package agentfile

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"

	"github.com/wideswe/wideswe/pipeline"
)

// ReadFile reads an agent's file strictly.
func ReadFile(name string) (*File, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, pipeline.Usage("the agent's file %s can't be read (%v); give a YAML file, or gold, empty or "+
			"shell:SCRIPT", name, err)
	}
	f, err := Parse(text)
	if err != nil {
		return nil, pipeline.Usage("%s: %v", name, err)
	}
	for i, m := range f.Files {
		if !filepath.IsAbs(m.From) {
			f.Files[i].From = filepath.Join(filepath.Dir(name), m.From)
		}
		if _, err := os.Stat(f.Files[i].From); err != nil {
			return nil, pipeline.Usage("%s: files: %v", name, err)
		}
	}
	return f, nil
}

var unknownKey = regexp.MustCompile(`unknown field "([^"]*)"`)

// Parse reads the text of an agent's file.
func Parse(text []byte) (*File, error) {
	f := &File{}
	if err := pipeline.DecodeYAML(text, true, f); err != nil {
		var y *pipeline.YAMLError
		if m := unknownKey.FindStringSubmatch(err.Error()); m != nil && errors.As(err, &y) {
			return nil, fmt.Errorf("line %d: there is no key %q%s", y.Line, m[1], pipeline.DidYouMean(m[1], fileKeys))
		}
		return nil, err
	}
	return f, f.check()
}
