// Bundles the tests, which are TypeScript, and hands them to Node's test runner.
import { build } from 'esbuild'
import { spawnSync } from 'node:child_process'
import { readdirSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const here = fileURLToPath(new URL('.', import.meta.url))
const out = `${here}../node_modules/.tests`
rmSync(out, { recursive: true, force: true })
const names = readdirSync(here).filter((name) => name.endsWith('.test.ts'))
await build({ entryPoints: names.map((name) => here + name), outdir: out, bundle: true, platform: 'node', format: 'esm', packages: 'external', outExtension: { '.js': '.mjs' } })
const { status } = spawnSync(process.execPath, ['--test', ...names.map((name) => `${out}/${name.replace('.ts', '.mjs')}`)], { stdio: 'inherit' })
process.exit(status ?? 1)
