// Builds the page into the package: everything that is loaded comes from there.
import { build } from 'esbuild'
import { gzipSync } from 'node:zlib'
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const here = fileURLToPath(new URL('.', import.meta.url))
const out = join(here, '../src/ore/ext/conduits/http/static')
/** Bytes, gzipped, of all that is loaded before something is typed. */
const LIMIT = 150_000

rmSync(out, { recursive: true, force: true })
mkdirSync(out, { recursive: true })
const { metafile } = await build({
  entryPoints: { 'ore-chat': join(here, 'src/element.tsx') },
  outdir: out, bundle: true, splitting: true, format: 'esm', target: ['es2022'], minify: true, metafile: true,
  jsx: 'automatic', jsxImportSource: 'preact', loader: { '.css': 'text' }, chunkNames: 'chunk-[hash]', legalComments: 'none',
  plugins: [{
    name: 'small-css',
    setup(one) {
      one.onLoad({ filter: /\.css$/ }, ({ path }) => ({
        contents: readFileSync(path, 'utf8').replace(/\/\*[\s\S]*?\*\//g, '').replace(/\s*\n\s*/g, '\n'), loader: 'text',
      }))
    },
  }],
})
for (const name of ['index.html', 'page.css', 'icon.svg']) cpSync(join(here, 'src', name), join(out, name))

// The licences of what is inside.
const packages = new Set(Object.keys(metafile.inputs).map((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1]).filter(Boolean))
const licences = [...packages].sort().map((name) => {
  const folder = join(here, 'node_modules', name)
  const { version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const file = readdirSync(folder).find((one) => /^licen[cs]e/i.test(one))
  return `${name} ${version} (${license})\n\n${file ? readFileSync(join(folder, file), 'utf8').trim() : ''}\n`
})
writeFileSync(join(out, 'LICENSES.txt'), licences.join(`\n${'─'.repeat(72)}\n\n`))

// What is loaded at first: the entry with what it imports outright.
const files = Object.entries(metafile.outputs)
const first = new Set()
const walk = (path) => {
  if (first.has(path)) return
  first.add(path)
  for (const one of metafile.outputs[path].imports) if (one.kind === 'import-statement') walk(one.path)
}
walk(files.find(([, one]) => one.entryPoint)[0])
const names = [...first].map((path) => path.split('/').pop()).concat(['index.html', 'page.css', 'icon.svg'])
const bytes = names.reduce((sum, name) => sum + gzipSync(readFileSync(join(out, name)), { level: 9 }).length, 0)
console.log(`${names.length} files at first, ${(bytes / 1000).toFixed(1)} kB gzipped; ${readdirSync(out).length} files in all`)
if (bytes >= LIMIT || !existsSync(join(out, 'ore-chat.js'))) {
  console.error(`expected less than ${LIMIT / 1000} kB at first, got ${(bytes / 1000).toFixed(1)} kB`)
  process.exit(1)
}
