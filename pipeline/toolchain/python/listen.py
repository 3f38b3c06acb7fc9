# A plugin of pytest: names each test that was collected, and each as it begins, passes
# and ends, in a file that a pytest that dies leaves behind. Runs the tests of WIDESWE_ONLY
# alone, where that names a file of node ids.
import json
import os

rest = os.environ.pop("PYTHONPATH", "").partition(os.pathsep)[2]
if rest:
    os.environ["PYTHONPATH"] = rest
path, only, owner = os.environ.pop("WIDESWE_LINES", ""), os.environ.pop("WIDESWE_ONLY", ""), os.getpid()
wanted = None
if only:
    with open(only, encoding="utf-8") as f:
        wanted = set(f.read().splitlines())
import pytest

# Options of plugins that are off, by which a repository may ask for another order.
CACHE = ("--lf", "--last-failed", "--ff", "--failed-first", "--nf", "--new-first", "--cache-clear",
         "--sw", "--stepwise", "--sw-skip", "--stepwise-skip", "--sw-reset", "--stepwise-reset")


def writer(getpid=os.getpid, write=os.write, stat=os.fstat, dumps=json.dumps):
    """The functions are bound here: tests replace those of modules, and close what is open."""
    if not path:
        return lambda word, node="": None
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    inode = stat(fd).st_ino

    def say(word, node=""):
        try:
            if getpid() == owner and stat(fd).st_ino == inode:
                write(fd, (dumps([word, node]) + "\n").encode())
        except OSError:
            pass

    return say


say = writer()


def pytest_addoption(parser, pluginmanager):
    if not pluginmanager.is_blocked("cacheprovider"):
        return
    group = parser.getgroup("wideswe")
    for name in CACHE:
        group.addoption(name, action="store_true", dest="wideswe_unused", help="not heeded")
    for name in ("--lfnf", "--last-failed-no-failures", "--cache-show"):
        group.addoption(name, action="append", nargs="?", dest="wideswe_unused_value", help="not heeded")


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config):
    config.option.stepwise = False  # pytest 7 keeps it beside the plugin that is off


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items):
    if wanted is not None:
        items[:] = [item for item in items if item.nodeid in wanted or item.nodeid.partition("::")[0] not in files()]


def files():
    return {node.partition("::")[0] for node in wanted}


def pytest_collection_finish(session):
    for item in session.items:
        say("item", item.nodeid)
    say("collected")


def pytest_runtest_logstart(nodeid, location):
    say("begin", nodeid)


def pytest_runtest_logreport(report):
    if report.when == "call" and report.passed:
        say("passed", report.nodeid)


def pytest_runtest_logfinish(nodeid, location):
    say("done", nodeid)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session, exitstatus):
    say("end")
