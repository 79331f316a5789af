// Pages of history that read much: how many at once, for how long, and that nobody's turn is lost.
import {describe, expect, test} from 'vitest';
import {chunkRowsMax} from '../../../actors/limits.js';
import {writeEvent} from '../../../actors/log/entries.js';
import {type Asker, ofService} from '../../../src/asks/asker.js';
import {monotonicMs} from '../../../src/clock.js';
import type {DealtSlots} from '../../../src/pacing/dealt-slots.js';
import {HistoryReads} from '../../../src/partition/reads/history-reads.js';
import {longReadSlots, type ReadBudget, ReadTooLong, readPage} from '../../../src/partition/reads/read-budget.js';
import {MemoryShell} from '../../support/memory-shell.js';

const partsFreely = 256;
const within = (ms: number): number => monotonicMs() + ms;
const never = within(24 * 3_600_000);

/** A page of so many parts; it ends when `end` is called, or fails with what `fail` is called with. */
class Page {
  hasBegun = false;
  end = (): void => {};
  fail = (_error: Error): void => {};
  readonly result: Promise<string>;

  constructor(slots: DealtSlots, parts: number, endMs = never, asker: Asker = ofService) {
    const held = new Promise<void>((resolve, reject) => Object.assign(this, {end: resolve, fail: reject}));
    this.result = readPage(
      slots,
      endMs,
      async (budget) => {
        await countAll(budget, parts);
        this.hasBegun = true;
        await held;
        return 'page';
      },
      asker,
    );
    this.result.catch(() => undefined);
  }
}

async function countAll(budget: ReadBudget, parts: number): Promise<void> {
  for (let part = 0; part < parts; part++) await budget.count();
}

const turns = async (): Promise<void> => {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
};

describe('long reads', () => {
  test('pages of few parts wait for nobody', async () => {
    const slots = longReadSlots();
    const long = Array.from({length: 5}, () => new Page(slots, partsFreely + 1));
    const short = Array.from({length: 20}, () => new Page(slots, partsFreely));
    await turns();
    expect(short.every(({hasBegun}) => hasBegun)).toBe(true);
    for (const page of [...long, ...short]) page.end();
    expect(await Promise.all([...long, ...short].map(({result}) => result))).toHaveLength(25);
  });

  test('two long ones at once, the others in their order, also behind one that fails', async () => {
    const slots = longReadSlots();
    const pages = Array.from({length: 5}, () => new Page(slots, 3 * partsFreely));
    const begun = async () => {
      await turns();
      return pages.map(({hasBegun}) => hasBegun);
    };
    expect(await begun()).toEqual([true, true, false, false, false]);
    pages[1]!.fail(new Error('a part is damaged'));
    await expect(pages[1]!.result).rejects.toThrow('a part is damaged');
    expect(await begun()).toEqual([true, true, true, false, false]);
    pages[0]!.end();
    expect(await begun()).toEqual([true, true, true, true, false]);
    for (const page of pages) page.end();
    await Promise.allSettled(pages.map(({result}) => result));
    const later = [new Page(slots, 300), new Page(slots, 300), new Page(slots, 300)];
    await turns();
    expect(later.map(({hasBegun}) => hasBegun)).toEqual([true, true, false]); // No turn was lost, and none won.
  });

  test('one whose time is over while it waits gives up its place, and one that reads on ends', async () => {
    const slots = longReadSlots();
    const [first, second] = [new Page(slots, 300), new Page(slots, 300)];
    const [third, fourth] = [new Page(slots, 300, within(30)), new Page(slots, 300)];
    await expect(third.result).rejects.toThrow(ReadTooLong);
    first.end();
    await turns();
    expect([third.hasBegun, fourth.hasBegun]).toEqual([false, true]);
    for (const page of [second, fourth]) page.end();
    await Promise.all([first.result, second.result, fourth.result]);
    const endless = readPage(slots, within(30), async (budget) => {
      for (;;) {
        await budget.count();
        await turns();
      }
    });
    await expect(endless).rejects.toThrow(ReadTooLong);
    const after = [new Page(slots, 300), new Page(slots, 300)];
    await turns();
    expect(after.every(({hasBegun}) => hasBegun)).toBe(true);
  });

  test('a page of history whose time is over reads no further part', async () => {
    const shell = new MemoryShell();
    for (let first = 0; first < 3 * chunkRowsMax; first += 4_096) {
      const write = (writer: Parameters<typeof writeEvent>[0]) => {
        for (let i = first; i < first + 4_096; i++) {
          // Of all chunks each may have the newest rows, and none has enough of them.
          const event = i % 8_192 === 0 ? 'rare' : 'other';
          const timeMs = Date.UTC(2026, 4, 1) + ((i * 7) % 1_000) * 1_000;
          writeEvent(writer, {event, userId: `u${i % 40}`, timeMs, receivedMs: timeMs, properties: undefined});
        }
      };
      await shell.append(write, undefined, 4_096);
    }
    const setup = shell.readable(0);
    expect(setup.layout.chunks.size).toBe(3);
    const reads = new HistoryReads(setup);
    let counted = 0;
    const question = {ask: 'history', event: 'rare', limit: 50} as const;
    const page = (endMs: number) =>
      readPage(longReadSlots(), endMs, (budget) => {
        const count = budget.count.bind(budget);
        budget.count = () => {
          counted += 1;
          return count();
        };
        return reads.history(question, undefined, budget);
      });
    await expect(page(within(-1))).rejects.toThrow(ReadTooLong);
    expect(counted).toBe(1);
    const answer = await page(never);
    expect(answer).toMatchObject({kind: 'history', more: false});
    expect(counted).toBe(4);
  });
});
