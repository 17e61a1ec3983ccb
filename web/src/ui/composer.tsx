import { useSignal } from '@preact/signals'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import type { Chat } from '../chat.js'
import { textOf, type Artifact, type Content, type MediaArtifact } from '../wire.js'
import { matching, parted, type Choice, type Command } from './commands.js'
import { Icon } from './icon.js'
import { size } from './media.js'

/** The server takes 10 MiB a message; in base64 a file is a third longer. */
const MAX_BYTES = 7_000_000
const TYPES = /^(image\/(png|jpeg|gif|webp)|application\/pdf|text\/|application\/(json|xml|yaml|x-yaml))/
const DRAFT = 'ore.draft.'

export function Composer({ chat, commands, name }: { chat: Chat; commands: readonly Command[]; name: string }) {
  const text = useSignal('')
  const files = useSignal<readonly MediaArtifact[]>([])
  const problem = useSignal('')
  const choice = useSignal(0)
  const dropping = useSignal(false)
  const area = useRef<HTMLTextAreaElement>(null)
  const picker = useRef<HTMLInputElement>(null)
  const session = chat.session.value
  const running = chat.running.value
  const found = matching(commands, text.value)
  const offered = useChoices(found.length === 1 ? found[0] : undefined, text.value)
  const count = offered.length || found.length
  const waiting = chat.view.value.queue.filter((one) => one.status === 'waiting')
  const own = chat.outbox.value

  useEffect(() => {
    const made = text.peek() && session !== null && own.length > 0
    if (!made) text.value = recall(session)
    if (matchMedia('(pointer: fine)').matches) area.current?.focus()
  }, [session])
  useLayoutEffect(() => {
    const element = area.current!
    element.style.height = 'auto'
    element.style.height = `${Math.min(element.scrollHeight, 240)}px`
  }, [text.value])

  const write = (value: string) => { text.value = value; choice.value = 0; remember(session, value) }
  const send = (mode?: string) => {
    const typed = text.value
    if (!typed.trim() && files.value.length === 0) return
    const content: Content = files.value.length === 0 ? typed : [...files.value, ...(typed.trim() ? [{ kind: 'text', content: typed } as Artifact] : [])]
    write('')
    remember(session, '')
    files.value = []
    problem.value = ''
    chat.send(content, mode)
    area.current?.focus()
  }
  const run = (command: Command, chosen?: string) => {
    const { name, argument } = parted(text.value)
    const whole = chosen ?? argument ?? ''
    if ((command.argument && !whole) || (command.completes && name !== command.name)) { write(`/${command.name} `); area.current?.focus(); return }
    write('')
    void command.run(whole)
  }
  const pick = (place: number) => { if (offered.length > 0) run(found[0]!, offered[place]!.name); else run(found[place]!) }
  const typed = (event: KeyboardEvent) => {
    // Enter that ends a composition belongs to the input method; 229 is how some browsers say so.
    if (event.isComposing || event.keyCode === 229) return
    if (found.length > 0) {
      if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
        event.preventDefault()
        choice.value = (choice.value + (event.key === 'ArrowDown' ? 1 : count - 1)) % count
        return
      }
      if (event.key === 'Tab' && !event.shiftKey) { event.preventDefault(); write(offered.length > 0 ? `/${found[0]!.name} ${offered[choice.value]!.name}` : `/${found[choice.value]!.name} `); return }
      if (event.key === 'Escape') { write(''); return }
      if (event.key === 'Enter' && !event.shiftKey) { event.preventDefault(); pick(choice.value); return }
    }
    if (event.key !== 'Enter' || event.shiftKey || event.altKey) return
    if (matchMedia('(pointer: coarse)').matches && !(event.ctrlKey || event.metaKey)) return
    event.preventDefault()
    if (!event.repeat) send()
  }
  const add = async (list: Iterable<File>) => {
    for (const file of list) {
      const total = files.value.reduce((sum, one) => sum + (one.size_bytes ?? 0), 0) + file.size
      if (!TYPES.test(file.type)) { problem.value = `${file.name}: files of type ${file.type || 'unknown'} are not taken`; continue }
      if (total > MAX_BYTES) { problem.value = `${file.name} is too large: ${size(file.size)}; ${size(MAX_BYTES)} go with one message`; continue }
      problem.value = ''
      const data = await base64(file)
      files.value = [...files.value, { kind: file.type.startsWith('image/') ? 'image' : 'file', media_type: file.type, name: file.name, size_bytes: file.size, data }]
    }
  }
  const drop = (event: DragEvent) => { event.preventDefault(); dropping.value = false; void add(event.dataTransfer?.files ?? []) }
  const over = (event: DragEvent) => { if (event.dataTransfer?.types.includes('Files')) { event.preventDefault(); dropping.value = true } }
  const canSend = text.value.trim() !== '' || files.value.length > 0

  return (
    <form class={`composer${dropping.value ? ' dropping' : ''}`} onSubmit={(event) => { event.preventDefault(); send() }} onDrop={drop} onDragOver={over} onDragLeave={() => { dropping.value = false }}>
      {waiting.length > 0 && <ul class="chips" aria-label="Waiting messages">{waiting.map((one) => {
        const said = textOf(one.content) || textOf(own.find((mine) => mine.id === one.id)?.content ?? '') || 'message'
        return <li key={one.id} class="chip"><span dir="auto">{said}</span><button type="button" aria-label={`Remove waiting message: ${said.slice(0, 40)}`} onClick={() => void chat.withdraw(one.id)}><Icon name="close" /></button></li>
      })}</ul>}
      {files.value.length > 0 && <ul class="chips" aria-label="Attachments">{files.value.map((file, place) => (
        <li class="chip">{file.kind === 'image' && <img src={`data:${file.media_type};base64,${file.data}`} alt="" />}<span>{file.name} <small>{size(file.size_bytes ?? 0)}</small></span>
          <button type="button" aria-label={`Remove ${file.name}`} onClick={() => { files.value = files.value.filter((_, other) => other !== place) }}><Icon name="close" /></button></li>
      ))}</ul>}
      {problem.value && <p class="problem" role="alert">{problem.value}</p>}
      {found.length > 0 && <ul class="palette" role="listbox" id="commands" aria-label="Commands">{(offered.length > 0 ? offered : found.map(shownAs)).map(({ name, description }, place) => (
        <li role="option" key={name} id={`command-${place}`} aria-selected={place === choice.value} ref={(element) => { if (place === choice.value) element?.scrollIntoView({ block: 'nearest' }) }} onMouseDown={(event) => { event.preventDefault(); pick(place) }}>
          <b>{name}</b><span>{description}</span></li>
      ))}</ul>}
      <div class="entry">
        <button type="button" class="icon" aria-label="Attach files" title="Attach files" onClick={() => picker.current?.click()}><Icon name="add" /></button>
        <input ref={picker} type="file" multiple hidden aria-hidden="true" onChange={(event) => { void add([...(event.currentTarget.files ?? [])]); event.currentTarget.value = '' }} />
        <textarea ref={area} rows={1} dir="auto" aria-label={`Message to ${name}`} placeholder={running ? 'Add to the queue…' : `Message ${name}`} value={text.value}
          aria-controls="commands" aria-haspopup="listbox" aria-activedescendant={found.length > 0 ? `command-${choice.value}` : undefined} aria-autocomplete="list"
          onInput={(event) => write(event.currentTarget.value)} onKeyDown={typed}
          onPaste={(event) => { const pasted = [...(event.clipboardData?.files ?? [])]; if (pasted.length > 0) { event.preventDefault(); void add(pasted) } }} />
        {running && canSend && <button type="button" class="small" title="Say it before the next step of the running answer" onClick={() => send('steer')}>Steer</button>}
        {(!running || canSend) && <button type="submit" class="send primary" disabled={!canSend}>{running ? 'Queue' : 'Send'}</button>}
        {running && <button type="button" class="send stop" disabled={chat.stopping.value} onClick={() => void chat.stop()}>{chat.stopping.value ? 'Stopping…' : 'Stop'}</button>}
      </div>
    </form>
  )
}

