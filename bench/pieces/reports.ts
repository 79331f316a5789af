// Pieces of reports and history: what is looked for in memory, put in order, and written.

import {bucketLabel} from '../../actors/calendar.js';
import {type FoundRow, type HistoryFilter, NewestRows} from '../../actors/chunk/history.js';
import {firstAt, firstAtNear, noUser, type RowsView, timeOrder} from '../../actors/chunk/rows.js';
import {chunkRowsMax, hourMs} from '../../actors/limits.js';
import {activeFields, intervalText} from '../../actors/report/counts/answers.js';
import {Buckets} from '../../actors/report/counts/buckets.js';
import {NumberCounts} from '../../actors/report/counts/number-counts.js';
import {forEachBucket, type TimedNumbers} from '../../actors/report/counts/timed-numbers.js';
import {medianOf, NumberList, NumberLists} from '../../actors/report/funnel/median.js';
import {TimeSort} from '../../actors/report/rows/time-sort.js';
import {chooseGroups, ValueGroups} from '../../actors/report/rows/value-groups.js';
import {GroupCounts} from '../../src/report/operators/grouped-rows.js';
import {canonical, dayMs} from '../workload/events.js';
import {type Piece, sumOf, told} from './piece.js';
import type {SomeEvents} from './some-events.js';

export function reportPieces(events: SomeEvents): Piece[] {
  return [
    ...series(events.count),
    median(events.count),
    usedAgain(events.count),
    rowsOfUsers(events),
    endsOfHours(events),
    rowsOfOneUser(events),
    eventsByNumber(events),
  ];
}

/** Counts by day, as many answers as have `count` buckets together. */
function series(count: number): Piece[] {
  const {startMs, dayCount} = canonical;
  const buckets = new Buckets(startMs, startMs + dayCount * dayMs - 1, 'day');
  const counts = Float64Array.from({length: dayCount}, (_, day) => 15_000 + ((day * 7_919) % 9_973));
  const answers = Math.max(1, Math.floor(count / dayCount));
  const plainly = (): string => {
    const data = Array.from(counts, (number, bucket) => ({date: buckets.label(bucket), count: number}));
    const total = counts.reduce((sum, number) => sum + number, 0);
    return JSON.stringify({interval: buckets.interval, data, total});
  };
  const written = (): string => {
    const total = counts.reduce((sum, number) => sum + number, 0);
    return `{${intervalText(buckets)},${activeFields(buckets.labels(), counts, total)}}`;
  };
  const labels = (): string[] => Array.from({length: dayCount}, (_, day) => bucketLabel(buckets.edges[day]!, 'day'));
  return [
    {
      quick: 'a series: written as text',
      plain: 'a series: objects and JSON.stringify',
      work: {quick: last(answers, written), plain: last(answers, plainly)},
      count: answers * dayCount,
    },
    {
      quick: 'dates of a series: month by month',
      plain: 'dates of a series: one by one',
      work: {quick: last(answers, () => buckets.labels()), plain: last(answers, labels)},
      count: answers * dayCount,
    },
  ];
}

/** So often, as it is done for so many answers. */
function last<T extends {toString(): string}>(times: number, make: () => T): () => T {
  return () => {
    let made = make();
    for (let i = 1; i < times; i++) made = make();
    return made;
  };
}

/** Times between two steps: most are minutes, some are weeks. In lists, one a partition. */
function median(count: number): Piece {
  const all = Float64Array.from({length: count}, (_, i) => Math.floor(Math.exp((((i * 7_919) % count) / count) * 21)));
  const quarter = Math.ceil(count / 4);
  const lists = [0, 1, 2, 3].map((part) => {
    const list = new NumberList();
    for (const number of all.subarray(part * quarter, (part + 1) * quarter)) list.push(number);
    return list;
  });
  return {
    quick: 'a median: sought in cells',
    plain: 'a median: sorted',
    work: {
      quick: () => String(medianOf(lists)),
      plain: () => {
        const sorted = all.slice().sort();
        return (sorted[(count - 1) >> 1]! + sorted[count >> 1]!) / 2;
      },
    },
    count,
  };
}

