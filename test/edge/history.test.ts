// Paging over partitions that answer as the real ones may: in short replies, with rows that vanish between the phases.
import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {type Asker, ofService} from '../../src/asks/asker.js';
import type {RowPlace} from '../../src/asks/events.js';
import type {PartitionAnswer, PartitionQuestion} from '../../src/asks/partition.js';
import {Asks, type Requester} from '../../src/edge/query/asks.js';
import {type HistoryFilters, HistoryReader, type HistoryStart} from '../../src/edge/query/history.js';

interface Row {
  readonly timeMs: number;
  erased: boolean;
}

/** Rows by partition and ordinal. */
class FakePartitions implements Requester {
  readonly partitions: Row[][];
  /** Bodies of one reply. */
  bodiesMax = 3;
  bodiesAsked = 0;
  /** Called between the phases. */
  beforeBodies: () => void = () => {};
  isSilent = false;
  isCrowded = false;
  /** Who asked the questions so far. */
  readonly askers = new Set<Asker | undefined>();

  constructor(times: readonly (readonly number[])[]) {
    this.partitions = times.map((rows) => rows.map((timeMs) => ({timeMs, erased: false})));
  }

  get order(): string[] {
    const rows = this.partitions.flatMap((own, partition) =>
      own.map((row, ordinal) => ({...row, partition, ordinal})).filter((row) => !row.erased),
    );
    rows.sort((a, b) => b.timeMs - a.timeMs || b.partition - a.partition || b.ordinal - a.ordinal);
    return rows.map(({partition, ordinal}) => `"${partition}-${ordinal}"`);
  }

  async request(subject: string, question: object, {asker}: {asker?: Asker}): Promise<PartitionAnswer> {
    this.askers.add(asker);
    if (this.isSilent) throw new Error('503');
    if (this.isCrowded) return {kind: 'crowded', message: 'too many'};
    const partition = Number(subject.split('.')[2]);
    return this.answer(partition, question as PartitionQuestion);
  }

  private events(partition: number, ordinals: readonly number[]): (string | null)[] {
    const some = ordinals.slice(0, this.bodiesMax);
    return some.map((at) => (this.partitions[partition][at].erased ? null : `"${partition}-${at}"`));
  }

  private answer(partition: number, question: PartitionQuestion): PartitionAnswer {
    const own = this.partitions[partition];
    if (question.ask === 'bodies') {
      this.beforeBodies();
      this.bodiesAsked += 1;
      const events = this.events(partition, question.ordinals);
      return {kind: 'bodies', events, users: events.map(() => 0)};
    }
    if (question.ask !== 'history') throw new Error(`not expected: ${question.ask}`);
    const ordinalEnd = question.ordinalEnd ?? own.length;
    const rows = own
      .map(({timeMs, erased}, ordinal) => ({timeMs, ordinal, erased}))
      .filter((row) => !row.erased && row.ordinal < ordinalEnd && isAfter({...row, partition}, question.before))
      .sort((a, b) => b.timeMs - a.timeMs || b.ordinal - a.ordinal)
      .map(({timeMs, ordinal}) => ({timeMs, ordinal}));
    const answer = {
      kind: 'history',
      timesMs: rows.slice(0, question.limit).map(({timeMs}) => timeMs),
      ordinals: rows.slice(0, question.limit).map(({ordinal}) => ordinal),
      more: rows.length > question.limit,
      ordinalEnd,
    } as const;
    if (!question.withEvents) return answer;
    this.beforeBodies();
    return {
      ...answer,
      events: this.events(
        partition,
        [...answer.ordinals].sort((a, b) => a - b),
      ),
    };
  }
}

function isAfter(row: RowPlace, before: RowPlace | undefined): boolean {
  if (before === undefined) return true;
  return (row.timeMs - before.timeMs || row.partition - before.partition || row.ordinal - before.ordinal) < 0;
}

const readPage = (fake: FakePartitions, limit: number, start?: HistoryStart, filters: HistoryFilters = {}) =>
  new HistoryReader(new Asks(fake), [...fake.partitions.keys()], filters, ofService).read(limit, start);

