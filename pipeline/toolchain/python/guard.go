package python

import (
	"bytes"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
)

// pythonguard knows pytest's and tox's settings and plugins, what Python loads by itself, and
// modules in the way of those that pytest imports.
func guard(c kit.Change) kit.Guard {
	switch base := c.Name(); {
	case strings.HasSuffix(base, ".pyc"), strings.HasSuffix(base, ".pyo"):
		return kit.Whole // what was compiled is taken before its source
	case base == "pyproject.toml":
		return kit.GuardTOML(c, pythonSettings, pythonSection)
	case base == "setup.cfg":
		return guardSetupCfg(c)
	case base == "setup.py":
		return kit.Guard{Touched: !slices.Equal(pluginWords.FindAllString(string(c.Before), -1),
			pluginWords.FindAllString(string(c.After), -1))}
	case slices.Contains(pytestFiles, base), strings.HasSuffix(base, ".pth"), pythonMetadata.MatchString(c.Path),
		len(c.Before) == 0 && shadows(c.Path):
		return kit.Whole
	}
	return kit.Guard{}
}

var pytestFiles = []string{"conftest.py", "pytest.ini", ".pytest.ini", "pytest.toml", ".pytest.toml", "tox.ini",
	"noxfile.py", ".coveragerc",
	"sitecustomize.py", "usercustomize.py"}

// pythonMetadata is what an installed package says of itself: plugins are found by it
// wherever the module search looks, the repository's root among that.
var pythonMetadata = regexp.MustCompile(`(?i)(^|/)[^/]+\.(egg|dist)-info(/|$)|\.egg-link$`)

// pluginWords are what a setup.py changes the tests by.
var pluginWords = regexp.MustCompile(`pytest11|sitecustomize|usercustomize|\.pth\b|conftest|_pytest|cmdclass`)

// pythonTools are the tools whose settings decide tests.
var pythonTools = []string{"pytest", "tox", "coverage", "nox"}

func pythonSettings(v map[string]any) any {
	list := []any{v["build-system"], kit.ValueAt(v, "project", "entry-points", "pytest11"), kit.ValueAt(v, "tool",
		"poetry", "plugins", "pytest11")}
	for _, t := range pythonTools {
		list = append(list, kit.ValueAt(v, "tool", t))
	}
	return list
}

func pythonSection(name string) bool {
	for _, t := range pythonTools {
		if name == "tool."+t || strings.HasPrefix(name, "tool."+t+".") {
			return true
		}
	}
	return name == "build-system" || strings.HasSuffix(name, ".pytest11")
}

// guardSetupCfg guards the sections of a setup.cfg that runners read, and plugins.
func guardSetupCfg(c kit.Change) kit.Guard {
	section := func(name string) bool {
		return slices.Contains([]string{"pytest", "tool:pytest", "aliases", "options.entry_points", "test"}, name) ||
			strings.HasPrefix(name, "coverage:") || strings.HasPrefix(name, "tox") || strings.HasPrefix(name, "testenv")
	}
	rest, after := kit.SplitTOML(c.After, section)
	_, before := kit.SplitTOML(c.Before, section)
	plugins := func(b []byte) bool { return bytes.Contains(b, []byte("pytest")) }
	if bytes.Equal(bytes.TrimSpace(before), bytes.TrimSpace(after)) || !runnerSections(before, after) &&
		!plugins(before) && !plugins(after) {
		return kit.Guard{}
	}
	if c.After == nil {
		return kit.Whole
	}
	return kit.Guard{Touched: true, Restored: append(append(rest, '\n'), before...)}
}

// runnerSections says whether the texts differ in a section other than entry points,
// which honest patches add commands to.
func runnerSections(before, after []byte) bool {
	points := func(name string) bool { return name == "options.entry_points" }
	a, _ := kit.SplitTOML(before, points)
	b, _ := kit.SplitTOML(after, points)
	return !bytes.Equal(bytes.TrimSpace(a), bytes.TrimSpace(b))
}

