// How askers share work: one run for many, answers that are kept, loads that are ahead of their use.

import {describe, expect, test} from 'vitest';
import {ofService} from '../../src/asks/asker.js';
import {loadAhead} from '../../src/parts/load-ahead.js';
import {AnswerCache} from '../../src/report/published/answer-cache.js';
import {SingleFlight} from '../../src/single-flight.js';

interface Deferred<T> {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
  readonly reject: (error: Error) => void;
}

function deferred<T>(): Deferred<T> {
  let resolve: (value: T) => void = () => undefined;
  let reject: (error: Error) => void = () => undefined;
  const promise = new Promise<T>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  return {promise, resolve, reject};
}

/** Lets everything run that waits for nothing but promises. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('shared run', () => {
  test('whoever asks during a run gets the next one, shared with all who wait for it', async () => {
    const runs: Deferred<number>[] = [];
    const shared = new SingleFlight(() => {
      runs.push(deferred());
      return runs.at(-1)!.promise;
    });
    const first = shared.run();
    const [second, third] = [shared.run(), shared.run()];
    expect(runs.length).toBe(1);
    runs[0]!.resolve(1);
    expect(await first).toBe(1);
    await settled();
    expect(runs.length).toBe(2);
    runs[1]!.resolve(2);
    expect(await Promise.all([second, third])).toEqual([2, 2]);
  });

  test('a run that fails fails for its askers only', async () => {
    let runs = 0;
    const shared = new SingleFlight(async () => {
      runs += 1;
      if (runs === 1) throw new Error('down');
      return runs;
    });
    const first = shared.run();
    const second = shared.run();
    await expect(first).rejects.toThrow('down');
    expect(await second).toBe(2);
    expect(await shared.run()).toBe(3);
  });
});

describe('answer cache', () => {
  test('computes once for many askers, forgets failures, and what was asked longest ago', async () => {
    const cache = new AnswerCache(6);
    let computed = 0;
    const get = (tag: string, body: string): Promise<string> =>
      cache.get(tag, ofService, () => ({
        work: async () => {
          computed += 1;
          await settled();
          if (body === '') throw new Error('failed');
          return body;
        },
      }));
    expect(await Promise.all([get('a', 'aaa'), get('a', 'aaa')])).toEqual(['aaa', 'aaa']);
    await expect(get('b', '')).rejects.toThrow('failed');
    await get('b', 'bbb');
    expect(computed).toBe(3);
    await get('a', 'aaa');
    await get('c', 'ccc'); // b goes.
    await get('a', 'aaa');
    expect(computed).toBe(4);
    await get('b', 'bbb');
    expect(computed).toBe(5);
    await get('d', 'too long to keep');
    await get('b', 'bbb');
    expect(computed).toBe(6);
  });
});

describe('load ahead', () => {
  test('loads that begin with one take one more with each that is taken, up to their bound', async () => {
    let started = 0;
    const load = async (item: number) => {
      started += 1;
      return item * 2;
    };
    const startedAt: number[] = [];
    for await (const [item, value] of loadAhead([1, 2, 3, 4, 5, 6, 7, 8], load, 3, 1)) {
      expect(value).toBe(item * 2);
      startedAt.push(started);
    }
    expect(startedAt).toEqual([1, 3, 5, 6, 7, 8, 8, 8]);
  });

  test('keeps the order, whatever comes first, and loads no further than its bound', async () => {
    const loads = Array.from({length: 5}, () => deferred<string>());
    let started = 0;
    const items = [0, 1, 2, 3, 4];
    const load = (item: number): Promise<string> => {
      started += 1;
      return loads[item]!.promise;
    };
    const iterator = loadAhead(items, load, 2);
    const first = iterator.next();
    await settled();
    expect(started).toBe(2);
    loads[1]!.resolve('one');
    loads[0]!.resolve('zero');
    expect((await first).value).toEqual([0, 'zero']);
    expect((await iterator.next()).value).toEqual([1, 'one']);
    expect(started).toBe(3);
    for (const rest of loads) rest.resolve('rest');
    const values: unknown[] = [];
    for await (const value of iterator) values.push(value);
    expect(values).toEqual([2, 3, 4].map((item) => [item, 'rest']));
  });

  test('a load that fails ends the scan at its place; the one after it fails unheard', async () => {
    const scan = async (): Promise<number[]> => {
      const seen: number[] = [];
      try {
        for await (const [item] of loadAhead([0, 1, 2], async (i) => failFrom(1, i), 3)) seen.push(item);
      } catch {
        return seen;
      }
      throw new Error('the scan did not fail');
    };
    expect(await scan()).toEqual([0]);
    await settled();
  });
});

function failFrom(first: number, item: number): number {
  if (item >= first) throw new Error('gone');
  return item;
}
