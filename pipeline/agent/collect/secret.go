package collect

import (
	"bytes"
	"slices"
)

// Secret is a value that no output may hold.
type Secret struct {
	Name  string
	Value []byte
}

// Secrets are the values that no output of a run may hold.
type Secrets []Secret

// NameIn returns the name of a secret whose value is in some bytes, "" if none is.
func (s Secrets) NameIn(b []byte) string {
	i := slices.IndexFunc(s, func(one Secret) bool { return bytes.Contains(b, one.Value) })
	if i < 0 {
		return ""
	}
	return s[i].Name
}

// Redact replaces the values of secrets by their names.
func (s Secrets) Redact(b []byte) []byte {
	for _, one := range s {
		b = bytes.ReplaceAll(b, one.Value, []byte("["+one.Name+"]"))
	}
	return b
}
