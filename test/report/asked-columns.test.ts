// Reports over rows without the values that nobody asked about answer what they answer over whole rows.
import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {viewRows} from '../../actors/chunk/rows.js';
import {PropertyName} from '../../actors/report/counts/property-name.js';
import type {ReportQuery} from '../../src/asks.js';
import {createLogger} from '../../src/observe.js';
import {AskedColumns} from '../../src/parts/asked-columns.js';
import {PartsCache} from '../../src/parts/parts-cache.js';
import {ValueIndex} from '../../src/report/counts/value-index.js';
import {Evaluation} from '../../src/report/evaluate.js';
import {warmUp} from '../../src/report/warm-up.js';
import {MemoryParts, TestPartition} from '../support/snapshot.js';

const mib = 1 << 20;
const hourMs = 3_600_000;
const chunks = 10;
const rowsOfChunk = 300;
/** More than are kept at a time. */
const sessions = 6;
const range = {fromMs: 0, toMs: 100 * hourMs - 1};

/** Each row has a few values of its own, a plan, and something that only its body tells; some rows are erased. */
function world() {
  const parts = new MemoryParts();
  const partition = new TestPartition(parts);
  for (let row = 0; row < chunks * rowsOfChunk; row++) {
    const own = Array.from({length: sessions}, (_, i) => [`session${i}`, `${i} of row ${row}`]);
    const properties = {
      plan: row % 3 === 0 ? 'team' : 'free',
      ...Object.fromEntries(own),
      nested: {plan: row % 2 === 0 ? 'team' : 'free'},
      ...(row % 400 === 0 ? {session0: {plan: 'team'}} : {}),
    };
    partition.append({user: row % 211 === 0 ? 'erased' : `u${row % 90}`, event: 'A', timeMs: row * 40_000, properties});
    if (row % rowsOfChunk === rowsOfChunk - 1) partition.cutChunk();
  }
  partition.erase('erased');
  const snapshot = partition.publish();
  const refs = snapshot.index.chunks.map(({rows}) => rows);
  const storedBytes = refs.reduce((sum, {bytes}) => sum + bytes, 0);
  parts.reads = 0;
  return {parts, snapshot, refs, storedBytes};
}

const countBy = (property: string, value: string): ReportQuery => ({
  report: 'events',
  event: 'A',
  interval: 'day',
  filter: {property, value},
  ...range,
});

const filters: readonly (readonly [string, string])[] = [
  ['plan', 'team'],
  ['nested.plan', 'team'],
  ['session0.plan', 'team'],
  ['session0', '0 of row 401'],
  ['session1', '1 of row 2999'],
  ['session2', '2 of row 7'],
  ['session3', '3 of row 1000'],
  ['session4', '4 of row 1001'],
  ['session5', 'of no row'],
  ['session5', '5 of row 211'],
];

const total = (answer: string): number => (JSON.parse(answer) as {total: number}).total;

