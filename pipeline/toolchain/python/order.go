package python

import (
	"strconv"
	"strings"

	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
)

// pytestOrder is a plugin of pytest that shuffles tests within their class, or
// among the functions of a module, and these groups among each other: what a class
// sets up is set up once still. Its path is taken out again before a test sees it.
const pytestOrder = `import os, random
rest = os.environ.pop("PYTHONPATH", "").partition(os.pathsep)[2]
if rest:
    os.environ["PYTHONPATH"] = rest
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

// pytestShuffle lays the plugin outside the trees; the words go in front of and
// behind the pytest command.
func pytestShuffle(seed int64) (setup []string, before, after string) {
	if seed == 0 {
		return nil, "", ""
	}
	lines := strings.Split(strings.Replace(strings.TrimSuffix(pytestOrder, "\n"), "SEED", strconv.FormatInt(seed, 10), 1), "\n")
	return []string{
		`mkdir -p "$WIDESWE_TMP/order"`,
		`printf '%s\n' ` + kit.QuoteAll(lines) + ` >"$WIDESWE_TMP/order/wideswe_order.py"`,
	}, `PYTHONPATH="$WIDESWE_TMP/order${PYTHONPATH:+:$PYTHONPATH}" `, " -p wideswe_order"
}
