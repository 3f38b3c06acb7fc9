package python

import (
	_ "embed"
	"strconv"
	"strings"

	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
)

// pytestOrder is a plugin of pytest that shuffles tests within their class, or
// among the functions of a module, and these groups among each other: what a class
// sets up is set up once still.
const pytestOrder = `import random
import pytest


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items):
    groups = {}
    for item in items:
        groups.setdefault(item.nodeid.rpartition("::")[0].partition("[")[0], []).append(item)
    chance = random.Random(SEED)

    def shuffled(things):
        things = list(things)
        first = list(things)
        for _ in range(20):
            chance.shuffle(things)
            if things != first or len(things) < 2:
                break
        return things

    items[:] = [item for group in shuffled(groups.values()) for item in shuffled(group)]
`

//go:embed listen.py
var pytestListen string

// pytestPlugins lay our plugins outside the trees; the words go in front of and behind
// the pytest command. Their path is taken out again before a test sees it.
func pytestPlugins(seed int64) (setup []string, before, after string) {
	write := func(name, text string) string {
		lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
		return `printf '%s\n' ` + kit.QuoteAll(lines) + ` >"$WIDESWE_TMP/pytest/` + name + `.py"`
	}
	setup = []string{`mkdir -p "$WIDESWE_TMP/pytest"`, write("wideswe_listen", pytestListen)}
	after = " -p wideswe_listen"
	if seed != 0 {
		setup = append(setup, write("wideswe_order", strings.Replace(pytestOrder, "SEED", strconv.FormatInt(seed, 10), 1)))
		after += " -p wideswe_order"
	}
	return setup, `PYTHONPATH="$WIDESWE_TMP/pytest${PYTHONPATH:+:$PYTHONPATH}" WIDESWE_LINES="$out/$name.lines" ` +
		`WIDESWE_ONLY="$only" `, after
}
