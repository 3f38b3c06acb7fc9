const fs = require('fs')
const path = require('path')

const root = process.env.WIDESWE_REPO
for (const arg of process.argv.slice(1)) {
  const cut = arg.lastIndexOf('=')
  for (const name of arg.slice(cut + 1).split(',').filter(Boolean)) {
    for (let dir = path.resolve(root, arg.slice(0, cut)); ; dir = path.dirname(dir)) {
      try {
        console.log(arg.slice(0, cut) + ':' + name + '\t' + fs.realpathSync(path.join(dir, 'node_modules', name)))
        break
      } catch (e) {}
      if (dir === path.dirname(dir)) break
    }
  }
}