/** Durations of 13 steps, a block of users after the other. */
function usedAgain(count: number): Piece {
  const block = new Float64Array(4_096).fill(1);
  const blocks = Math.max(1, Math.floor(count / 13 / block.length));
  const filled = (lists: NumberLists) => () => {
    const taken = Array.from({length: 13}, () => lists.take());
    for (let i = 0; i < blocks; i++) for (const list of taken) list.pushAll(block, block.length);
    const counts = taken.map((list) => list.count);
    for (const list of taken) lists.giveBack(list);
    return counts;
  };
  return {
    quick: 'durations of a funnel: lists used again',
    plain: 'durations of a funnel: new lists',
    work: {quick: filled(new NumberLists(2 ** 30)), plain: filled(new NumberLists(0))},
    count: 13 * blocks * block.length,
  };
}

/** Rows of each user, as they come of chunks: a few ascending runs. */
function rowsOfUsers(events: SomeEvents): Piece {
  const {starts, rows} = byUser(events);
  const times = Float64Array.from(rows, (row) => events.times[row]!);
  const kinds = Uint8Array.from(rows, (row) => events.names[row]!);
  const content = (some: Float64Array, of: Uint8Array) => told(() => [sumOf(some), sumOf(of)]);
  return {
    quick: 'rows of each user by time: runs merged',
    plain: 'rows of each user by time: comparator',
    work: {
      quick: () => {
        const [some, of] = [times.slice(), kinds.slice()];
        const sort = new TimeSort((room) => new Uint8Array(room));
        for (let user = 0; user + 1 < starts.length; user++) sort.sort(some, of, starts[user]!, starts[user + 1]!);
        return content(some, of);
      },
      plain: () => {
        const [some, of] = [times.slice(), kinds.slice()];
        for (let user = 0; user + 1 < starts.length; user++) {
          const [start, end] = [starts[user]!, starts[user + 1]!];
          const places = Uint32Array.from({length: end - start}, (_, i) => start + i);
          places.sort((a, b) => times[a]! - times[b]! || a - b);
          for (const [i, place] of places.entries()) {
            some[start + i] = times[place]!;
            of[start + i] = kinds[place]!;
          }
        }
        return content(some, of);
      },
    },
    count: events.count,
  };
}

/** Rows of user u: rows[starts[u]] to rows[starts[u + 1]], in the order in which they came. */
function byUser({count, users}: SomeEvents): {starts: Uint32Array; rows: Uint32Array} {
  const userCount = users.reduce((most, user) => Math.max(most, user + 1), 0);
  const starts = new Uint32Array(userCount + 1);
  for (const user of users) starts[user + 1]! += 1;
  for (let user = 0; user < userCount; user++) starts[user + 1]! += starts[user]!;
  const [places, rows] = [starts.slice(), new Uint32Array(count)];
  for (const [row, user] of users.entries()) rows[places[user]!++] = row;
  return {starts, rows};
}

function endsOfHours(events: SomeEvents): Piece {
  const chunks = chunksOf(events);
  const counted = (search: typeof firstAtNear) => () => {
    let hours = 0;
    for (const chunk of chunks) {
      const {times, order} = chunk;
      for (let at = 0; at < order.length; hours++)
        at = search(chunk, (Math.floor(times[order[at]!]! / hourMs) + 1) * hourMs, at);
    }
    return hours;
  };
  return {
    quick: 'ends of hours: sought near their starts',
    plain: 'ends of hours: sought in all of the chunk',
    work: {quick: counted(firstAtNear), plain: counted(firstAt)},
    count: counted(firstAt)(),
  };
}

function chunksOf({count, times, users, names}: SomeEvents): RowsView[] {
  return Array.from({length: Math.ceil(count / chunkRowsMax)}, (_, chunk) => {
    const some = <T extends Float64Array | Uint32Array>(column: T): T =>
      column.subarray(chunk * chunkRowsMax, (chunk + 1) * chunkRowsMax) as T;
    const [own, of] = [some(times), some(users)];
    return {
      chunk,
      baseOrdinal: chunk * chunkRowsMax,
      count: own.length,
      timeBase: 0,
      times: own,
      users: of,
      noUser,
      names: some(names),
      order: timeOrder(own, of, own.length),
    };
  });
}

