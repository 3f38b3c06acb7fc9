package kit

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
)

// GuardJSON guards parts of a JSON object: split gives the object without them, and
// them by name; join puts them into an object. Only they go back.
func GuardJSON(c Change, split func(object map[string]json.RawMessage) (guarded map[string]json.RawMessage),
	join func(object, guarded map[string]json.RawMessage)) Guard {
	before, okBefore := jsonObject(c.Before)
	after, okAfter := jsonObject(c.After)
	if !okBefore || !okAfter {
		return Whole
	}
	was, is := split(before), split(after)
	if sameJSON(was, is) {
		return Guard{}
	}
	if c.After == nil {
		return Whole
	}
	join(after, was)
	text, err := json.MarshalIndent(after, "", "  ")
	if err != nil {
		return Whole
	}
	return Guard{Touched: true, Restored: append(text, '\n')}
}

// jsonObject reads an object; nothing at all is an empty one.
func jsonObject(text []byte) (map[string]json.RawMessage, bool) {
	object := map[string]json.RawMessage{}
	if len(bytes.TrimSpace(text)) == 0 {
		return object, true
	}
	return object, json.Unmarshal(text, &object) == nil
}

func sameJSON(a, b map[string]json.RawMessage) bool {
	if !slices.Equal(slices.Sorted(maps.Keys(a)), slices.Sorted(maps.Keys(b))) {
		return false
	}
	for k := range a {
		if compactJSON(a[k]) != compactJSON(b[k]) {
			return false
		}
	}
	return true
}

func compactJSON(v json.RawMessage) string {
	var b bytes.Buffer
	if json.Compact(&b, v) != nil {
		return string(v)
	}
	return b.String()
}

// InnerObject gives the object under a key.
func InnerObject(object map[string]json.RawMessage, key string) map[string]json.RawMessage {
	m, ok := jsonObject(object[key])
	if !ok {
		return map[string]json.RawMessage{}
	}
	return m
}

// SetInnerObject puts an object under a key, or takes it away where it is empty and was not there.
func SetInnerObject(object map[string]json.RawMessage, key string, m map[string]json.RawMessage) {
	if len(m) == 0 && object[key] == nil {
		return
	}
	text, err := json.Marshal(m)
	if err == nil {
		object[key] = text
	}
}
