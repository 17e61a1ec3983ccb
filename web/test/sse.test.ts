import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { FrameParser, type Frame } from '../src/sse.js'

const line = fc.string({ maxLength: 12 }).map((text) => text.replace(/[\r\n]/g, ''))
const frame = fc.record({ id: line, event: line, data: fc.array(line, { minLength: 1, maxLength: 3 }) })
const ending = fc.constantFrom('\n', '\r\n', '\r')

test('however a stream is cut, its frames are the same', () => {
  fc.assert(fc.property(fc.array(frame), ending, fc.array(fc.integer({ min: 1, max: 9 })), (frames, end, sizes) => {
    const text = frames.map((one) => [`:${one.id}`, `id: ${one.id}`, `event: ${one.event}`, ...one.data.map((data) => `data: ${data}`), '', ''].join(end)).join('') + ':last\n'
    const parser = new FrameParser()
    const got: Frame[] = []
    let from = 0
    for (const size of [...sizes, text.length]) { got.push(...parser.push(text.slice(from, from + size))); from += size }
    assert.deepEqual(got, frames.map(({ id, event, data }) => ({ id, event, data: data.join('\n') })))
  }))
})

test('comments are no frames, and a field without a colon is empty', () => {
  assert.deepEqual(new FrameParser().push(': here\n\ndata\n\ndata:a\n\n').map((one) => one.data), ['', 'a'])
})
