package pipeline

import (
	"errors"
	"fmt"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/token"
)

// YAMLError says why a text was not read as YAML.
type YAMLError struct {
	Line    int    // 0 where the text as a whole is meant
	Message string // one line
	err     error
}

func (e *YAMLError) Error() string {
	if e.Line > 0 {
		return fmt.Sprintf("line %d: %s", e.Line, e.Message)
	}
	return e.Message
}

// Unwrap gives the YAML package's own error, or [ErrUntamed].
func (e *YAMLError) Unwrap() error { return e.err }

// ErrUntamed is beneath the errors of texts that can't be given to the YAML package:
// it panics on them, or they cost more than their size.
var ErrUntamed = errors.New("no YAML that can be read safely")

// DecodeYAML reads the first document of a text into v; strict refuses fields that
// v does not have. Texts come from people and from strangers: aliases, with which a
// small file unfolds into gigabytes, and deep nests are refused, and a text that
// makes the YAML package panic ends in an error. Errors are [YAMLError].
func DecodeYAML(text []byte, strict bool, v any) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &YAMLError{0, "this is not YAML", ErrUntamed}
		}
	}()
	if err := tameYAML(text); err != nil {
		return err
	}
	var options []yaml.DecodeOption
	if strict {
		options = append(options, yaml.Strict())
	}
	if err := yaml.UnmarshalWithOptions(text, v, options...); err != nil {
		return yamlError(err)
	}
	return nil
}

func yamlError(err error) *YAMLError {
	e := &YAMLError{Message: err.Error(), err: err}
	var y yaml.Error
	if errors.As(err, &y) {
		e.Message = y.GetMessage()
		if t := y.GetToken(); t != nil && t.Position != nil {
			e.Line = t.Position.Line
		}
	}
	e.Message, _, _ = strings.Cut(e.Message, "\n")
	return e
}

// maxYAMLNest bounds brackets within brackets, and what one line may open.
const maxYAMLNest = 100

// tameYAML refuses what no file of ours needs and what costs more than its size.
func tameYAML(text []byte) error {
	nest, line, opened := 0, 0, 0
	for _, t := range lexer.Tokenize(string(text)) {
		if t.Position.Line != line {
			line, opened = t.Position.Line, 0
		}
		switch t.Type {
		case token.AliasType, token.MergeKeyType:
			return &YAMLError{line, "aliases are not read here; write the value out", ErrUntamed}
		case token.MappingStartType, token.SequenceStartType:
			nest++
		case token.MappingEndType, token.SequenceEndType:
			nest--
		case token.SequenceEntryType, token.MappingKeyType, token.TagType, token.AnchorType:
			opened++
		}
		if nest > maxYAMLNest || opened > maxYAMLNest {
			return &YAMLError{line, fmt.Sprintf("more than %d levels in one another", maxYAMLNest), ErrUntamed}
		}
	}
	return nil
}
