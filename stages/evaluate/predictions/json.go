package predictions

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
)

// The names of a native line and of SWE-bench's row; some tell the shape alone.
var (
	nativeKeys = []string{"task_id", "model_name_or_path", "patches", "patch_b64", "mode", "target", "attempt", "run"}
	rowKeys    = []string{"instance_id", "model_name_or_path", "model_patch", "patch_b64", "repo", "mode", "target",
		"attempt"}
	openHandsKeys = []string{"instance", "instruction", "metadata", "history", "metrics", "error"}

	nativeOnly = []string{"task_id", "patches"}
	rowOnly    = []string{"instance_id", "model_patch"}
)

// repeatedKey finds a name that an object gives twice: the decoder would take the
// last and say nothing.
func repeatedKey(line []byte) string {
	type object struct {
		keys map[string]bool // nil in an array
		name bool            // a name comes next
	}
	var stack []object
	d := json.NewDecoder(bytes.NewReader(line))
	for {
		tok, err := d.Token()
		if err != nil {
			return ""
		}
		top := len(stack) - 1
		if s, ok := tok.(string); ok && top >= 0 && stack[top].name {
			if stack[top].keys[s] {
				return s
			}
			stack[top].keys[s], stack[top].name = true, false
			continue
		}
		switch tok {
		case json.Delim('{'):
			stack = append(stack, object{map[string]bool{}, true})
			continue
		case json.Delim('['):
			stack = append(stack, object{})
			continue
		case json.Delim('}'), json.Delim(']'):
			stack = stack[:top]
		}
		if top = len(stack) - 1; top >= 0 {
			stack[top].name = stack[top].keys != nil
		}
	}
}

// plainJSON says in words what the decoder found.
func plainJSON(err error) error {
	if err == nil {
		return nil
	}
	if field, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok {
		return fmt.Errorf("unknown field %s; a prediction has %s", field, strings.Join(nativeKeys, ", "))
	}
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &kind) && kind.Field == "":
		return fmt.Errorf("not a prediction: %s; write one prediction a line", article(kind.Value))
	case errors.As(err, &kind):
		return fmt.Errorf("%s is %s; it must be %s", kind.Field, article(kind.Value), wanted(kind.Type.Kind()))
	case errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("not a prediction: it ends too early; a prediction is one line")
	}
	return fmt.Errorf("not a prediction: %s", strings.TrimPrefix(err.Error(), "json: "))
}

func article(word string) string {
	if strings.HasPrefix(word, "a") || strings.HasPrefix(word, "o") {
		return "an " + word
	}
	return "a " + word
}

// wanted names a Go type as JSON does.
func wanted(k reflect.Kind) string {
	switch k {
	case reflect.Int, reflect.Int64, reflect.Float64:
		return "a number"
	case reflect.Map, reflect.Struct:
		return "an object"
	case reflect.Bool:
		return "true or false"
	}
	return "a string"
}
