import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {TwoQueues} from '../../src/parts/two-queues.js';
import {runs} from '../support/runs.js';

/** Asks as a cache does: what is not kept is loaded and offered. */
function ask(queues: TwoQueues<string>, key: string, bytes = 1): boolean {
  if (queues.get(key) !== undefined) return true;
  queues.add(key, key, bytes);
  return false;
}

describe('two queues', () => {
  test('while everything fits nothing leaves', () => {
    const queues = new TwoQueues<string>(100);
    for (let key = 0; key < 100; key++) ask(queues, `k${key}`);
    expect(Array.from({length: 100}, (_, key) => ask(queues, `k${key}`))).not.toContain(false);
  });

  test('what was used longest ago leaves first', () => {
    const queues = new TwoQueues<string>(2);
    for (const key of ['a', 'b', 'a', 'c']) ask(queues, key);
    expect(['a', 'b', 'c'].map((key) => queues.get(key) !== undefined)).toEqual([true, false, true]);
  });

  test('a scan larger than the cache leaves what is asked for again and again where it is', () => {
    const queues = new TwoQueues<string>(100);
    const hot = Array.from({length: 40}, (_, key) => `hot${key}`);
    const scanned = Array.from({length: 1_000}, (_, key) => `cold${key}`);
    const askAll = (keys: readonly string[]) => keys.filter((key) => ask(queues, key)).length;
    askAll(hot);
    askAll(Array.from({length: 100}, (_, key) => `first${key}`));
    expect(askAll(hot)).toBe(0); // They left once: nothing said yet that they would be wanted again.
    for (let scan = 0; scan < 3; scan++) {
      for (const key of scanned) for (let use = 0; use < 3; use++) ask(queues, key);
      expect(askAll(hot)).toBe(hot.length);
    }
  });

  test('what nobody asked for yet has free room, leaves first where others want theirs, and has a share of it', () => {
    const queues = new TwoQueues<string>(80);
    const unasked = Array.from({length: 80}, (_, key) => `new${key}`);
    for (const key of unasked) queues.addUnasked(key, key, 1);
    const held = () => unasked.filter((key) => queues.peek(key) !== undefined);
    expect(held()).toEqual(unasked);
    const used = Array.from({length: 100}, (_, key) => `used${key}`);
    for (const key of used.slice(0, 70)) ask(queues, key);
    expect([held(), queues.bytes]).toEqual([unasked.slice(-10), 80]); // The oldest went.
    for (const key of used) ask(queues, key);
    expect(held()).toEqual(unasked.slice(-10));
    queues.addUnasked('newest', 'newest', 1);
    expect(held()).toEqual(unasked.slice(-9));
    queues.addUnasked('too large', 'too large', 81);
    expect([queues.peek('too large'), held().length]).toEqual([undefined, 9]);
  });

  test('what was new and is asked for is like what was read', () => {
    const queues = new TwoQueues<string>(80);
    for (let key = 0; key < 10; key++) queues.addUnasked(`new${key}`, `new${key}`, 1);
    expect(queues.get('new0')).toBe('new0');
    for (let key = 0; key < 80; key++) {
      ask(queues, `used${key}`);
      expect([queues.get('new0'), queues.get('new9')]).toEqual(['new0', 'new9']);
    }
    for (const key of ['new9', 'new0']) queues.drop(key);
    for (let key = 1; key < 10; key++) queues.drop(`new${key}`);
    for (let key = 0; key < 80; key++) queues.drop(`used${key}`);
    expect(queues.bytes).toBe(0);
  });

  test('the bound holds whatever happens, and what is held is what was put', () => {
    const someCall = fc.record({
      key: fc.integer({min: 0, max: 12}),
      bytes: fc.integer({min: 0, max: 14}),
      does: fc.constantFrom('add', 'add', 'addUnasked', 'drop', 'get', 'get', 'bound'),
      times: fc.integer({min: 1, max: 30}),
    });
    const property = fc.property(fc.array(someCall, {maxLength: 300, size: 'max'}), (calls) => {
      const queues = new TwoQueues<string>(12);
      const sizes = new Map<string, number>();
      for (const {key, bytes, does, times} of calls) {
        const name = `k${key}`;
        const isHeld = queues.peek(name) !== undefined;
        if (does === 'drop') queues.drop(name);
        else if (does === 'get') for (let time = 0; time < times; time++) queues.get(name);
        else if (does === 'bound') queues.bound(bytes);
        else if (!isHeld) {
          if (does === 'addUnasked') queues.addUnasked(name, name, bytes);
          else queues.add(name, name, bytes);
          sizes.set(name, bytes);
        }
        // Looked at without a trace: values nobody asks for are what this is about.
        const kept = [...sizes].filter(([keptName]) => queues.peek(keptName) === keptName);
        expect(queues.bytes).toBe(kept.reduce((sum, [, size]) => sum + size, 0));
        expect(queues.bytes).toBeLessThanOrEqual(queues.bytesMax);
      }
    });
    fc.assert(property, {seed: 20_261, numRuns: runs(150)});
  });
});
