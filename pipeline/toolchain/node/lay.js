'use strict'
// What the run needs beside the tree: installed packages are kept outside the trees
// and put in their place before tests. Commands:
//   has STORE REPO SALT                  is what the tree asks for kept already?
//   before REPO FILE                     notes the tree's own node_modules
//   keep STORE REPO SALT FILE NAME...    moves what was installed to the store, without the packages named
//   lay STORE REPO SALT NAME=DIR...      puts it in place, the packages named from their folders
//   bin PACKAGE PROGRAM DIR              prints the script of a package's program
//   mocharc DIR FILE                     writes mocha's options less those that are the run's
//   filter FILE PATTERN                  drops from a jest report what the pattern left out
//   relock FILE REGISTRY                 has a yarn lock file fetch from the registry in use
const fs = require('fs')
const path = require('path')
const crypto = require('crypto')

const NM = 'node_modules'
const LOCKS = ['package-lock.json', 'npm-shrinkwrap.json', 'yarn.lock', 'pnpm-lock.yaml', 'pnpm-workspace.yaml', 'lerna.json', '.npmrc', '.yarnrc', '.yarnrc.yml', '.pnpmfile.cjs']
const FIELDS = ['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies', 'bundleDependencies', 'overrides', 'resolutions', 'workspaces', 'pnpm', 'packageManager']

function lstat (file) {
  try { return fs.lstatSync(file) } catch (e) { return null }
}

function json (file) {
  try { return JSON.parse(fs.readFileSync(file, 'utf8')) } catch (e) { return {} }
}

// walk calls see for each entry below a folder, until it says to stay out.
function walk (root, rel, see) {
  let entries
  try { entries = fs.readdirSync(path.join(root, rel), { withFileTypes: true }) } catch (e) { return }
  entries.sort((a, b) => a.name < b.name ? -1 : 1)
  for (const e of entries) {
    const at = rel ? rel + '/' + e.name : e.name
    if (see(at, e) !== false && e.isDirectory()) walk(root, at, see)
  }
}

function moduleDirs (repo) {
  const dirs = []
  walk(repo, '', (at, e) => {
    if (e.name === '.git') return false
    if (e.name === NM) { dirs.push(at); return false }
  })
  return dirs
}

// asks is what a tree asks for: the parts of manifests and the lock files.
function asks (repo) {
  const parts = {}
  walk(repo, '', (at, e) => {
    if (e.name === '.git' || e.name === NM) return false
    if (!e.isFile()) return
    if (e.name === 'package.json') {
      const m = json(path.join(repo, at))
      const some = {}
      for (const f of FIELDS) if (m && m[f] !== undefined) some[f] = m[f]
      parts[at] = some
    } else if (LOCKS.includes(e.name) || /(^|\/)(\.yarn\/)?patches\//.test(at)) {
      parts[at] = crypto.createHash('sha256').update(fs.readFileSync(path.join(repo, at))).digest('hex')
    }
  })
  return parts
}

function keyOf (parts, salt) {
  return crypto.createHash('sha256').update(JSON.stringify([parts, salt])).digest('hex').slice(0, 24)
}

function declared (parts) {
  const out = new Set()
  for (const at of Object.keys(parts)) {
    for (const f of ['dependencies', 'devDependencies', 'optionalDependencies']) {
      const deps = parts[at][f]
      if (deps && typeof deps === 'object') for (const n of Object.keys(deps)) out.add(at + ' ' + n + '@' + deps[n])
    }
  }
  return out
}

// pick finds the entry made for a tree, else the one that has most of what it asks
// for: a patch may have changed a manifest, and nothing can be fetched any more.
function pick (store, repo, salt) {
  const parts = asks(repo)
  const exact = keyOf(parts, salt)
  if (fs.existsSync(path.join(store, exact, 'meta.json'))) return path.join(store, exact)
  const wants = declared(parts)
  let best = ''
  let most = -1e9
  let names = []
  try { names = fs.readdirSync(store).sort() } catch (e) {}
  for (const name of names) {
    const meta = json(path.join(store, name, 'meta.json'))
    if (!meta.dirs || meta.salt !== salt) continue
    const offers = declared(meta.asks)
    let same = 0
    for (const w of wants) if (offers.has(w)) same += 2
    same -= offers.size - same / 2
    if (same > most || (same === most && meta.turn > json(path.join(best, 'meta.json')).turn)) {
      most = same
      best = path.join(store, name)
    }
  }
  if (best) console.error('wideswe: no packages were kept for just these manifests; the nearest are used')
  return best
}

