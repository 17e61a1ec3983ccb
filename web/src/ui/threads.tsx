import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { Threads } from '../threads.js'
import { gistOf } from '../wire.js'
import { Icon } from './icon.js'

/** The conversations, newest first. */
export function ThreadList({ threads, current, open, start }: { threads: Threads; current: string | null; open: (id: string) => void; start: () => void }) {
  const foot = useRef<HTMLLIElement>(null)
  const renaming = useSignal<string | null>(null)
  const atEnd = useSignal(false)
  const list = threads.list.value
  useEffect(() => {
    const watch = new IntersectionObserver(([entry]) => { atEnd.value = entry?.isIntersecting === true })
    watch.observe(foot.current!)
    return () => watch.disconnect()
  }, [])
  // Also when the end was in sight before the page that was on its way had come.
  useEffect(() => { if (atEnd.value && !threads.loading.value && !threads.error.value) void threads.more() }, [atEnd.value, threads.loading.value, list])
  const name = (id: string, event: Event) => {
    event.preventDefault()
    const input = (event.currentTarget as Element).querySelector('input') ?? (event.currentTarget as HTMLInputElement)
    renaming.value = null
    void threads.rename(id, input.value)
  }
  return (
    <nav class="threads" aria-label="Conversations">
      <button type="button" class="primary new" onClick={start}>New chat</button>
      <input type="search" aria-label="Search conversations" placeholder="Search" value={threads.query.value} onInput={(event) => threads.search(event.currentTarget.value)} />
      <ul>
        {list.map((thread) => {
          const title = thread.title || gistOf(thread.preview ?? '') || 'Empty conversation'
          return (
            <li key={thread.id} class={thread.id === current ? 'is-current' : ''}>
              {renaming.value === thread.id ? (
                <form onSubmit={(event) => name(thread.id, event)}><input aria-label="Title" value={thread.title || thread.preview || ''} ref={(input) => input?.focus()}
                  onKeyDown={(event) => { if (event.key === 'Escape') renaming.value = null }} onBlur={(event) => { if (renaming.value === thread.id) name(thread.id, event) }} /></form>
              ) : <>
                <a href={threads.href(thread.id)} aria-current={thread.id === current ? 'page' : undefined}
                  onClick={(event) => { if (event.metaKey || event.ctrlKey || event.shiftKey) return; event.preventDefault(); open(thread.id) }}>
                  <span class="title" dir="auto">{title}</span>
                  <small>{threads.running.value.has(thread.id) ? <span class="running">running</span> : thread.last_at ? when(thread.last_at) : ''}</small>
                </a>
                <span class="row-actions">
                  <button type="button" aria-label={`Rename ${title.slice(0, 40)}`} title="Rename" onClick={() => { renaming.value = thread.id }}><Icon name="edit" /></button>
                  <button type="button" aria-label={`Delete ${title.slice(0, 40)}`} title="Delete" onClick={() => { threads.remove(thread.id); if (thread.id === current) start() }}><Icon name="close" /></button>
                </span>
              </>}
            </li>
          )
        })}
        <li ref={foot} class="foot">{threads.loading.value ? 'Loading…' : list.length === 0 ? (threads.query.value ? 'Nothing found' : 'No conversations yet') : ''}
          {threads.error.value && <span class="problem">{threads.error.value} <button type="button" class="small" onClick={() => void threads.reload()}>Retry</button></span>}</li>
      </ul>
    </nav>
  )
}

function when(time: string): string {
  const date = new Date(time)
  const today = new Date().toDateString() === date.toDateString()
  return today ? date.toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' }) : date.toLocaleDateString([], { day: 'numeric', month: 'short' })
}
