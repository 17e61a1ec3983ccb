import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { EMPTY, applyEvent, applyEvents, applySnapshot, callKey, compareIds, resultsOf, type View } from '../src/reducer.js'
import type { WireEvent } from '../src/wire.js'
import { World, act } from './world.js'

const acts = fc.array(act, { maxLength: 60 })
const RUNS = { numRuns: 1500 }

/** What a reader sees; what happens inside calls stands apart, since no snapshot tells it once their turn is over. */
function seen(view: View) {
  const live = view.live
    .map(({ id, blocks }) => ({ id, blocks: blocks.map(({ id, artifact, open }) => ({ id, artifact, open })) }))
    .filter((one) => one.blocks.length > 0)
  const queue = view.queue.map(({ id, status, position }) => ({ id, status, position }))
  const { turns, metadata, questions, phase, cursor } = view
  return { turns, live, queue, metadata, questions, phase, cursor }
}

const insides = (view: View) => [...view.calls].map(([key, call]) => [key, call.result?.content, call.children.map((one) => one.artifact)])
/** Whether the results of a call's turn are recorded. */
const over = (view: View, key: string) => resultsOf(view.turns).has(key)
const from = (world: World, place: number): View => applySnapshot(EMPTY, world.snapshots[place]!)

test('a snapshot with the events behind it shows what all events from the beginning show', () => {
  fc.assert(fc.property(acts, fc.nat(), (made, cut) => {
    const world = new World(made)
    const place = cut % world.snapshots.length
    const all = applyEvents(from(world, 0), world.events)
    const late = applyEvents(from(world, place), world.events.slice(place))
    assert.deepEqual(seen(late), seen(all))
    assert.deepEqual(applyEvents(from(world, place), world.events), late) // also when the whole window is told
  }), RUNS)
})

test('at each moment the events so far show what the snapshot of that moment tells', () => {
  fc.assert(fc.property(acts, (made) => {
    const world = new World(made)
    let view = from(world, 0)
    world.events.forEach((event, place) => {
      view = applyEvent(view, event)
      const state = from(world, place + 1)
      assert.deepEqual(seen(view), seen(state))
      const known = new Map(insides(state).map(([key, ...rest]) => [key, rest]))
      for (const [key, ...rest] of insides(view)) if (!over(view, String(key))) assert.deepEqual(known.get(key), rest)
    })
  }), { numRuns: 200 })
})

test('events that come twice, from any cursor on, change nothing', () => {
  fc.assert(fc.property(acts, fc.nat(), fc.nat(), (made, one, other) => {
    const world = new World(made)
    const cut = one % (world.events.length + 1)
    const back = other % (cut + 1)
    const resumed = applyEvents(applyEvents(from(world, 0), world.events.slice(0, cut)), world.events.slice(back))
    const whole = applyEvents(from(world, 0), world.events)
    assert.deepEqual(seen(resumed), seen(whole))
    assert.deepEqual(insides(resumed), insides(whole))
  }), RUNS)
})

test('events in batches of any size show the same', () => {
  fc.assert(fc.property(acts, fc.array(fc.integer({ min: 1, max: 9 })), (made, sizes) => {
    const world = new World(made)
    let view = from(world, 0)
    let place = 0
    for (const size of [...sizes, world.events.length]) { view = applyEvents(view, world.events.slice(place, place + size)); place += size }
    assert.deepEqual(view, applyEvents(from(world, 0), world.events))
  }), RUNS)
})

test('a gap stands for all that was missed, and keeps the insides of calls that were seen', () => {
  fc.assert(fc.property(acts, fc.nat(), fc.nat(), (made, one, other) => {
    const world = new World(made)
    const cut = one % (world.events.length + 1)
    const on = cut + other % (world.events.length - cut + 1)
    const before = applyEvents(from(world, 0), world.events.slice(0, cut))
    const snapshot = world.snapshots[on]!
    const gap: WireEvent = { kind: 'gap', snapshot, context: { id: snapshot.id } }
    const view = applyEvents(applyEvent(before, gap), world.events.slice(on))
    assert.deepEqual(seen(view), seen(applyEvents(from(world, 0), world.events)))
    for (const [key, call] of before.calls) assert.ok(view.calls.get(key)!.children.length >= call.children.length)
  }), RUNS)
})

