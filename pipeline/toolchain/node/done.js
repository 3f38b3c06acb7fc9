'use strict'
// Loaded before a file of node's own runner: notes that its process came to its own end,
// and was ended by nobody. The runner does not say so: it lists what was told until then.
const done = process.env.WIDESWE_DONE
const child = !process.execArgv.some(a => a === '--test' || a.startsWith('--test='))
if (done && child) {
  delete process.env.WIDESWE_DONE
  const fs = require('fs')
  const { writeFileSync } = fs
  process.on('beforeExit', () => { try { writeFileSync(done, 'done\n') } catch (e) {} })
}