const shownAs = (command: Command): Choice => ({ name: `/${command.name}${command.argument ? ` ${command.argument}` : ''}`, description: command.description })

/** What can stand behind a command's name, a moment after the last key; an answer that a later question overtook is dropped. */
function useChoices(command: Command | undefined, text: string): readonly Choice[] {
  const offered = useSignal<{ readonly text: string; readonly choices: readonly Choice[] }>({ text: '', choices: [] })
  const { argument } = parted(text)
  const wanted = command?.choices && argument !== null ? argument : null
  useEffect(() => {
    if (wanted === null) return
    let current = true
    const timer = setTimeout(() => {
      command!.choices!(wanted).then((choices) => { if (current) offered.value = { text, choices } }, () => undefined)
    }, 120)
    return () => { current = false; clearTimeout(timer) }
  }, [command, wanted])
  return wanted !== null && offered.value.text === text ? offered.value.choices : []
}

async function base64(file: File): Promise<string> {
  const url = await new Promise<string>((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(String(reader.result))
    reader.onerror = () => reject(reader.error)
    reader.readAsDataURL(file)
  })
  return url.slice(url.indexOf(',') + 1)
}

const recall = (session: string | null): string => localStorage.getItem(DRAFT + (session ?? '')) ?? ''
function remember(session: string | null, text: string): void {
  try {
    if (text) localStorage.setItem(DRAFT + (session ?? ''), text)
    else localStorage.removeItem(DRAFT + (session ?? ''))
  } catch { /* full: the text is still in the field */ }
}
