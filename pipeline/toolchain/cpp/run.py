"""Builds and runs the tests that hidden files belong to, with CMake, Meson or make.

    configure ARGS   fetches what the build fetches (network on)
    build ARGS       builds the tests' targets, one by one
    test ARGS OUT    runs them; OUT gets one JSON record a line

ARGS is a JSON object: kind (cmake, meson, autotools, make), dir (of the project, from the
repository's root), key (of what is fetched), args (more of configure's), define (variable ->
sibling's folder), prefix (siblings to install), lay (folder, sibling: empty folders to fill),
files (test sources, from dir), beside (headers and fixtures), skip, only (unit -> names), target, timeout. Siblings are named
from the workspace. Which target a file belongs to is asked of the build tool.
"""
import glob
import json
import os
import re
import shutil
import subprocess
import sys

SOURCES = ('.c', '.cc', '.cpp', '.cxx', '.c++', '.C', '.m', '.mm', '.cu')
KEEP = 8000  # of a log, its end


def run(cmd, cwd=None, env=None, timeout=None):
    """Runs a command; gives its code and its output."""
    print('+', ' '.join(cmd), flush=True)
    full = dict(os.environ, **(env or {}))
    try:
        p = subprocess.run(cmd, cwd=cwd, env=full, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT, timeout=timeout)
        code, out = p.returncode, p.stdout
    except subprocess.TimeoutExpired as e:
        code, out = 124, (e.stdout or b'') + b'\nended after %d s\n' % timeout
    except OSError as e:
        code, out = 127, str(e).encode()
    text = out.decode('utf-8', 'replace')
    print(text, flush=True)
    return code, text


