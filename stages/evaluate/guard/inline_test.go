package guard

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestInlineBack puts nothing back but the tests of a file: to base's, or to gold's where
// the prediction has a test that gold adds.
func TestInlineBack(t *testing.T) {
	const base = "-- base/src/lib.rs --\nfn a() { 1 }\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn x() { base }\n}\n"
	const gold = "-- gold/src/lib.rs --\nfn a() { 2 }\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn x() { base }\n    " +
		"#[test]\n    fn y() { gold }\n}\n"
	for text, want := range map[string]string{
		"fn a() { 3 }\n#[cfg(test)]\n#[path = \"checks.rs\"]\nmod tests;\nfn b() {}\n": "fn a() { 3 }\n#[cfg(test)]\nmod " +
			"tests {\n    #[test]\n    fn x() { base }\n}\nfn b() {}\n",
		"fn a() { 3 }\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn y() {}\n}\n": "fn a() { 3 }\n#[cfg(test)]\nmod tests " +
			"{\n    #[test]\n    fn x() { base }\n    #[test]\n    fn y() { gold }\n}\n",
	} {
		_, list := inspect(t, base+gold+"-- tree/src/lib.rs --\n"+text)
		if d := cmp.Diff(want, string(list[0].Restored)); d != "" || list[0].Decision != PartBack {
			t.Error(list[0].Decision, d)
		}
	}
}