test('fragments that were joined on the way show the same text', () => {
  fc.assert(fc.property(acts, (made) => {
    const world = new World(made)
    const joined: WireEvent[] = []
    for (const event of world.events) {
      const last = joined.at(-1)
      const same = last && last.kind === event.kind && /^(text|reasoning)_delta$/.test(event.kind) && last.context.block === event.context.block
      if (same) joined[joined.length - 1] = { ...event, content: String(last['content']) + String(event['content']) }
      else joined.push(event)
    }
    assert.deepEqual(seen(applyEvents(from(world, 0), joined)), seen(applyEvents(from(world, 0), world.events)))
  }), RUNS)
})

test('a block without its fragments shows the same once it is complete', () => {
  fc.assert(fc.property(acts, (made) => {
    const world = new World(made)
    const completes = (event: WireEvent, place: number) => {
      const later = world.events.slice(place + 1)
      const restart = later.findIndex((one) => one.kind === 'turn_restarted')
      return later.slice(0, restart < 0 ? undefined : restart).some((one) => one.context.block === event.context.block && !one.kind.endsWith('_delta'))
    }
    const told = world.events.filter((one, place) => !(one.kind.endsWith('_delta') && !one.context.path && completes(one, place)))
    const texts = (view: View) => seen(view).live
    assert.deepEqual(texts(applyEvents(from(world, 0), told)), texts(applyEvents(from(world, 0), world.events)))
  }), RUNS)
})

test('whatever comes, nothing is thrown and what is not an event changes nothing shown', () => {
  const event = fc.record({ kind: fc.constantFrom('future', 'text', 'image', 'session_switch', 'x_delta'), content: fc.anything(), context: fc.record({ id: fc.constant('9-9'), block: fc.option(fc.string(), { nil: undefined }) }) })
  fc.assert(fc.property(event, (one) => { assert.equal(applyEvent(EMPTY, one as unknown as WireEvent).turns.length, 0) }), RUNS)
})

const at = (id: string, more: object = {}) => ({ id, message: 'm', ...more })

test('ids are ordered by epoch, then number, not as text', () => {
  assert.ok(compareIds('1-9', '1-10') < 0)
  assert.ok(compareIds('2-1', '1-99') > 0)
  assert.equal(compareIds('4-4', '4-4'), 0)
})

test('a turn that is begun again shows no text twice', () => {
  const view = applyEvents(EMPTY, [
    { kind: 'lifecycle', phase: 'streaming', context: at('1-1') },
    { kind: 'text_delta', content: 'Hel', context: at('1-2', { block: 't:1' }) },
    { kind: 'turn_restarted', attempt: 2, context: at('1-3') },
    { kind: 'text_delta', content: 'Hello', context: at('1-4', { block: 't:1', attempt: 2 }) },
  ])
  assert.deepEqual(view.live.flatMap((one) => one.blocks.map((block) => block.artifact)), [{ kind: 'text', content: 'Hello' }])
})

test('how long each thought took is known behind its turn, and of none that this page did not see begin', () => {
  const live: readonly WireEvent[] = [
    { kind: 'reasoning_delta', content: 'Hm.', context: at('1-1', { block: 't:1' }) },
    { kind: 'reasoning', content: 'Hm.', context: at('1-2', { block: 't:1' }) },
    { kind: 'text_delta', content: 'So', context: at('1-3', { block: 't:2' }) },
    { kind: 'reasoning', content: 'Or.', context: at('1-4', { block: 't:3' }) },
    { kind: 'turn_complete', turn: { id: 't', role: 'assistant', artifacts: [] }, context: at('1-5') },
  ]
  const view = live.reduce((so_far, event, place) => applyEvent(so_far, event, place * 2000), EMPTY)
  assert.deepEqual([...view.thoughts], [['t', [2, 0]]])
  assert.equal(live.reduce((so_far, event) => applyEvent(so_far, event), EMPTY).thoughts.size, 0)
})

