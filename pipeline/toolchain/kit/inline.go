package kit

import (
	"strings"
)

// InlineTest is a test, or what supports only tests, inside a file of production.
type InlineTest struct {
	// Name tells it from the others of its file: a module, a function, the examples in the
	// documentation of an item.
	Name       string
	Begin, End int // where its text lies in the file
	// Code is what of the text runs.
	Code string
	// Own says that it is nothing but a test: one more of them changes no other.
	Own bool
	// Examples says that it is a piece of documentation.
	Examples bool
	// Items are a module's own, by their names.
	Items []InlineTest
}

// Same says whether two run the same code, however it is spaced.
func (t InlineTest) Same(other InlineTest) bool {
	return strings.Join(strings.Fields(t.Code), " ") == strings.Join(strings.Fields(other.Code), " ")
}

// Has gives the item of a module by its name.
func (t InlineTest) Has(name string) (InlineTest, bool) {
	for _, i := range t.Items {
		if i.Name == name {
			return i, true
		}
	}
	return InlineTest{}, false
}

// Extends says whether it has all that a module has, unchanged, and beyond that nothing
// but tests of its own.
func (t InlineTest) Extends(module InlineTest) bool {
	if len(t.Items) == 0 || len(module.Items) == 0 {
		return false
	}
	for _, i := range module.Items {
		if own, ok := t.Has(i.Name); !ok || !own.Same(i) {
			return false
		}
	}
	for _, i := range t.Items {
		if _, known := module.Has(i.Name); !known && !i.Own {
			return false
		}
	}
	return true
}
