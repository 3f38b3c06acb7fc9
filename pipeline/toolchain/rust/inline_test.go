package rust

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

const inlineText = `//! A crate.
#![deny(warnings)]
use std::fmt; // "not a string
/// Adds.
///
/// ` + "```" + `
/// assert_eq!(sum::add(1, 2), 3);
/// ` + "```" + `
#[inline]
pub fn add<'a>(a: &'a i64, b: i64) -> i64 { let c = '}'; let s = r#"}"{"#; a + b /* } /* } */ */ }

const X: [u8; 2] = { [1, 2] };
impl S {
    /// ` + "```" + `
    /// f();
    /// ` + "```" + `
    fn f() {}
}
#[cfg(not(test))]
fn main() {}
mod inner {
    #[cfg(test)]
    mod tests { fn helper() {} #[test] fn adds() {} }
}
#[cfg(test)]
#[path = "checks.rs"]
mod other;
mod tests;
#[tokio::test]
async fn alone() {}
#[cfg(all(test, unix))] use x::y;
`

func TestInlineTests(t *testing.T) {
	var got []string
	for _, i := range inlineTests("src/lib.rs", []byte(inlineText)) {
		line := i.Name
		if i.Own {
			line += " (own)"
		}
		for _, inner := range i.Items {
			line += " [" + inner.Name + "]"
		}
		got = append(got, line)
	}
	want := []string{"documentation of fn add", "documentation of impl S::fn f",
		"mod inner::mod tests [fn helper] [fn adds]", "mod other", "mod tests", "fn alone (own)", "use x::y;"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func FuzzInlineTests(f *testing.F) {
	f.Add(inlineText)
	f.Add("#[x]]}{'\"r#\"/*")
	f.Fuzz(func(t *testing.T, text string) {
		for _, i := range inlineTests("a.rs", []byte(text)) {
			if i.Begin < 0 || i.End < i.Begin || i.End > len(text) {
				t.Errorf("%+v", i)
			}
		}
	})
}