function move (from, to) {
  fs.mkdirSync(path.dirname(to), { recursive: true })
  try { fs.renameSync(from, to) } catch (e) {
    fs.cpSync(from, to, { recursive: true, verbatimSymlinks: true })
    fs.rmSync(from, { recursive: true, force: true })
  }
}

function keep (store, repo, salt, before, names) {
  // As the tree was before the install, which may have written a lock file into it.
  const parts = JSON.parse(fs.readFileSync(before + '.asks', 'utf8'))
  const entry = path.join(store, keyOf(parts, salt))
  const own = new Set(fs.readFileSync(before, 'utf8').split('\n'))
  const dirs = moduleDirs(repo).filter(d => !own.has(d))
  const links = []
  const wired = []
  const wanted = new Set(names)
  const inside = d => dirs.some(k => d === k || d.startsWith(k + '/'))
  for (const dir of dirs) {
    walk(repo, dir, (at, e) => {
      const full = path.join(repo, at)
      const i = at.lastIndexOf(NM + '/')
      const name = at.slice(i + NM.length + 1)
      if (wanted.has(name)) {
        fs.rmSync(full, { recursive: true, force: true })
        wired.push({ at, name })
        return false
      }
      if (e.name === '.package-lock.json') fs.rmSync(full)
      if (!e.isSymbolicLink()) return
      const to = path.resolve(path.dirname(full), fs.readlinkSync(full))
      const rel = path.relative(repo, to)
      if (rel.startsWith('..') || path.isAbsolute(rel)) return
      if (!inside(rel)) {
        fs.rmSync(full)
        links.push({ at, to: rel })
      } else if (path.isAbsolute(fs.readlinkSync(full))) {
        fs.rmSync(full)
        fs.symlinkSync(path.relative(path.dirname(full), to), full)
      }
    })
  }
  fs.rmSync(entry, { recursive: true, force: true })
  fs.mkdirSync(entry, { recursive: true })
  for (const dir of dirs) move(path.join(repo, dir), path.join(entry, 'tree', dir))
  const extras = []
  for (const file of ['.yarn/install-state.gz', '.pnp.cjs', '.pnp.loader.mjs']) {
    if (!own.has(file) && lstat(path.join(repo, file))) {
      extras.push(file)
      move(path.join(repo, file), path.join(entry, 'tree', file))
    }
  }
  let turn = 0
  for (const name of fs.readdirSync(store)) turn = Math.max(turn, (json(path.join(store, name, 'meta.json')).turn || 0) + 1)
  fs.writeFileSync(path.join(entry, 'meta.json'), JSON.stringify({ asks: parts, salt, dirs, links, wired, extras, turn }))
}

function link (to, at) {
  fs.mkdirSync(path.dirname(at), { recursive: true })
  fs.rmSync(at, { recursive: true, force: true })
  fs.symlinkSync(to, at)
}

function lay (store, repo, salt, pairs) {
  const entry = pick(store, repo, salt)
  if (!entry) {
    console.error('wideswe: no packages were kept')
    return
  }
  const meta = json(path.join(entry, 'meta.json'))
  const copy = process.env.WIDESWE_NODE_MODULES === 'copy'
  const root = copy ? repo : path.join(entry, 'tree')
  const laid = []
  for (const dir of meta.dirs) {
    const at = path.join(repo, dir)
    const there = lstat(at)
    if (!lstat(path.dirname(at)) || (there && !there.isSymbolicLink())) continue // the package went, or the tree has its own
    laid.push(dir)
    if (copy) fs.cpSync(path.join(entry, 'tree', dir), at, { recursive: true, verbatimSymlinks: true })
    else link(path.join(entry, 'tree', dir), at)
  }
  const is = at => laid.some(d => at.startsWith(d + '/'))
  for (const l of meta.links) if (is(l.at)) link(path.join(repo, l.to), path.join(root, l.at))
  for (const f of meta.extras) if (!lstat(path.join(repo, f))) {
    fs.mkdirSync(path.dirname(path.join(repo, f)), { recursive: true })
    fs.copyFileSync(path.join(entry, 'tree', f), path.join(repo, f))
  }
  for (const pair of pairs) {
    const i = pair.indexOf('=')
    const name = pair.slice(0, i)
    const to = pair.slice(i + 1)
    const places = meta.wired.filter(w => w.name === name && is(w.at)).map(w => w.at)
    if (!places.includes(NM + '/' + name) && !places.some(p => !p.slice(0, p.indexOf(NM)).includes('.')) && laid.length) places.push(laid[0] + '/' + name)
    for (const at of places) link(to, path.join(root, at))
    peers(to, repo)
  }
}