describe('history', () => {
  const times = fc.array(fc.array(fc.integer({min: 0, max: 5}), {maxLength: 12}), {minLength: 1, maxLength: 4});

  test('pages of any size are one order, each of them full, while rows arrive', async () => {
    await fc.assert(
      fc.asyncProperty(times, fc.array(fc.integer({min: 1, max: 9}), {minLength: 1}), async (rows, limits) => {
        const fake = new FakePartitions(rows);
        const whole = fake.order;
        const paged: string[] = [];
        let start: HistoryStart | undefined;
        for (let i = 0; ; i++) {
          const limit = limits[i % limits.length];
          const page = await readPage(fake, limit, start);
          paged.push(...page.events);
          for (const own of fake.partitions) own.push({timeMs: 3, erased: false});
          if (page.next === undefined) break;
          expect(page.events).toHaveLength(limit);
          start = {place: page.next, ordinalEnds: page.ordinalEnds};
        }
        expect(paged).toEqual(whole);
      }),
    );
  });

  test('rows that are erased between the phases are made up for', async () => {
    const fake = new FakePartitions([
      [9, 7, 5, 3],
      [8, 6, 4, 2],
    ]);
    fake.beforeBodies = () => {
      fake.partitions[0][0].erased = true;
      fake.partitions[1][1].erased = true;
    };
    const page = await readPage(fake, 4);
    expect(page.events).toEqual(['"1-0"', '"0-1"', '"0-2"', '"1-2"']);
    const rest = await readPage(fake, 4, {place: page.next!, ordinalEnds: page.ordinalEnds});
    expect(rest).toMatchObject({events: ['"0-3"', '"1-3"'], next: undefined});
  });

  test('a page of one user of which rows are erased meanwhile is of nobody', async () => {
    const user = {user: {kind: 'user', id: 'ada'}} as const;
    const fake = new FakePartitions([[9, 7, 5, 3]]);
    expect(await readPage(fake, 2, undefined, user)).toMatchObject({events: ['"0-0"', '"0-1"'], isUserUnknown: false});
    fake.bodiesMax = 1;
    fake.beforeBodies = () => {
      fake.partitions[0][1].erased = true;
    };
    const page = await readPage(fake, 4, undefined, user);
    expect(page).toMatchObject({events: [], next: undefined, isUserUnknown: true});
  });

  test('one partition answers rows and events at once, and is asked for those that did not fit', async () => {
    const fake = new FakePartitions([[9, 7, 8, 3, 5]]);
    fake.bodiesMax = 4;
    expect((await readPage(fake, 4)).events).toEqual(['"0-0"', '"0-2"', '"0-1"', '"0-4"']);
    expect(fake.bodiesAsked).toBe(0);
    fake.bodiesMax = 2;
    expect((await readPage(fake, 5)).events).toEqual(['"0-0"', '"0-2"', '"0-1"', '"0-4"', '"0-3"']);
    expect(fake.bodiesAsked).toBe(2);
    fake.beforeBodies = () => {
      fake.partitions[0][2].erased = true;
    };
    expect((await readPage(fake, 2)).events).toEqual(['"0-0"', '"0-1"']);
  });

  test('a partition that does not answer is a 503, not a shorter page', async () => {
    const fake = new FakePartitions([[1]]);
    fake.isSilent = true;
    await expect(readPage(fake, 4)).rejects.toMatchObject({failure: {code: 'unavailable'}});
  });

  test('every question says who asks, and a caller with too many long pages is told 429', async () => {
    const fake = new FakePartitions([
      [9, 7],
      [8, 6],
    ]);
    expect((await readPage(fake, 4)).events).toHaveLength(4);
    expect(fake.bodiesAsked).toBe(2);
    expect([...fake.askers]).toEqual([ofService]);
    fake.isCrowded = true;
    await expect(readPage(fake, 4)).rejects.toMatchObject({failure: {code: 'rate_limited'}});
  });
});