// testFolder is a folder of tests, which pytest puts in front of the module search.
var testFolder = regexp.MustCompile(`^(.*/)?(tests?|testing)/(.*/)?`)

// shadows says whether a new file at a repository's root, which Python's module
// search sees first where pytest is started there, or in a folder of tests stands in
// the way of a module that the runner itself imports.
func shadows(file string) bool {
	if in := testFolder.FindString(file); in != "" {
		return atRoot(file[len(in):]) || atRoot(path.Base(path.Dir(file))+"/"+path.Base(file))
	}
	return atRoot(file)
}

// atRoot is shadows for a folder of the module search.
func atRoot(file string) bool {
	first, rest, folder := strings.Cut(file, "/")
	last := first
	if folder {
		last = rest
	}
	stem, kind, _ := strings.Cut(last, ".") // name.cpython-313-x86_64-linux-gnu.so
	if ext := path.Ext("." + kind); ext != ".py" && ext != ".pyc" && ext != ".so" || folder && stem != "__init__" {
		return false
	}
	if !folder {
		first = stem
	}
	return slices.Contains(runnerModules, first) || strings.HasPrefix(first, "pytest_")
}

// runnerModules are pytest, what it is made of, the plugins that the runner looks for or
// that load themselves, and the standard library: pytest imports much of it late, when
// it reads its settings, writes its report or meets a failure.
var runnerModules = strings.Fields(`pytest _pytest py pluggy iniconfig packaging pygments exceptiongroup tomli typing_extensions attr attrs colorama
	xdist execnet coverage hypothesis _hypothesis_pytestplugin anyio nose nose2 unittest2 mock parameterized freezegun
	assertpy hamcrest sure testfixtures
	__future__ _aix_support _android_support _apple_support _ast_unparse _collections_abc _colorize _compat_pickle
	_compression _ios_support
	_markupbase _osx_support _opcode_metadata _py_abc _py_warnings _pydatetime _pydecimal _pyio _pylong _pyrepl
	_sitebuiltins _strptime
	_threading_local _weakrefset abc annotationlib antigravity argparse array ast asynchat asyncio asyncore atexit audioop
	base64 bdb
	binascii bisect builtins bz2 calendar cgi cgitb chunk cmath cmd code codecs codeop collections colorsys compileall
	compression
	concurrent configparser contextlib contextvars copy copyreg cProfile crypt csv ctypes curses dataclasses datetime dbm
	decimal
	difflib dis distutils doctest email encodings ensurepip enum errno faulthandler fcntl filecmp fileinput fnmatch
	fractions ftplib
	functools gc genericpath getopt getpass gettext glob graphlib grp gzip hashlib heapq hmac html http imaplib imghdr imp
	importlib
	inspect io ipaddress itertools json keyword linecache locale logging lzma mailbox mailcap marshal math mimetypes mmap
	modulefinder multiprocessing netrc nntplib ntpath nturl2path numbers opcode operator optparse os pathlib pdb pickle
	pickletools
	pipes pkgutil platform plistlib poplib posix posixpath pprint profile pstats pty pwd py_compile pyclbr pydoc pydoc_data
	pyexpat
	queue quopri random re readline reprlib resource rlcompleter runpy sched secrets select selectors shelve shlex shutil
	signal site
	smtplib sndhdr socket socketserver spwd sqlite3 sre_compile sre_constants sre_parse ssl stat statistics string
	stringprep struct
	subprocess sunau symtable sys sysconfig syslog tabnanny tarfile telnetlib tempfile termios textwrap this threading time
	timeit
	token tokenize tomllib trace traceback tracemalloc tty types typing unicodedata unittest urllib uu uuid venv warnings
	wave weakref
	webbrowser xdrlib xml xmlrpc zipapp zipfile zipimport zlib zoneinfo`)
