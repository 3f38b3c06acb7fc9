package kit

import "strings"

// ScriptBegin opens a test script that runs programs in turn and exits with the worst
// of their codes. It hides the reports' folder from the tests, as $out, and defines
// worse, which takes the last $code into account.
const ScriptBegin = `out="$WIDESWE_OUT"; unset WIDESWE_OUT; worst=0
worse() { if [ "$code" -gt "$worst" ]; then worst=$code; fi; }`

// Script is the text of such a script, [ScriptBegin] among its lines.
func Script(lines []string) string { return strings.Join(lines, "\n") + "\nexit \"$worst\"" }
