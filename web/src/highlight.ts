/** Colours for code. The highlighter is fetched when the first code is shown, from the same place as this page. */

import { signal } from '@preact/signals'
import type { HLJSApi } from 'highlight.js'

/** Goes up once the highlighter is there, so that what was drawn plain is drawn again. */
export const highlighterReady = signal(0)

/** Longer code stays plain: colouring it would hold the page up in each frame. */
const MAX_CHARACTERS = 20_000

let highlighter: HLJSApi | null = null
let loading = false

/** Coloured HTML, or `null` while the highlighter is not there or does not know the language. */
export function highlight(text: string, language: string): string | null {
  if (!language || text.length > MAX_CHARACTERS) return null
  if (!highlighter) { load(); return null }
  if (!highlighter.getLanguage(language)) return null
  return highlighter.highlight(text, { language, ignoreIllegals: true }).value
}

function load(): void {
  if (loading) return
  loading = true
  import('highlight.js/lib/common')
    .then((module) => { highlighter = module.default; highlighterReady.value++ })
    .catch(() => { loading = false }) // offline: the next code tries again
}
