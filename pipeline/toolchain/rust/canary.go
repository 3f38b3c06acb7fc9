package rust

import (
	"crypto/sha256"
	"encoding/hex"
	"path"
	"slices"
	"strings"

	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
	"github.com/wideswe/wideswe/schema"
)

// rustCanary is one test program's canary: tests that stand at the end of its root
// file while it is compiled, and nowhere else. A wrapper of the compiler lays a copy
// of the root beside it, with the tests, has that compiled under the root's own name,
// and takes it away. They are in the one process whose report is in question, and
// their names come before all others where libtest runs by name.
type rustCanary struct {
	kit.Canary
	names []string
	setup string // shell lines
	place string // of the wrapper, as a shell word
}

// rustWrapper stands between cargo and the compiler. $1 is the compiler; what it is
// told otherwise is passed on. The copy is called by a random name, which neither the
// program nor what cargo keeps of the root's dependencies may learn: a program would
// be compiled anew before each run.
const rustWrapper = `#!/bin/sh
root=ROOT; copy=; test=; out=; modern=; from=
for arg; do case $arg in
  --test) test=1;; --edition=2015) modern=;; --edition=*) modern=1;;
  *.rs) if [ "$(readlink -f "$arg")" = "$(readlink -f "$root")" ]; then from=$arg; fi;;
esac; done
if [ -z "$test" ] || [ -z "$from" ]; then exec "$@"; fi
copy=$(dirname "$from")/NAME.rs
trap 'rm -f "$copy"' EXIT
trap 'exit 1' INT TERM
{ cat "$from"; echo; if [ "$modern" ]; then cat "$0.new"; else cat "$0.old"; fi; } >"$copy" || exit 1
for arg; do
  shift
  case $arg in --out-dir=*) out=${arg#--out-dir=};; esac
  if [ "$last" = --out-dir ]; then out=$arg; fi
  last=$arg
  if [ "$arg" = "$from" ]; then set -- "$@" "$copy"; else set -- "$@" "$arg"; fi
done
"$@" --remap-path-prefix="$copy=$from"; code=$?
if [ -n "$out" ]; then for dep in "$out"/*.d; do if grep -q NAME "$dep"; then sed -i "s|$copy|$from|g" "$dep"; fi; done; fi
exit "$code"
`

// newRustCanary makes the canary of a test program; ok is false where there can be
// none: doc tests are programs of their own, and a runner other than libtest takes
// no tests from us.
func newRustCanary(j kit.Job, r rustRun, root, report string) (c rustCanary, ok bool) {
	if j.Canary == "" || !r.harness || r.kind == "doc" || root == "" || !kit.SafeDir.MatchString(root) ||
		j.Recipe.Env[kit.CanaryOff] == "off" || j.Recipe.Test != "" {
		return rustCanary{}, false
	}
	seed := sha256.Sum256([]byte(j.Canary + "\x00" + report))
	secret := hex.EncodeToString(seed[:])
	c = rustCanary{Canary: kit.Canary{File: report + ".unit", Want: map[string]schema.TestOutcome{}},
		place: kit.Under("WIDESWE_TMP", "canary/"+report)}
	for _, ext := range rustFiles {
		c.With = append(c.With, report+ext)
	}
	pass := int(seed[30]) % kit.CanarySize
	skip := (pass + 1 + int(seed[31])%(kit.CanarySize-1)) % kit.CanarySize
	var modern, old []string
	for i := range kit.CanarySize {
		name, want, attribute := "a00"+secret[4*i:4*i+12], schema.Pass, ""
		if i != pass && (i == skip || seed[29]&(1<<i) != 0) {
			want, attribute = schema.Skip, " #[ignore]"
		}
		c.Want[name] = want
		c.names = append(c.names, name)
		// By its path, since the root may call another attribute test.
		modern = append(modern, "#[::core::prelude::v1::test]"+attribute+" fn "+name+"() {}")
		old = append(old, "#[test]"+attribute+" fn "+name+"() {}")
	}
	wrapper := strings.NewReplacer("ROOT", kit.Under("WIDESWE_REPO", root), "NAME", "wideswe_"+
		secret[:12]).Replace(rustWrapper)
	c.setup = strings.Join([]string{
		`mkdir -p "$WIDESWE_TMP"/canary`,
		"printf '%s\\n' " + kit.QuoteAll(modern) + " >" + c.place + ".new",
		"printf '%s\\n' " + kit.QuoteAll(old) + " >" + c.place + ".old",
		"printf '%s' " + kit.Quote(wrapper) + " >" + c.place + "; chmod +x " + c.place,
	}, "\n")
	return c, true
}

// filtered adds the canary's tests to what libtest is told to run; where it is told
// nothing, it runs them anyhow.
func (c rustCanary) filtered(filter []string) []string {
	for i, word := range filter {
		if word != "--exact" && word != "--skip" && (i == 0 || filter[i-1] != "--skip") {
			return slices.Concat(c.names, filter)
		}
	}
	return filter
}

// rootOf is the first file of a run's program.
func (r rustTree) rootOf(u kit.Unit) string {
	c := r.crateOf(path.Join(u.Dir, "Cargo.toml"))
	if c == nil {
		return ""
	}
	t, _ := c.target(u.Target)
	return t.root
}