/** The newest page of some ordinary users. */
function rowsOfOneUser(events: SomeEvents): Piece {
  const chunks = chunksOf(events);
  const asked = [10, 100, 1_000, 10_000];
  const pages = (rowsOf: (filter: HistoryFilter) => readonly FoundRow[]) => () =>
    asked.map((user) => {
      const open = {name: undefined, fromMs: 0, toMs: Number.MAX_SAFE_INTEGER, ordinalEnd: Infinity, before: undefined};
      return rowsOf({...open, user}).map(({ordinal}) => ordinal);
    });
  return {
    quick: 'rows of one user: out of the column of users',
    plain: 'rows of one user: by time',
    work: {
      quick: pages((filter) => {
        const newest = new NewestRows(100, filter);
        for (const chunk of chunks) newest.offer(chunk);
        return newest.rows;
      }),
      plain: pages(({user}) => newestByTime(chunks, user!)),
    },
    count: asked.length * events.count,
  };
}

function newestByTime(chunks: readonly RowsView[], user: number): FoundRow[] {
  const found: FoundRow[] = [];
  for (const {order, users, times, baseOrdinal} of chunks) {
    for (let at = order.length - 1; at >= 0; at--) {
      const row = order[at]!;
      if (users[row] === user) found.push({timeMs: times[row]!, ordinal: baseOrdinal + row});
    }
  }
  return found.sort((a, b) => b.timeMs - a.timeMs || b.ordinal - a.ordinal).slice(0, 100);
}

/** The most frequent of tens of thousands of numbers, by month. */
function eventsByNumber({count, times}: SomeEvents): Piece {
  const {startMs, dayCount} = canonical;
  const buckets = new Buckets(startMs, startMs + dayCount * dayMs - 1, 'month');
  const numberEnd = 60_000;
  const chunks = Array.from({length: Math.ceil(count / chunkRowsMax)}, (_, chunk): TimedNumbers => {
    const own = Float64Array.from(times.subarray(chunk * chunkRowsMax, (chunk + 1) * chunkRowsMax)).sort();
    const numbers = Int32Array.from(own, (_, row) => ((chunk * chunkRowsMax + row) * 7_919) % numberEnd);
    return {bytes: 0, timeBase: 0, times: own, numbers, end: numberEnd};
  });
  const limit = 25;
  const rowsBy = (fill: (groups: ValueGroups, cells: Float64Array) => void) => () => {
    const cells = new Float64Array((limit + 4) * buckets.count);
    fill(new ValueGroups(), cells);
    return cells;
  };
  return {
    quick: 'events by number: an array by the number',
    plain: 'events by number: the group of each event',
    work: {
      quick: rowsBy((groups, cells) => {
        const counted = new NumberCounts();
        for (const chunk of chunks) counted.add(chunk, buckets);
        const shown = chooseGroups(groups, counted.totals(groups, new Float64Array(0)), limit);
        const work = counted.rowsByBucket(groups, shown, buckets, (row, bucket, events) => {
          cells[row * buckets.count + bucket]! += events;
        });
        while (!work.next().done);
      }),
      plain: rowsBy((groups, cells) => {
        const counts = new GroupCounts(buckets.count, Number.POSITIVE_INFINITY);
        const ofEvents = new Uint32Array(chunkRowsMax);
        for (const chunk of chunks) {
          forEachBucket(chunk, buckets, (bucket, start, end) => {
            groups.readNumbers(chunk.numbers, start, end, ofEvents);
            counts.addRun(ofEvents, 0, end - start, bucket);
          });
        }
        const {rowOf} = chooseGroups(groups, counts.totals(), limit);
        for (let bucket = 0; bucket < buckets.count; bucket++) {
          const events = counts.ofBucket(bucket);
          for (let group = 0; group < groups.count; group++)
            cells[rowOf[group]! * buckets.count + bucket]! += events[group] ?? 0;
        }
      }),
    },
    count,
  };
}