describe('rows without values that nobody asks about', () => {
  test('take less, and are whole for who asks', async () => {
    const {parts, snapshot, refs, storedBytes} = world();
    const cache = new PartsCache(parts, 64 * mib, new AskedColumns());
    const ask = (query: ReportQuery) => new Evaluation(cache, mib).answer(query, [snapshot]);
    await ask(countBy('plan', 'team'));
    expect(cache.memory.bytesHeld).toBeLessThan(storedBytes / 2);
    expect(cache.bytesOfRows(refs[0]!) / refs[0]!.bytes).toBeLessThan(1 / 2);
    const readOnce = parts.reads;
    await ask(countBy('plan', 'free'));
    expect(parts.reads).toBe(readOnce);
    expect(total(await ask(countBy('session3', '3 of row 1000')))).toBe(1);
    expect(parts.reads).toBe(2 * readOnce);
    expect(total(await ask(countBy('session3', '3 of row 1001')))).toBe(1);
    expect(parts.reads).toBe(2 * readOnce);
  });

  test.each([
    ['all of them', 64 * mib],
    ['half of them', undefined],
    ['nothing', 0],
  ])('with room for %s, every question is answered as over whole rows', async (_, room) => {
    const {parts, snapshot, storedBytes} = world();
    const whole = new PartsCache(parts, 64 * mib);
    const right = new Map<string, string>();
    for (const [property, value] of filters)
      right.set(property + value, await new Evaluation(whole, mib).answer(countBy(property, value), [snapshot]));
    // 1,000, 1,500 and 8, without the erased ones among them: every 633rd, every 422nd, and the first.
    expect([...right.values()].map(total)).toEqual([995, 1_492, 7, 1, 1, 1, 1, 1, 0, 0]);
    const order = fc.shuffledSubarray([...filters], {minLength: 1});
    await fc.assert(
      fc.asyncProperty(order, fc.integer({min: 1, max: 4}), fc.boolean(), async (questions, atOnce, isIndexed) => {
        const cache = new PartsCache(parts, room ?? Math.floor(storedBytes / 4), new AskedColumns());
        const index = isIndexed ? new ValueIndex(cache, createLogger('silent', 'test'), 1) : undefined;
        const ask = async ([property, value]: readonly [string, string]): Promise<void> => {
          const evaluation = new Evaluation(cache, mib, undefined, undefined, index);
          expect(await evaluation.answer(countBy(property, value), [snapshot])).toBe(right.get(property + value));
        };
        for (let at = 0; at < questions.length; at += atOnce)
          await Promise.all(questions.slice(at, at + atOnce).map(ask));
        await Promise.all(questions.map(ask)); // More properties at once than are kept.
        await index?.settled();
        await Promise.all(questions.map(ask));
        expect(cache.memory.bytesHeld).toBeLessThanOrEqual(cache.memory.bytesMax);
      }),
      {numRuns: 12},
    );
  });

  test('a start reads ahead as many as fit without those values', async () => {
    const {parts, snapshot, refs, storedBytes} = world();
    const cache = new PartsCache(parts, Math.floor(storedBytes * 0.7), new AskedColumns());
    await warmUp(cache, [snapshot], async () => undefined);
    expect(refs.every((ref) => cache.heldRows(ref) !== undefined)).toBe(true);
  });

  test('a property that nobody asks about any more is left out again', () => {
    let nowMs = 0;
    const asked = new AskedColumns(() => nowMs);
    const keys = Array.from({length: 5}, (_, i) => new PropertyName(`p${i}`));
    const kept = (): string => keys.flatMap((name) => (asked.keeps(name.key) ? [name.text] : [])).join();
    for (const name of keys) asked.note(name);
    expect(kept()).toBe('p1,p2,p3,p4');
    nowMs = 20 * 60_000;
    asked.note(keys[2]!);
    asked.note(keys[0]!);
    expect(kept()).toBe('p0,p2,p3,p4');
    nowMs = 30 * 60_000;
    expect(kept()).toBe('p0,p2');
  });

  test('a part that is read whole meanwhile is not read as one without values', async () => {
    const {parts, refs} = world();
    const cache = new PartsCache(parts, 64 * mib, new AskedColumns());
    const session = new PropertyName('session1');
    const [first, second] = await Promise.all([cache.loadRows(refs[0]!), cache.loadRows(refs[0]!, session)]);
    expect([session.isToldBy(first), session.isToldBy(second)]).toEqual([false, true]);
    expect(session.isToldBy(cache.heldRows(refs[0]!)!)).toBe(true);
    expect(session.isToldBy(viewRows(await cache.load(refs[0]!)))).toBe(true);
  });

  test('whose turn is over before its part is read has the values all the same', async () => {
    const {parts, refs} = world();
    const asked = new AskedColumns();
    let whileReading = (): void => undefined;
    const read = async (revision: number): Promise<Uint8Array | undefined> => {
      whileReading();
      return parts.read(revision);
    };
    const cache = new PartsCache({read}, 64 * mib, asked);
    await cache.loadRows(refs[0]!);
    whileReading = () => {
      for (let i = 2; i < sessions; i++) asked.note(new PropertyName(`session${i}`));
    };
    const session = new PropertyName('session1');
    expect(session.isToldBy(await cache.loadRows(refs[0]!, session))).toBe(true);
    expect(session.isToldBy(cache.heldRows(refs[0]!)!)).toBe(false);
  });
});
