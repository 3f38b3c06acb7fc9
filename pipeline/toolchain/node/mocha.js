'use strict'
// A mocha reporter: the built-in JSON report with the suites of each test, written
// to a file, and beside it the test that runs, for a process that dies in it.
const fs = require('fs')

module.exports = function Report (runner, options) {
  const file = options.reporterOptions.output
  const tests = []
  const total = runner.total || 0 // of the tests that are to run
  const titles = t => { const list = []; for (let p = t; p && p.parent; p = p.parent) list.unshift(p.title || ''); return list }
  const add = (t, state, err) => tests.push({ titles: titles(t), file: t.file || '', state, duration: t.duration || 0, message: err ? String(err.stack || err.message || err).slice(0, 8192) : '' })
  const running = t => { try { fs.writeFileSync(file + '.running', JSON.stringify({ titles: titles(t) })) } catch (e) {} }
  runner.on('test', running)
  runner.on('hook', h => running({ title: h.title, parent: h.parent }))
  runner.on('pass', t => add(t, 'passed'))
  runner.on('pending', t => add(t, 'pending'))
  runner.on('fail', (t, err) => add(t, t.type === 'hook' ? 'hook' : 'failed', err))
  runner.on('end', () => {
    fs.writeFileSync(file, JSON.stringify({ wideswe: 'mocha', failures: runner.failures, total, tests }))
    fs.rmSync ? fs.rmSync(file + '.running', { force: true }) : fs.existsSync(file + '.running') && fs.unlinkSync(file + '.running')
  })
}
