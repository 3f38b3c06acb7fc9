package kit

import (
	"bytes"
	"reflect"
	"strings"

	"github.com/BurntSushi/toml"
)

// GuardTOML guards parts of a TOML file: guarded gives them from its values, section
// says whether the section of that name holds nothing else. Where the rest of the
// file can be told from them by sections, only they go back.
func GuardTOML(c Change, guarded func(map[string]any) any, section func(name string) bool) Guard {
	before, errBefore := tomlValues(c.Before)
	after, errAfter := tomlValues(c.After)
	if errBefore == nil && errAfter == nil && reflect.DeepEqual(guarded(before), guarded(after)) {
		return Guard{}
	}
	if errBefore != nil || errAfter != nil || c.After == nil {
		return Whole
	}
	rest, _ := SplitTOML(c.After, section)
	_, kept := SplitTOML(c.Before, section)
	text := append(append(rest, '\n'), kept...)
	if now, err := tomlValues(text); err != nil || !reflect.DeepEqual(guarded(now), guarded(before)) {
		return Whole
	}
	return Guard{Touched: true, Restored: text}
}

func tomlValues(text []byte) (map[string]any, error) {
	values := map[string]any{}
	_, err := toml.Decode(string(text), &values)
	return values, err
}

// SplitTOML divides a file by its sections.
func SplitTOML(text []byte, guarded func(string) bool) (rest, kept []byte) {
	inside := false
	for line := range bytes.Lines(text) {
		if name, ok := sectionName(string(line)); ok {
			inside = guarded(name)
		}
		if inside {
			kept = append(kept, line...)
		} else {
			rest = append(rest, line...)
		}
	}
	return rest, kept
}

// sectionName reads a line that begins a section; [ tool . "name" ] is one way to write it.
func sectionName(line string) (string, bool) {
	t := strings.TrimSpace(line)
	if !strings.HasPrefix(t, "[") {
		return "", false
	}
	if i := strings.LastIndex(t, "]"); i > 0 {
		t = t[:i]
	}
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("[]\"' \t", r) {
			return -1
		}
		return r
	}, t), true
}

// ValueAt gives what lies under keys, nil where nothing does.
func ValueAt(v any, keys ...string) any {
	for _, k := range keys {
		m, ok := v.(map[string]any)
		if !ok {
			return nil
		}
		v = m[k]
	}
	return v
}