// peers gives a sibling the target's copy of what both must share.
function peers (dir, repo) {
  const wants = json(path.join(dir, 'package.json')).peerDependencies || {}
  for (const name of Object.keys(wants)) {
    const ours = path.join(repo, NM, name)
    const theirs = path.join(dir, NM, name)
    if (lstat(ours) && lstat(path.join(dir, NM))) link(fs.realpathSync(ours), theirs)
  }
}

function bin (pkg, program, dir) {
  for (let d = path.resolve(dir); ; d = path.dirname(d)) {
    const at = path.join(d, NM, pkg)
    const b = json(path.join(at, 'package.json')).bin
    const file = typeof b === 'string' ? b : b && b[program]
    if (file) return path.join(fs.realpathSync(at), file)
    if (d === path.dirname(d)) return ''
  }
}

const RUNS = ['spec', 'reporter', 'reporter-option', 'reporter-options', 'reporterOption', 'reporterOptions', 'R', 'O', 'bail', 'b', 'parallel', 'p', 'jobs', 'j', 'watch', 'w', 'watch-files', 'watchFiles', 'watch-ignore', 'grep', 'g', 'fgrep', 'f', 'invert', 'ignore', 'exclude', 'dry-run', 'color', 'colors', 'forbid-pending', 'exit', '_']

function mocharc (dir, file, given) {
  const home = bin('mocha', 'mocha', dir)
  let rc = {}
  try {
    const config = require(path.join(home, '..', '..', 'lib', 'cli', 'config'))
    const found = given || config.findConfig(dir)
    if (found) rc = config.loadConfig(path.resolve(dir, found))
  } catch (e) { console.error('wideswe: mocha\'s options: ' + e.message) }
  rc = Object.assign({}, json(path.join(dir, 'package.json')).mocha, rc)
  for (const key of RUNS) delete rc[key]
  fs.writeFileSync(file, JSON.stringify(rc))
}

function relock (file, registry) {
  let text
  try { text = fs.readFileSync(file, 'utf8') } catch (e) { return }
  registry = registry.replace(/\/*$/, '/')
  fs.writeFileSync(file, text.replace(/^(\s+resolved ")https?:\/\/[^/"]+\/((?:@[^/"]+(?:\/|%2f))?[^/"]+\/-\/[^"]+")/gmi, (all, a, b) => a + registry + b))
}

function filter (file, pattern) {
  const report = json(file)
  const re = new RegExp(pattern)
  for (const r of report.testResults || []) {
    r.assertionResults = (r.assertionResults || []).filter(a => !['pending', 'skipped'].includes(a.status) ||
      re.test(a.fullName) || re.test((a.ancestorTitles || []).concat(a.title).join(' ')))
  }
  if (report.testResults) fs.writeFileSync(file, JSON.stringify(report))
}

const [command, ...args] = process.argv.slice(2)
switch (command) {
  case 'has': process.exitCode = fs.existsSync(path.join(args[0], keyOf(asks(args[1]), args[2]), 'meta.json')) ? 0 : 1; break
  case 'before': fs.writeFileSync(args[1] + '.asks', JSON.stringify(asks(args[0]))); fs.writeFileSync(args[1], moduleDirs(args[0]).concat(['.yarn/install-state.gz', '.pnp.cjs', '.pnp.loader.mjs'].filter(f => lstat(path.join(args[0], f)))).join('\n')); break
  case 'keep': keep(args[0], args[1], args[2], args[3], args.slice(4)); break
  case 'lay': lay(args[0], args[1], args[2], args.slice(3)); break
  case 'bin': console.log(bin(args[0], args[1], args[2])); break
  case 'mocharc': mocharc(args[0], args[1], args[2]); break
  case 'filter': filter(args[0], args[1]); break
  case 'relock': relock(args[0], args[1]); break
  default: console.error('wideswe: unknown command ' + command); process.exitCode = 2
}
