/** Server-sent events over fetch: cut anywhere, with a watch on silence, and a cursor of our own. */

export interface Frame { id?: string; event?: string; data: string }

/** Turns text as it arrives into frames; comments count as signs of life only. */
export class FrameParser {
  #rest = ''
  #frame: { id?: string; event?: string; data: string[] } = { data: [] }

  push(text: string): Frame[] {
    const frames: Frame[] = []
    this.#rest += text
    let from = 0
    for (;;) {
      const at = this.#rest.slice(from).search(/\r\n|\n|\r/)
      if (at < 0) break
      const end = from + at
      // A carriage return at the very end may be half of a line ending.
      if (this.#rest[end] === '\r' && end + 1 === this.#rest.length) break
      this.#line(this.#rest.slice(from, end), frames)
      from = end + (this.#rest.startsWith('\r\n', end) ? 2 : 1)
    }
    this.#rest = this.#rest.slice(from)
    return frames
  }

  #line(line: string, frames: Frame[]): void {
    if (line === '') {
      const { id, event, data } = this.#frame
      if (data.length > 0) frames.push({ id, event, data: data.join('\n') })
      this.#frame = { data: [] }
      return
    }
    const colon = line.indexOf(':')
    if (colon === 0) return
    const field = colon < 0 ? line : line.slice(0, colon)
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '')
    if (field === 'data') this.#frame.data.push(value)
    else if (field === 'id') this.#frame.id = value
    else if (field === 'event') this.#frame.event = value
  }
}

/** The server says something every 15 s; three times as long without a byte, and the connection is dead. */
export const SILENCE_MS = 45_000

/**
 * Read frames until the stream ends, fails, falls silent or `signal` says stop.
 *
 * Throws: what `fetch` and the body throw; `TimeoutError` after silence.
 */
export async function readFrames(body: ReadableStream<Uint8Array>, onFrames: (frames: Frame[]) => void): Promise<void> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  const parser = new FrameParser()
  let timer: ReturnType<typeof setTimeout> | undefined
  try {
    for (;;) {
      const silence = new Promise<never>((_, reject) => {
        timer = setTimeout(() => reject(new DOMException('nothing heard', 'TimeoutError')), SILENCE_MS)
      })
      const { done, value } = await Promise.race([reader.read(), silence])
      clearTimeout(timer)
      if (done) return
      const frames = parser.push(decoder.decode(value, { stream: true }))
      if (frames.length > 0) onFrames(frames)
    }
  } finally {
    clearTimeout(timer)
    void reader.cancel().catch(() => undefined)
  }
}
