package config

import (
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/settings"
)

// unknownKeys finds the first key that the type does not have and names the nearest one.
func unknownKeys(b []byte, t reflect.Type) error {
	f, err := parser.ParseBytes(b, 0)
	if err != nil {
		return errors.New(strings.TrimSpace(yaml.FormatError(err, false, true)))
	}
	for _, d := range f.Docs {
		if err := walkKeys(d.Body, t, ""); err != nil {
			return err
		}
	}
	return nil
}

func walkKeys(n ast.Node, t reflect.Type, at string) error {
	switch n := n.(type) {
	case *ast.MappingNode:
		for _, v := range n.Values {
			if err := walkKey(v, t, at); err != nil {
				return err
			}
		}
	case *ast.MappingValueNode:
		return walkKey(n, t, at)
	case *ast.SequenceNode:
		if t.Kind() == reflect.Slice {
			for _, v := range n.Values {
				if err := walkKeys(v, t.Elem(), at+"[]"); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func walkKey(v *ast.MappingValueNode, t reflect.Type, at string) error {
	if t.Kind() != reflect.Struct || reflect.PointerTo(t).Implements(reflect.TypeFor[yaml.BytesUnmarshaler]()) {
		return nil // a map with names of the person's own
	}
	key := v.Key.GetToken().Value
	var names []string
	for i := range t.NumField() {
		name := settings.Key(t.Field(i))
		if name == key && key != "" {
			return walkKeys(v.Value, t.Field(i).Type, strings.TrimPrefix(at+"."+key, "."))
		}
		if name != "" {
			names = append(names, name)
		}
	}
	line := v.Key.GetToken().Position.Line
	return fmt.Errorf("line %d: there is no key %q%s%s", line, key, inKey(at), pipeline.DidYouMean(key, names))
}

func inKey(at string) string {
	if at == "" {
		return ""
	}
	return " in " + at
}
