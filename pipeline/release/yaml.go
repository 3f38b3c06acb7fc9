package release

import (
	"fmt"
	"reflect"

	"github.com/goccy/go-yaml"

	"github.com/wideswe/wideswe/pipeline"
)

// encodeYAML writes YAML as a person would where that carries the text unharmed,
// and with quotes where it does not.
func encodeYAML(v any) ([]byte, error) {
	b, err := yaml.MarshalWithOptions(v, yaml.IndentSequence(true), yaml.UseLiteralStyleIfMultiline(true))
	if err == nil && carries(b, v) {
		return b, nil
	}
	if b, err = yaml.MarshalWithOptions(v, yaml.JSON()); err != nil {
		return nil, err
	}
	if !carries(b, v) {
		return nil, fmt.Errorf("the text of %T can't be written as YAML", v)
	}
	return b, nil
}

func carries(b []byte, v any) bool {
	back := reflect.New(reflect.TypeOf(v))
	if decodeYAML(b, back.Interface()) != nil {
		return false
	}
	first, err1 := yaml.MarshalWithOptions(v, yaml.JSON())
	again, err2 := yaml.MarshalWithOptions(back.Elem().Interface(), yaml.JSON())
	return err1 == nil && err2 == nil && string(first) == string(again)
}

// decodeYAML reads YAML whose every field is known.
func decodeYAML(b []byte, v any) error { return pipeline.DecodeYAML(b, true, v) }
