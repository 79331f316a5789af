// What a start asks itself changes nothing that anybody can see, and cannot hinder the start.
import {beforeAll, describe, expect, test} from 'vitest';
import {chunkRowsMax} from '../../../actors/limits.js';
import {writeEvent} from '../../../actors/log/entries.js';
import {HistoryReads} from '../../../src/partition/reads/history-reads.js';
import {longReadSlots, readPage} from '../../../src/partition/reads/read-budget.js';
import {rehearse} from '../../../src/partition/reads/rehearsal.js';
import {PartsCache} from '../../../src/parts/parts-cache.js';
import {MemoryShell} from '../../support/memory-shell.js';

const anyMsMax = 60_000;
const cacheBytesMax = 64 * 1024 * 1024;
const day = Date.UTC(2026, 4, 1);

describe('rehearsal', () => {
  const shell = new MemoryShell();
  beforeAll(async () => {
    for (let first = 0; first < chunkRowsMax + 100; first += 500) {
      const write = (writer: Parameters<typeof writeEvent>[0]) => {
        for (let i = first; i < first + 500; i++) {
          const [event, userId] = [`e${i % 7}`, `u${i % 40}`];
          writeEvent(writer, {event, userId, timeMs: day + i * 50, receivedMs: day, properties: {i}});
        }
      };
      await shell.append(write, undefined, 500);
    }
  });

  test('pages of every kind are read, and say the same afterwards', async () => {
    const setup = shell.readable(cacheBytesMax);
    const reads = new HistoryReads(setup);
    const ask = () =>
      Promise.all(
        [undefined, 3].flatMap((user) =>
          ['e1', undefined].map((event) =>
            readPage(longReadSlots(), Number.POSITIVE_INFINITY, (budget) =>
              reads.history({ask: 'history', limit: 50, withEvents: true, ...(event && {event})}, user, budget),
            ),
          ),
        ),
      );
    const before = await ask();
    expect(setup.layout.chunks.size).toBe(1);
    expect(await rehearse([setup], anyMsMax)).toBe(140);
    expect(await ask()).toEqual(before);
  });

  test('it ends with its time', async () => {
    expect(await rehearse([shell.readable(cacheBytesMax)], -1)).toBe(0);
  });

  test('a store that fails, or lost a part, ends it and fails nobody', async () => {
    const setup = shell.readable(cacheBytesMax);
    for (const read of [async () => undefined, () => Promise.reject(new Error('no store'))]) {
      const pages = await rehearse([{...setup, cache: new PartsCache({read}, cacheBytesMax)}], anyMsMax);
      expect(pages).toBeLessThan(140);
    }
  });
});
