'use strict'
// A jest reporter that keeps the test that runs beside the run's report, for a
// process that dies in it.
const fs = require('fs')

module.exports = class Running {
  constructor () {
    const flag = '--outputFile='
    const out = process.argv.find(a => a.startsWith(flag))
    this.file = out && out.slice(flag.length) + '.running'
  }

  onTestCaseStart (test, info) {
    if (!this.file) return
    try { fs.writeFileSync(this.file, JSON.stringify({ titles: (info.ancestorTitles || []).concat(info.title) })) } catch (e) {}
  }

  onRunComplete () {
    if (this.file && fs.existsSync(this.file)) fs.unlinkSync(this.file)
  }
}
