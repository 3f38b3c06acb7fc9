package release120

import (
	"errors"
	"fmt"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/token"
)

// Bounds on YAML. The authors' files name a list once and use it twice, so that aliases
// are read here, but none within what an alias stands for: what is written out stays
// smaller than aliases times the text.
const (
	maxAliases = 200
	maxNest    = 100
)

// decodeYAML reads the authors' YAML. Fields that v does not have are passed over.
func decodeYAML(text []byte, v any) (err error) {
	defer func() {
		if recover() != nil {
			err = errors.New("this is not YAML")
		}
	}()
	if err := tame(text); err != nil {
		return err
	}
	return yaml.Unmarshal(text, v)
}

// tame refuses what costs more than its size.
func tame(text []byte) error {
	aliases, nest := 0, 0
	anchored, column := false, 0
	line, opened := 0, 0
	for _, t := range lexer.Tokenize(string(text)) {
		if t.Position.Line != line {
			line, opened = t.Position.Line, 0
			// what an anchor names ends where a line begins at its column or before
			entry := t.Type == token.SequenceEntryType && t.Position.Column == column
			anchored = anchored && (t.Position.Column > column || entry)
		}
		switch t.Type {
		case token.AnchorType:
			if anchored {
				return fmt.Errorf("line %d: an anchor within another", line)
			}
			anchored, column = true, ownerColumn(t)
			opened++
		case token.AliasType, token.MergeKeyType:
			if aliases++; aliases > maxAliases || anchored || t.Type == token.MergeKeyType {
				return fmt.Errorf("line %d: more aliases than the authors' files have", line)
			}
		case token.MappingStartType, token.SequenceStartType:
			nest++
		case token.MappingEndType, token.SequenceEndType:
			nest--
		case token.SequenceEntryType, token.MappingKeyType, token.TagType:
			opened++
		}
		if nest > maxNest || opened > maxNest {
			return fmt.Errorf("line %d: more than %d levels in one another", line, maxNest)
		}
	}
	return nil
}

// ownerColumn is the column of the key that an anchor stands at: what the anchor names
// lies to the right of it. Of an entry it is the dash's, and 0 of a whole document.
func ownerColumn(anchor *token.Token) int {
	column := 0
	first := anchor
	for first.Prev != nil && first.Prev.Position.Line == anchor.Position.Line {
		first = first.Prev
	}
	for t := first; t != anchor; t = t.Next {
		column = t.Position.Column
		if t.Type != token.SequenceEntryType {
			break
		}
	}
	return column
}
