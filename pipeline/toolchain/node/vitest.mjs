// A vitest reporter that keeps the test that runs beside the run's report, for a
// process that dies in it. Tests are told of some time after they begin: a process
// that dies at once names none.
import fs from 'node:fs'

export default class Running {
  constructor () {
    const flag = '--outputFile='
    const out = process.argv.find(a => a.startsWith(flag))
    this.file = out && out.slice(flag.length) + '.running'
  }

  onTestCaseReady (test) {
    if (!this.file) return
    const titles = []
    for (let t = test; t && t.type !== 'module'; t = t.parent) titles.unshift(t.name)
    try { fs.writeFileSync(this.file, JSON.stringify({ titles })) } catch (e) {}
  }

  onTestRunEnd () {
    if (this.file && fs.existsSync(this.file)) fs.unlinkSync(this.file)
  }
}
