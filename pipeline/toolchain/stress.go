package toolchain

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// Shuffler is a toolchain that runs tests in another order where a job has a
// Shuffle.
type Shuffler interface {
	// Shuffles says what it shuffles.
	Shuffles() string
}

// Clocked is a toolchain whose tests read the time through the C library, which
// a preloaded library can shift. Go's do not: they ask the kernel.
type Clocked interface {
	// Clock is a command that prints the seconds of the Unix time as tests read it.
	Clock() string
}

// CanShuffle says why a recipe's tests can't run in another order; "" they can.
func CanShuffle(tc Toolchain, ownTest bool) (why string) {
	if _, ok := tc.(Shuffler); !ok {
		return "no way is known to run the tests of the toolchain " + tc.Name() + " in another order"
	}
	if ownTest {
		return "the recipe's own test command sets the order"
	}
	return ""
}

// Clock gives the command that reads the tests' clock, or why it can't be shifted.
func Clock(tc Toolchain) (command, why string) {
	c, ok := tc.(Clocked)
	if !ok {
		return "", "no way is known to shift the clock that programs of the toolchain " + tc.Name() + " read"
	}
	return c.Clock(), ""
}

// Shuffles implements [Shuffler].
func (Go) Shuffles() string { return "the tests of a package" }

// Shuffles implements [Shuffler].
func (Python) Shuffles() string { return "the files, their classes and the tests in them" }

// Shuffles implements [Shuffler]: a script's own tests can't be told what to do.
func (Shell) Shuffles() string { return "the scripts" }

// Clock implements [Clocked].
func (Python) Clock() string { return "python -c 'import time; print(int(time.time()))'" }

// Clock implements [Clocked].
func (Node) Clock() string { return "node -e 'console.log(Math.floor(Date.now() / 1000))'" }

// Clock implements [Clocked].
func (Rust) Clock() string { return "date +%s" }

// Clock implements [Clocked].
func (Java) Clock() string { return "date +%s" }

// Clock implements [Clocked].
func (Shell) Clock() string { return "date +%s" }

// shuffledFiles are files in a job's order: another one than given, wherever there
// are two.
func shuffledFiles(files []string, seed int64) []string {
	if seed == 0 || len(files) < 2 {
		return files
	}
	out := slices.Clone(files)
	r := rand.New(rand.NewPCG(uint64(seed), 0))
	for try := 0; try < 20 && slices.Equal(out, files); try++ {
		r.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	}
	return out
}

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
		`printf '%s\n' ` + quoteAll(lines) + ` >"$WIDESWE_TMP/order/wideswe_order.py"`,
	}, `PYTHONPATH="$WIDESWE_TMP/order${PYTHONPATH:+:$PYTHONPATH}" `, " -p wideswe_order"
}
