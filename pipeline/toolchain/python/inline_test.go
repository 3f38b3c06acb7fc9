package python

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestInlineTests(t *testing.T) {
	text := `"""A module.

>>> 1 + 1
2
"""
x = (
    "def no(): '''>>> 3'''"  # '''
)


class A(object):
    r'''Words.'''

    def f(self, a="\"",
          b=1):
        """Doc.

        >>> A().f()
        ... # more
        3

        words
        """
        return ">>> 5"

    async def g(self): pass


def h():
    y = """
>>> no docstring
"""
`
	got := map[string]string{}
	for _, i := range inlineTests("a.py", []byte(text)) {
		got[i.Name] = i.Code
		if s := text[i.Begin:i.End]; s[:3] != `"""` || s[len(s)-3:] != `"""` {
			t.Errorf("%s is %q", i.Name, s)
		}
	}
	want := map[string]string{"examples in the module": ">>> 1 + 1\n2",
		"examples in A.f": ">>> A().f()\n... # more\n3"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func FuzzInlineTests(f *testing.F) {
	f.Add("def f():\n  '''>>> 1'''\n")
	f.Add("'\\")
	f.Fuzz(func(t *testing.T, text string) {
		for _, i := range inlineTests("a.py", []byte(text+"\n>>>")) {
			_ = (text + "\n>>>")[i.Begin:i.End]
		}
	})
}
