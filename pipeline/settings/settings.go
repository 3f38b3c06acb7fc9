// Package settings has what options in wideswe.yaml are declared with: the types of days, durations and sizes, and
// defaults in struct tags. Which options there are is for the stages and tools that have them; reading the file is the
// command line's.
//
// An option is a field with two tags: yaml names its key, default is its value, as YAML, where a person sets none.
package settings

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/goccy/go-yaml"
)

// Fill returns options with the default of every field that is not set: that is zero, or a negative number.
func Fill[T any](options T) T {
	fill(reflect.ValueOf(&options).Elem())
	return options
}

func fill(options reflect.Value) {
	for i := range options.NumField() {
		value, field := options.Field(i), options.Type().Field(i)
		text, ok := field.Tag.Lookup("default")
		switch {
		case ok && (value.IsZero() || value.CanInt() && value.Int() < 0):
			if err := yaml.Unmarshal([]byte(text), value.Addr().Interface()); err != nil {
				panic(fmt.Sprintf("the default of %s.%s: %v", options.Type(), field.Name, err))
			}
		case !ok && Key(field) != "" && value.Kind() == reflect.Struct:
			fill(value)
		}
	}
}

// Key returns the name of an option's key; "" for a field that is no option.
func Key(field reflect.StructField) string {
	name, _, _ := strings.Cut(field.Tag.Get("yaml"), ",")
	return strings.TrimPrefix(name, "-")
}

// OneOf checks that an option's value is one of two words.
func OneOf(key, value, one, other string) error {
	if value == one || value == other {
		return nil
	}
	return fmt.Errorf("%s is %q; write %s or %s", key, value, one, other)
}
