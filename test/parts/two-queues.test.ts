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

  test('what was made outlasts what is frequent by its worth, and leaves in the end where nobody asks for it', () => {
    const queues = new TwoQueues<string>(100);
    const scan = () => {
      for (let key = 0; key < 100; key++) ask(queues, `scanned${key}`);
    };
    queues.addMade('cheap', 'cheap', 20, 40);
    queues.addMade('worth it', 'worth it', 20, 200);
    const scansSurvived = (key: string): number => {
      for (let scans = 0; scans < 100; scans++) {
        if (queues.peek(key) === undefined) return scans;
        scan();
      }
      return Infinity;
    };
    const cheap = scansSurvived('cheap');
    expect(cheap).toBeGreaterThan(1);
    const worthIt = cheap + scansSurvived('worth it');
    expect(worthIt).toBeGreaterThan(3 * cheap);
    expect(worthIt).toBeLessThan(Infinity);
  });

  test('what was made and is asked for stays, whatever goes through; one that takes everything is not kept', () => {
    const queues = new TwoQueues<string>(100);
    queues.addMade('made', 'made', 20, 40);
    for (let scan = 0; scan < 20; scan++) {
      for (let key = 0; key < 100; key++) ask(queues, `scanned${key}`);
      expect(queues.get('made')).toBe('made');
    }
    queues.addMade('too large', 'too large', 101, 1_000);
    expect([queues.get('too large'), queues.get('made')]).toEqual([undefined, 'made']);
    queues.drop('made');
    expect(queues.get('made')).toBeUndefined();
  });

  test('what is worked out of a value takes free room, and no other value leaves for it', () => {
    const queues = new TwoQueues<string>(10);
    queues.add('a', 'a', 4);
    queues.add('b', 'b', 4);
    expect([queues.reserve('b', 'b', 3), queues.reserve('b', 'b', 2), queues.reserve('a', 'a', 1)]).toEqual([
      false,
      true,
      false,
    ]);
    expect([queues.bytes, queues.get('a')]).toEqual([10, 'a']);
    expect([queues.reserve('b', 'b', -1), queues.bytes]).toEqual([true, 9]);
    queues.add('c', 'c', 4);
    expect([queues.bytes, queues.get('b')]).toEqual([8, undefined]);
    expect([queues.reserve('b', 'b', 1), queues.reserve('c', 'another', 1), queues.bytes]).toEqual([false, false, 8]);
  });

  test('values that nobody asks for any more make room', () => {
    const queues = new TwoQueues<string>(10);
    for (let key = 0; key < 10; key++) ask(queues, `k${key}`);
    const used = ['k0', 'k3', 'k9'];
    const askUsed = (rounds: number) => {
      for (let round = 0; round < rounds; round++) for (const key of used) ask(queues, key);
    };
    askUsed(10);
    expect(queues.reserve('k3', 'k3', 5)).toBe(false);
    askUsed(10);
    expect(queues.reserve('k3', 'k3', 5)).toBe(true);
    expect([queues.bytes, ...used.map((key) => queues.get(key))]).toEqual([10, ...used]);
    expect(queues.reserve('k3', 'k3', 3)).toBe(false); // The two others that are left are not enough.
    expect(used.map((key) => queues.get(key))).toEqual(used);
  });

  test('another bound holds at once', () => {
    const queues = new TwoQueues<string>(12);
    for (const key of ['a', 'b', 'c']) queues.add(key, key, 4);
    queues.bound(9);
    expect([queues.bytes, queues.bytesMax, queues.get('a')]).toEqual([8, 9, undefined]);
    queues.bound(12);
    queues.add('d', 'd', 4);
    expect(queues.bytes).toBe(12);
  });

  test('what was made and is asked for counts among what is asked for: going through all of it makes no part stale', () => {
    const queues = new TwoQueues<string>(100);
    const parts = Array.from({length: 5}, (_, key) => `part${key}`);
    const made = Array.from({length: 40}, (_, key) => `made${key}`);
    for (const key of parts) queues.add(key, key, 10);
    for (const key of made) queues.addMade(key, key, 1, 10);
    for (let round = 0; round < 5; round++) for (const key of [...parts, ...made]) queues.get(key);
    expect(queues.dropStale(11)).toBe(false);
    expect(parts.map((key) => queues.peek(key))).toEqual(parts);
  });

  test('a value does not leave for what is worked out of it', () => {
    const queues = new TwoQueues<string>(10);
    queues.addMade('made', 'made', 4, 40);
    queues.add('a', 'a', 5);
    for (let round = 0; round < 50; round++) queues.get('made');
    expect([queues.reserve('a', 'a', 3), queues.peek('a'), queues.bytes]).toEqual([false, 'a', 9]);
    queues.bound(2);
    expect(queues.bytes).toBe(0);
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
    expect([queues.dropStale(10), held(), queues.peek('newest')]).toEqual([true, [], undefined]);
  });

  test('what was new and is asked for is like what was read', () => {
    const queues = new TwoQueues<string>(80);
    for (let key = 0; key < 10; key++) queues.addUnasked(`new${key}`, `new${key}`, 1);
    expect(queues.reserve('new0', 'new0', 1)).toBe(false); // Nothing is worked out of what nobody asked for.
    expect(queues.get('new0')).toBe('new0');
    expect([queues.reserve('new0', 'new0', 1), queues.bytes]).toEqual([true, 11]);
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
      does: fc.constantFrom(
        'add',
        'add',
        'addUnasked',
        'addMade',
        'reserve',
        'drop',
        'get',
        'get',
        'bound',
        'dropStale',
      ),
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
        else if (does === 'dropStale') queues.dropStale(bytes);
        else if (isHeld && does === 'reserve') {
          if (queues.reserve(name, name, bytes)) sizes.set(name, sizes.get(name)! + bytes);
        } else if (!isHeld && does !== 'reserve') {
          if (does === 'addMade') queues.addMade(name, name, bytes, 3 * bytes);
          else if (does === 'addUnasked') queues.addUnasked(name, name, bytes);
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