test('what happens inside a call is shown inside it, results of its own calls too', () => {
  const view = applyEvents(EMPTY, [
    { kind: 'text_delta', content: 'look', context: at('1-1', { path: ['t:0'], block: 'k:1' }) },
    { kind: 'tool_call', id: 'x', name: 'fetch', arguments: '{}', context: at('1-2', { path: ['t:0'], block: 'k:2' }) },
    { kind: 'tool_result', tool_call_id: 'x', content: 'page', context: at('1-3', { path: ['t:0', 'k:0'] }) },
    { kind: 'tool_result', tool_call_id: 'c', content: 'all', context: at('1-4', { path: ['t:0'] }) },
  ])
  const call = view.calls.get('t:0')!
  assert.equal(view.live.length, 0)
  assert.equal(call.result?.content, 'all')
  assert.deepEqual(call.children.map((one) => one.artifact.kind), ['text', 'tool_call'])
  assert.equal(view.calls.get(callKey(call.children, call.children[1]!)!)?.result?.content, 'page')
})

test('a gap shows what happens inside a call as it stands, without an attempt that failed meanwhile', () => {
  const before = applyEvents(EMPTY, [
    { kind: 'text_delta', content: 'wrong', context: at('1-1', { path: ['t:0'], block: 'k:1' }) },
    { kind: 'tool_result', tool_call_id: 'c', content: 'over', context: at('1-2', { path: ['t:1'] }) },
    { kind: 'text_delta', content: 'kept', context: at('1-3', { path: ['t:1'], block: 'j:1' }) },
  ])
  const snapshot = {
    id: '1-9', turns: [], metadata: {}, phase: 'tools', queue: [], questions: [], activities: [{ id: 't:0', description: 'busy' }],
    blocks: [{ block: 'l:1', artifact: { kind: 'text', content: 'right' }, path: ['t:0'] }],
  }
  const view = applyEvent(before, { kind: 'gap', snapshot, context: at('1-9') })
  const call = view.calls.get('t:0')!
  assert.deepEqual(call.children.map(({ id, artifact, open }) => ({ id, artifact, open })), [{ id: 'l:1', artifact: { kind: 'text', content: 'right' }, open: true }])
  assert.deepEqual([call.active, call.description], [true, 'busy'])
  assert.deepEqual(view.calls.get('t:1'), before.calls.get('t:1'))
})

test('a turn behind a moved tip takes the place of what was there', () => {
  const turn = (id: string, parent_id: string | null) => ({ id, parent_id, role: 'user' as const, artifacts: [] })
  const before: View = { ...EMPTY, turns: [turn('a', null), turn('b', 'a'), turn('c', 'b')] }
  const after = applyEvent(before, { kind: 'turn_complete', turn: turn('d', 'a'), context: { id: '1-1' } })
  assert.deepEqual(after.turns.map((one) => one.id), ['a', 'd'])
  const lost = applyEvent(before, { kind: 'turn_complete', turn: turn('d', 'gone'), context: { id: '1-1' } })
  assert.equal(lost.stale, true)
})

test('results go to calls by position, since vendors repeat their ids', () => {
  const call = { kind: 'tool_call' as const, id: 'same', name: 'f', arguments: '{}' }
  const result = (content: string) => ({ kind: 'tool_result' as const, tool_call_id: 'same', content })
  const results = resultsOf([
    { id: 'a', role: 'assistant', artifacts: [call, call] }, { id: 'b', role: 'tool', artifacts: [result('1'), result('2')] },
    { id: 'c', role: 'assistant', artifacts: [call] }, { id: 'd', role: 'tool', artifacts: [result('3')] },
  ])
  assert.deepEqual([...results].map(([key, one]) => [key, one.content]), [['a:0', '1'], ['a:1', '2'], ['c:0', '3']])
})
