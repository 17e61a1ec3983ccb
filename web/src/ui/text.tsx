import { useRef } from 'preact/hooks'
import { highlighterReady } from '../highlight.js'
import { render, type Rendered } from '../markdown.js'
import { pure } from './pure.js'

const Block = pure(({ html }: { html: string }) => <div class="md" dangerouslySetInnerHTML={{ __html: html }} />)

/** Markdown that may still grow; blocks that are done keep their place in the page. */
export const Markdown = pure(({ text }: { text: string }) => {
  const before = useRef<{ ready: number; blocks: readonly Rendered[] }>({ ready: 0, blocks: [] })
  const ready = highlighterReady.value
  const same = before.current.ready === ready
  const blocks = render(text, same ? before.current.blocks : [])
  before.current = { ready, blocks }
  return (
    <div class="text" dir="auto" onClick={act}>
      {blocks.map((block, index) => <Block key={index} html={block.html} />)}
    </div>
  )
})

/** What the buttons of code do. */
function act(event: MouseEvent): void {
  const button = (event.target as Element | null)?.closest?.('button[data-act]') as HTMLButtonElement | null
  const box = button?.closest('.code')
  if (!button || !box) return
  const on = () => button.getAttribute('aria-pressed') !== 'true'
  if (button.dataset['act'] === 'copy') void copy(box.querySelector('code')?.textContent ?? '', button)
  if (button.dataset['act'] === 'wrap') { const now = on(); box.classList.toggle('wrapped', now); button.setAttribute('aria-pressed', String(now)) }
  if (button.dataset['act'] === 'unfold') {
    const open = box.classList.toggle('folded') === false
    button.setAttribute('aria-expanded', String(open))
    button.textContent = open ? 'Show less' : 'Show all'
  }
}

/** Copy, and say so on the button for a moment. */
export async function copy(text: string, button: HTMLElement): Promise<void> {
  const label = button.textContent
  try { await navigator.clipboard.writeText(text) } catch { byHand(text) }
  button.textContent = 'Copied'
  setTimeout(() => { button.textContent = label }, 1500)
}

/** Pages that did not come over HTTPS or from this machine have no clipboard. */
function byHand(text: string): void {
  const area = document.createElement('textarea')
  area.value = text
  document.body.append(area)
  area.select()
  document.execCommand('copy')
  area.remove()
}
