package node

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestInlineTests(t *testing.T) {
	block := "if (import.meta.vitest) {\n  const { it } = import.meta.vitest // }\n  it('a }', () => { x(`}`) })\n}"
	text := "export const a = 1\n" + block + "\nexport const b = 2\n" + "if (import.meta.vitest != null) { b() }\n"
	var got []string
	for _, i := range inlineTests("a.ts", []byte(text)) {
		got = append(got, i.Name, text[i.Begin:i.End])
	}
	want := []string{"in-source tests", block, "in-source tests'", "if (import.meta.vitest != null) { b() }"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if list := inlineTests("a.ts", []byte("if (import.meta.vitest) { '")); len(list) != 1 || list[0].End != 27 {
		t.Errorf("a block without an end: %+v", list)
	}
}