def ask(cmd, cwd=None):
    """The standard output of a command, as JSON; None where there is none."""
    p = subprocess.run(cmd, cwd=cwd, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    try:
        return json.loads(p.stdout.decode('utf-8', 'replace'))
    except ValueError:
        return None


def within(path, root):
    """path relative to root, None where it lies elsewhere."""
    rel = os.path.relpath(os.path.realpath(path), os.path.realpath(root))
    return None if rel == '..' or rel.startswith('../') else rel


class Build:
    """One build folder. Programs are {name, path, sources, deps}."""

    def __init__(self, args):
        self.__dict__.update(args)
        repo, tmp = os.environ['WIDESWE_REPO'], os.path.join(os.environ['WIDESWE_TMP'], 'cpp')
        cache = os.environ.get('WIDESWE_CACHE') or os.path.expanduser('~/.cache/wideswe')
        self.source = os.path.normpath(os.path.join(repo, self.dir))
        self.build, self.state = os.path.join(tmp, 'build'), os.path.join(tmp, 'state.json')
        self.fetch = os.path.join(cache, 'fetch', self.key)
        kept = sorted(glob.glob(os.path.join(cache, 'fetch', '*')), key=os.path.getmtime)
        if sys.argv[1] != 'configure' and not os.path.isdir(self.fetch) and kept:
            self.fetch = kept[-1]  # the tests brought a manifest of their own
        place = lambda sibling: os.path.join(os.environ['WIDESWE_WORKSPACE'], sibling)
        self.args += ['-D%s=%s' % (k, place(v)) for k, v in sorted(self.define.items())]
        self.prefix = [place(s) for s in self.prefix]
        self.lay = [(os.path.join(repo, f), place(s)) for f, s in self.lay]
        os.makedirs(tmp, exist_ok=True)
        os.environ.setdefault('CCACHE_DIR', os.path.join(cache, 'ccache'))

    def fill(self):
        """Lays siblings into the empty folders that submodules leave."""
        for folder, tree in self.lay:
            if os.path.isdir(folder) and os.listdir(folder):
                continue
            shutil.copytree(tree, folder, symlinks=True, dirs_exist_ok=True, ignore=shutil.ignore_patterns('.git'))

    def select(self, programs, tested):
        """The programs that the files belong to, and the sources that belong to none.

        A source that another one includes belongs to the other's program. A header or a
        fixture belongs to the programs of the nearest folder, unless one is chosen there.
        """
        if not self.files and not self.beside:
            return [p['name'] for p in programs if p['path']], []
        libs = {p['name']: p for p in programs if not p['path']}

        def sources(p, seen):
            own = set(p['sources'])
            for d in p['deps']:
                if d in libs and d not in seen:
                    seen.add(d)
                    if self.is_part(libs[d]):
                        own |= sources(libs[d], seen)
            return own
        every = {p['name']: sources(p, set()) for p in programs if p['path']}
        picked, lost = set(), []
        for f in self.files:
            mine = [n for n, s in every.items() if f in s] or self.including(f, every)
            # A program that no test runs is none that shows anything.
            picked.update([n for n in mine if n in tested] or mine)
            if not mine:
                lost.append(f)
        for f in self.beside:
            folder = os.path.dirname(f)
            while True:
                here = [n for n in tested if any(s.startswith(folder + '/' if folder else '') for s in every.get(n, ()))]
                if here or not folder:
                    break
                folder = os.path.dirname(folder)
            if not picked & set(here):
                picked.update(here)
        return sorted(picked), lost

    def is_part(self, lib):
        """A library that holds hidden files is the tests' own."""
        return any(f in lib['sources'] for f in self.files)

    def including(self, file, every):
        word = re.compile(r'#\s*include\s*[<"](?:[^">\n]*/)?' + re.escape(os.path.basename(file)) + '[">]')
        folder = os.path.dirname(file)
        near = {s for all in every.values() for s in all if s and (folder + '/').startswith(os.path.dirname(s) + '/' if os.path.dirname(s) else '')}
        near = {s for s in near if word.search(self.read(s))}
        return [n for n, s in every.items() if s & near]

    def read(self, name):
        try:
            with open(os.path.join(self.source, name), 'rb') as f:
                return f.read(1 << 22).decode('utf-8', 'replace')
        except OSError:
            return ''


class CMake(Build):
    def configure(self, offline):
        self.fill()
        prefix = os.path.join(os.path.dirname(self.build), 'prefix')
        for n, tree in enumerate(self.prefix):
            at = os.path.join(os.path.dirname(self.build), 'sibling%d' % n)
            code, log = run(['cmake', '-S', tree, '-B', at, *self.common(), '-DBUILD_TESTING=OFF', '-DCMAKE_INSTALL_PREFIX=' + prefix,
                             '-DCMAKE_PREFIX_PATH=' + prefix, *self.fetching(offline)])
            for step in (['--build', at], ['--install', at]):
                if code == 0:
                    code, log = run(['cmake', *step])
            if code:
                return code, log
        query = os.path.join(self.build, '.cmake/api/v1/query')
        os.makedirs(query, exist_ok=True)
        open(os.path.join(query, 'codemodel-v2'), 'w').close()
        more = ['-DCMAKE_PREFIX_PATH=' + prefix] if self.prefix else []
        return run(['cmake', '-S', self.source, '-B', self.build, *self.common(), *more, *self.args, *self.fetching(offline)])

    def common(self):
        launch = os.path.join(os.path.dirname(self.build), 'launch')
        os.makedirs(os.path.dirname(launch), exist_ok=True)
        with open(launch, 'w') as f:  # warnings are other ones in each compiler
            f.write('#!/bin/sh\nif command -v ccache >/dev/null; then exec ccache "$@" -Wno-error; fi\nexec "$@" -Wno-error\n')
        os.chmod(launch, 0o755)
        ninja = ['-G', 'Ninja'] if shutil.which('ninja') else []
        return [*ninja, '-DCMAKE_C_COMPILER_LAUNCHER=' + launch, '-DCMAKE_CXX_COMPILER_LAUNCHER=' + launch,
                '-DCMAKE_BUILD_TYPE=Debug', '-DCMAKE_C_FLAGS_DEBUG=-g1', '-DCMAKE_CXX_FLAGS_DEBUG=-g1', '-DCMAKE_COLOR_DIAGNOSTICS=OFF']

    def fetching(self, offline):
        return ['-DFETCHCONTENT_BASE_DIR=' + self.fetch, '-DFETCHCONTENT_FULLY_DISCONNECTED=' + ('ON' if offline else 'OFF')]

    def programs(self):
        reply = os.path.join(self.build, '.cmake/api/v1/reply')
        out, names = [], {}
        for file in sorted(glob.glob(os.path.join(reply, 'target-*.json'))):
            with open(file) as f:
                t = json.load(f)
            names[t['id']] = t['name']
            at = [a['path'] for a in t.get('artifacts', [])] if t['type'] == 'EXECUTABLE' else []
            out.append({'name': t['name'], 'path': at[0] if at else '', 'deps': [d['id'] for d in t.get('dependencies', [])],
                        'sources': [within(os.path.join(self.source, s['path']), self.source) or '' for s in t.get('sources', [])],
                        'kind': t['type']})
        for p in out:
            p['deps'] = [names[d] for d in p['deps'] if d in names]
        return [p for p in out if p['kind'] != 'UTILITY']

    def tests(self):
        """The tests of ctest: {n, name, words, dir, env, plain}."""
        model = ask(['ctest', '--show-only=json-v1'], self.build) or {}
        out = []
        for n, t in enumerate(model.get('tests', []), 1):
            props = {p['name']: p['value'] for p in t.get('properties', [])}
            out.append({'n': n, 'name': t['name'], 'words': t.get('command', []), 'dir': props.get('WORKING_DIRECTORY', self.build),
                        'env': dict(e.split('=', 1) for e in props.get('ENVIRONMENT', []) if '=' in e),
                        'plain': not set(props) & {'WILL_FAIL', 'PASS_REGULAR_EXPRESSION', 'FAIL_REGULAR_EXPRESSION', 'FIXTURES_REQUIRED',
                                                   'DISABLED', 'DEPENDS', 'SKIP_REGULAR_EXPRESSION', 'ENVIRONMENT_MODIFICATION'}})
        return out

    def compile(self, target):
        keep = ['--', '-k', '0'] if shutil.which('ninja') else ['--', '-k']
        return run(['cmake', '--build', self.build, '--parallel', str(os.cpu_count() or 1), *(['--target', target] if target else []), *keep])

    def program_of(self, test, programs):
        paths = {os.path.realpath(os.path.join(self.build, p['path'])): p for p in programs if p['path']}
        for word in test['words']:
            at = os.path.realpath(os.path.join(test['dir'], word)) if '/' in word else None
            if at in paths:
                return paths[at]
        for p in paths.values():  # one that was not built has no path in its test
            if not test['words'] and test['name'] in (p['name'], p['name'] + '_NOT_BUILT'):
                return p
        return None

    def run_group(self, unit, group, out, env):
        """Runs tests of one program by ctest, which leaves its JUnit XML."""
        xml = out + '.xml'
        if os.path.exists(xml):
            os.remove(xml)
        which = ','.join(str(t['n']) for t in group)
        code, log = run(['ctest', '--output-junit', xml, '-I', '0,0,0,' + which, '--timeout', str(self.timeout), '--output-on-failure',
                         '--no-tests=error', '--test-output-size-passed', '100000', '--test-output-size-failed', '100000'],
                        self.build, dict(env, CTEST_PARALLEL_LEVEL='1'))
        return code, log, {'xml': slurp(xml)}


class Meson(Build):
    def configure(self, offline):
        self.fill()
        offline = ['--wrap-mode=nodownload'] if offline else []
        return run(['meson', 'setup', self.build, self.source, *offline, '--buildtype=debug', '-Dwerror=false', *self.args])

    def programs(self):
        out = []
        for t in ask(['meson', 'introspect', '--targets', self.build]) or []:
            files = [s for g in t.get('target_sources', []) for s in g.get('sources', [])]
            path = within(t['filename'][0], self.build) if t['type'] == 'executable' else ''
            out.append({'name': t['name'], 'path': path or '', 'deps': [d.split('@')[0] for d in t.get('depends', [])],
                        'sources': [within(s, self.source) or '' for s in files]})
        return out

    def tests(self):
        return [{'n': n, 'name': t['name'], 'suite': t['suite'], 'words': t['cmd'], 'dir': t['workdir'] or self.build, 'env': t['env'], 'protocol': t['protocol'],
                 'plain': t['protocol'] == 'exitcode' and not t.get('should_fail')}
                for n, t in enumerate(ask(['meson', 'introspect', '--tests', self.build]) or [], 1)]

    def compile(self, target):
        return run(['ninja', '-C', self.build, '-k', '0', *([target] if target else [])])

    program_of = CMake.program_of

    def run_group(self, unit, group, out, env):
        """Runs tests of one program by meson. Its own log says how each ended; its JUnit XML
        knows no test that ran out of time, nor one that passed and should have failed."""
        logs = os.path.join(self.build, 'meson-logs/testlog.json')
        if os.path.exists(logs):
            os.remove(logs)
        names = sorted({(t['suite'][0].split(':')[0] + ':' if t['suite'] else '') + t['name'] for t in group})
        code, log = run(['meson', 'test', '-C', self.build, '--no-rebuild', '--print-errorlogs', '--num-processes', '1', *names], None, env)
        ended = []
        for line in slurp(logs).splitlines():
            try:
                e = json.loads(line)
            except ValueError:
                continue  # cut
            mine = [t for t in group if e['name'] == t['name'] or e['name'].endswith(' / ' + t['name'])]
            if mine:
                t = max(mine, key=lambda t: len(t['name']))
                ended.append({'name': t['name'], 'suite': t['suite'][0] if t['suite'] else '', 'result': e['result'], 'protocol': t['protocol'],
                              'out': e.get('stdout', '')[-(1 << 20):], 'err': e.get('stderr', '')[-KEEP:]})
        return code, log, {'tests': ended}


def slurp(file):
    try:
        with open(file, 'rb') as f:
            return f.read(64 << 20).decode('utf-8', 'replace')
    except OSError:
        return ''


MARKS = ((b'gtest_output', 'gtest'), (b'DOCTEST_CONFIG_', 'doctest'), (b'dt-reporters', 'doctest'), (b'Catch2 v', 'catch2'), (b'Catch v', 'catch2'))


def framework(path):
    """Which framework a program is linked with, by its text."""
    try:
        with open(path, 'rb') as f:
            data = f.read(512 << 20)
    except OSError:
        return ''
    if b'libgtest.so' in data:
        return 'gtest'
    for mark, name in MARKS:
        if mark in data:
            return name
    return 'catch2' if b'libCatch2.so' in data else ''


def filters(kind, only, skip):
    """Arguments and environment that choose single tests."""
    if kind == 'gtest':
        text = ':'.join(only) + ('-' + ':'.join(skip) if skip else '')
        return [], ({'GTEST_FILTER': text} if text else {})
    # A section's name goes on after its case's, and what is chosen is a case.
    parts = sorted({s[:i] for s in only or skip for i in [len(s), *(m.start() for m in re.finditer('/', s))]})
    esc = [re.sub(r'([\\,\[\]*"~])', r'\\\1', s) for s in parts if s]
    if not esc:
        return [], {}
    if kind == 'doctest':
        return [('-tc=' if only else '-tce=') + ','.join(esc)], {}
    return ([','.join('"%s"' % e for e in esc)] if only else [''.join('~"%s"' % e for e in esc)]), {}


def write(out, **record):
    with open(out, 'a') as f:
        f.write(json.dumps(record) + '\n')


def build(b):
    """Builds what the files need, and keeps what came of it."""
    state = {'failed': {}, 'units': [], 'lost': [], 'configure': None}
    code, log = b.configure(True)
    if code:
        state['configure'] = log[-KEEP:]
    else:
        programs, tests = b.programs(), b.tests()
        tested = {p['name'] for t in tests for p in [b.program_of(t, programs)] if p}
        # Discovered tests are known after their program's build alone.
        tested |= {t['name'][:-len('_NOT_BUILT')] for t in tests if t['name'].endswith('_NOT_BUILT')}
        state['units'], state['lost'] = b.select(programs, tested or {p['name'] for p in programs if p['path']})
        by = {p['name']: p for p in programs}
        if not b.files and not b.beside:
            b.compile('')
        for name in state['units']:
            if by[name]['path']:
                code, log = b.compile(by[name]['path'] if isinstance(b, Meson) else name)
                if code:
                    state['failed'][name] = log[-KEEP:]
    with open(b.state, 'w') as f:
        json.dump(state, f)


def test(b, out):
    with open(b.state) as f:
        state = json.load(f)
    worst = 0
    if state['configure'] is not None:
        write(out, unit='CMakeLists.txt' if isinstance(b, CMake) else 'meson.build', failed=state['configure'])
        return finish(out, 1)
    for f in state['lost'] if not state['units'] else []:
        write(out, unit=f, failed='no target of the build has this file among its sources')
        worst = 1
    programs = b.programs()
    by = {p['name']: p for p in programs}
    groups, other = {}, []
    for t in b.tests():
        p = b.program_of(t, programs)
        if p and p['name'] in state['units']:
            groups.setdefault(p['name'], []).append(t)
        elif not p and (not b.files + b.beside or any(w.endswith('/' + f) for f in b.files + b.beside for w in t['words'])):
            other.append(t)
    for name in state['units']:
        if not by[name]['path']:
            continue
        unit = by[name]['path']
        if name in state['failed']:
            write(out, unit=unit, failed=state['failed'][name])
            worst = 1
        elif name in groups:
            worst = max(worst, unit_tests(b, unit, groups[name], out))
    if other:
        worst = max(worst, unit_tests(b, '', other, out))
    if not groups and not other and not worst:
        write(out, unit='.', none='the build tool knows no test of these files')
    return finish(out, worst)


def finish(out, code):
    write(out, end=True)
    return code


def unit_tests(b, unit, tests, out):
    only, skip = b.only.get(unit, []), b.skip.get(unit, [])
    if b.only and not only:
        return 0
    kind = framework(os.path.join(b.build, unit)) if unit and len(tests) == 1 else ''
    if not kind:
        tests = [t for t in tests if (not only or t['name'] in only) and t['name'] not in skip]
        if not tests:
            return 0
        write(out, unit=unit, running=True)
        code, log, ended = b.run_group(unit, tests, out, {})
        write(out, unit=unit, kind=b.kind, code=code, log=log[-KEEP:], **ended)
        return code
    more, env = filters(kind, only, skip)
    write(out, unit=unit, running=True)
    t = tests[0]
    if kind == 'gtest':
        own = out + '.d'
        shutil.rmtree(own, ignore_errors=True)
        env = dict(env, GTEST_OUTPUT='xml:' + own + '/', GTEST_COLOR='no', GTEST_SHUFFLE='0', GTEST_REPEAT='1')
        outer = ''
        if t.get('protocol') == 'gtest':  # meson would choose the file itself
            code, log = run(t['words'], t['dir'], dict(t['env'], **env), b.timeout)
        else:
            code, log, ended = b.run_group(unit, tests, out, env)
            outer = ended.get('xml', '')
        files = sorted(glob.glob(own + '/*.xml'))
        xml = slurp(files[0]) if len(files) == 1 else ''
        write(out, unit=unit, kind=kind, code=code, xml=xml, outer=outer, log=log[-KEEP:], test=t['name'])
        shutil.rmtree(own, ignore_errors=True)
        return code
    if not t['plain']:
        code, log, ended = b.run_group(unit, tests, out, {})
        write(out, unit=unit, kind=b.kind, code=code, log=log[-KEEP:], **ended)
        return code
    file = out + '.own.xml'
    report = ['-r=junit', '-o=' + file, '-nc'] if kind == 'doctest' else ['-r', 'junit', '-o', file]
    if os.path.exists(file):
        os.remove(file)
    code, log = run([*t['words'], *more, *report], t['dir'], t['env'], b.timeout)
    write(out, unit=unit, kind=kind, code=code, xml=slurp(file), log=log[-KEEP:], test=t['name'])
    return code


class Make(Build):
    """make in a copy of the tree."""

    def prepare(self):
        shutil.rmtree(self.build, ignore_errors=True)
        shutil.copytree(self.source, self.build, symlinks=True, ignore=shutil.ignore_patterns('.git'))
        ccache = '/usr/lib/ccache'
        if os.path.isdir(ccache):
            os.environ['PATH'] = ccache + ':' + os.environ['PATH']
        if self.kind != 'autotools':
            return 0, ''
        steps = [['./configure', *self.args]]
        if not os.path.exists(os.path.join(self.build, 'configure')):
            steps.insert(0, ['autoreconf', '-fi'])
        for step in steps:
            code, log = run(step, self.build)
            if code:
                return code, log
        return 0, ''

    def make(self):
        code, log = self.prepare()
        if code == 0:
            code, log = run(['make', '-k', '-j%d' % (os.cpu_count() or 1)], self.build)
        with open(self.state, 'w') as f:
            json.dump(log[-KEEP:] if code else None, f)

    def test(self, out):
        with open(self.state) as f:
            failed = json.load(f)
        if failed is not None:
            write(out, unit='Makefile', failed=failed)
            return finish(out, 1)
        for old in glob.glob(self.build + '/**/*.trs', recursive=True):
            os.remove(old)
        write(out, unit='make', running=True)
        code, log = run(['make', '-k', self.target], self.build, {'MAKEFLAGS': '', 'VERBOSE': '1'}, self.timeout)
        trs = {}
        for file in sorted(glob.glob(self.build + '/**/*.trs', recursive=True)):
            rel = os.path.relpath(file, self.build)[:-len('.trs')]
            said = slurp(file)[-(1 << 20):]
            many = said.count(':test-result:') > 1  # of which the log has the names
            trs[rel] = [said, slurp(file[:-len('.trs')] + '.log')[-(1 << 20 if many else KEEP):]]
        write(out, unit='make', kind='make', code=code, test=self.target, trs=trs, log=log[-KEEP:])
        return finish(out, 1 if code else 0)


def main():
    args = json.loads(sys.argv[2])
    kind = {'cmake': CMake, 'meson': Meson}.get(args['kind'], Make)
    b = kind(args)
    if sys.argv[1] == 'configure':
        if isinstance(b, Make):
            return 0
        shutil.rmtree(b.build, ignore_errors=True)
        code = b.configure(False)[0]
        shutil.rmtree(b.build, ignore_errors=True)
        return code
    if sys.argv[1] == 'build':
        if isinstance(b, Make):
            return b.make()
        shutil.rmtree(b.build, ignore_errors=True)
        return build(b)
    return b.test(sys.argv[3]) if isinstance(b, Make) else test(b, sys.argv[3])


sys.exit(main())
