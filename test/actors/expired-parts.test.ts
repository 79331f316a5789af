import {describe, expect, test} from 'vitest';
import {WindowDeltas} from '../../actors/aggregator/window-deltas.js';
import {windowsFrom} from '../../actors/aggregator/windows.js';
import {countedRows} from '../../actors/chunk/left-rows.js';
import {noName, type RowsView} from '../../actors/chunk/rows.js';
import {chunkFrom, isChunkDue, runsFrom, withoutParts} from '../../actors/expired-parts.js';
import {dayMs} from '../../actors/limits.js';
import {type ChunkEntry, type PartRef, partsOfChunk} from '../../actors/manifest.js';
import {countedKey} from '../../actors/report/selection.js';
import {UserSet} from '../../actors/table/user-set.js';

const ref = (key: string): PartRef => ({key, revisions: [1], bytes: 10, valueBytes: 10, crcs: [0]});

const entryOf = (minTimeMs: number, middleTimeMs: number, maxTimeMs: number): ChunkEntry => ({
  ...{chunk: 3, baseOrdinal: 30, count: 10, live: 9, leftOut: 0, names: [1], keptFromMs: 0},
  ...{minTimeMs, middleTimeMs, maxTimeMs},
  ...{rows: ref('rows'), properties: ref('properties'), bodies: ref('bodies')},
});

describe('a chunk whose rows expire', () => {
  test('begins later, and later again; what was left out never counts again', () => {
    const entry = entryOf(100, 200, 300);
    expect(chunkFrom(entry, 100)).toBe(entry);
    const cut = chunkFrom(entry, 150);
    expect([cut.minTimeMs, cut.keptFromMs, cut.live, isChunkDue(cut)]).toEqual([150, 150, 9, false]);
    expect(countedKey(cut)).not.toBe(countedKey(entry));
    const later = chunkFrom(cut, 201);
    expect([later.minTimeMs, later.keptFromMs, isChunkDue(later)]).toEqual([201, 201, true]);
    expect(chunkFrom(later, 0)).toBe(later);
  });

  test('has no live row once the newest one has expired, and then no parts', () => {
    const gone = chunkFrom(entryOf(100, 200, 300), 301);
    expect([gone.live, gone.minTimeMs > gone.maxTimeMs, gone.names, isChunkDue(gone)]).toEqual([0, true, [], true]);
    const empty = withoutParts(gone);
    expect([partsOfChunk(empty), isChunkDue(empty)]).toEqual([[], false]);
    expect([empty.baseOrdinal, empty.count]).toEqual([30, 10]);
  });
});

test('no reader counts an expired row: it leaves the order, and loses its name', () => {
  const rows: RowsView = {
    ...{chunk: 0, baseOrdinal: 0, count: 4, timeBase: 1_000, noUser: 0xffff},
    times: Uint32Array.of(50, 10, 60, 20),
    users: Uint16Array.of(1, 1, 2, 3),
    names: Uint32Array.of(5, 5, 6, 6),
    order: Uint16Array.of(1, 3, 0, 2),
  };
  const left = new UserSet();
  left.add(2);
  const kept = countedRows({leftOut: 0, keptFromMs: 1_020}, rows, left);
  expect([[...kept.order], [...kept.names]]).toEqual([
    [3, 0],
    [5, noName, noName, 6],
  ]);
  expect(countedRows({leftOut: 0, keptFromMs: 1_010}, rows, left)).toBe(rows);
  expect([...countedRows({leftOut: 1, keptFromMs: 0}, rows, left).order]).toEqual([1, 3, 0]);
});

describe('windows that expire', () => {
  const deltas = new WindowDeltas();
  for (let day = 10; day < 14; day++) {
    deltas.add(day * dayMs, 1, day, true);
    deltas.add(day * dayMs + 3_600_000, 2, day + 100, true);
  }
  const [view] = [...deltas.encode(() => false, 11)];

  test('a snapshot has none of their changes', () => {
    expect([view!.firstDay, view!.lastDay, [...view!.days]]).toEqual([11, 13, [11, 12, 13]]);
    expect([...view!.hours]).toEqual([264, 265, 288, 289, 312, 313]);
  });

  test('a view from a day on has its cells and sets alone', () => {
    const from = windowsFrom(view!, 12);
    expect([...from.hours]).toEqual([288, 289, 312, 313]);
    expect([...from.days]).toEqual([12, 13]);
    const members = [...from.members.subarray(from.memberOffsets[0], from.memberOffsets[1])];
    expect(members).toEqual([12, 112]);
    expect(windowsFrom(view!, 11)).toBe(view);
  });

  test('runs lose blocks, and the block with the day begins with it', () => {
    const block = (first: number, last: number) => ({first, last, part: ref(`${first}`)});
    const runs = [
      {blocks: [block(1, 3), block(4, 9), block(10, 12)], bytes: 30},
      {blocks: [block(2, 2)], bytes: 10},
      {blocks: [block(8, 8)], bytes: 10},
    ];
    expect(runsFrom(runs, 6)).toEqual([
      {blocks: [{...block(4, 9), first: 6}, block(10, 12)], bytes: 20},
      {blocks: [block(8, 8)], bytes: 10},
    ]);
    expect(runsFrom(runs, 1)).toBe(runs);
  });
});
