// Runs of a partition: what is merged at once is never stored, and what cannot be read stays as it is.
import {crc32} from 'node:zlib';
import {describe, expect, test} from 'vitest';
import {WindowDeltas} from '../../../actors/aggregator/window-deltas.js';
import {encodeWindows, viewWindows} from '../../../actors/aggregator/windows.js';
import type {EncodedBlock, PartRef, Run} from '../../../actors/manifest.js';
import {
  mergeRecords,
  noIds,
  UserBlockReader,
  UserBlockWriter,
  type UserRecord,
} from '../../../actors/user/user-records.js';
import {TimeSlicer} from '../../../src/pacing/time-slicer.js';
import {appendUserRun, appendWindowRun, type PartLoader} from '../../../src/partition/snapshot/compaction.js';
import type {PartStore} from '../../../src/partition/snapshot/part-store.js';
import {MissingPart} from '../../../src/parts/stored-parts.js';
import {Random} from '../../../tools/random.js';

const slicer = new TimeSlicer();
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** Parts in memory; what is retired is gone. */
class Parts implements PartLoader {
  readonly payloads = new Map<string, Uint8Array>();
  puts = 0;
  readonly store = this as unknown as PartStore;

  async put(payload: Uint8Array): Promise<PartRef> {
    const key = String(++this.puts);
    this.payloads.set(key, payload);
    const {length} = payload;
    return {key, revisions: [this.puts], bytes: length, valueBytes: length, crcs: [crc32(payload)]};
  }

  retire(...refs: readonly PartRef[]): void {
    for (const {key} of refs) expect(this.payloads.delete(key), `part ${key} is retired once`).toBe(true);
  }

  async load(ref: PartRef): Promise<Uint8Array> {
    const payload = this.payloads.get(ref.key);
    if (payload === undefined) throw new MissingPart(ref);
    return payload;
  }

  /** As the layout does. */
  replace(before: readonly Run[], after: readonly Run[]): void {
    const kept = new Set(keysOf(after));
    const gone = before.flatMap(({blocks}) => blocks).filter(({part}) => !kept.has(part.key));
    this.retire(...gone.map(({part}) => part));
  }
}

const keysOf = (runs: readonly Run[]): string[] => runs.flatMap(({blocks}) => blocks.map(({part}) => part.key));

function encoded(records: readonly UserRecord[]): EncodedBlock[] {
  const writer = new UserBlockWriter();
  const blocks: EncodedBlock[] = [];
  for (const record of records) {
    writer.add(record);
    if (writer.isFull) blocks.push(writer.finish());
  }
  if (!writer.isEmpty) blocks.push(writer.finish());
  return blocks;
}

function decoded({payload}: Pick<EncodedBlock, 'payload'>): UserRecord[] {
  const reader = new UserBlockReader(payload);
  const records: UserRecord[] = [];
  for (let record = reader.next(); record !== undefined; record = reader.next()) records.push(record);
  return records;
}

const recordOf = (user: number, timeMs: number, chunks: readonly number[]): UserRecord => ({
  user,
  createdMs: timeMs,
  lastEventMs: timeMs,
  lastIdentifyMs: undefined,
  traits: undefined,
  identifyIds: noIds,
  chunks,
});

/** Some of the users below `userCount`, ascending. */
function delta(random: Random, userCount: number, chunk: number): UserRecord[] {
  const share = random.next();
  const users = Array.from({length: userCount}, (_, user) => user).filter(() => random.chance(share));
  return users.map((user) => recordOf(user, random.between(0, 1_000), [chunk]));
}

describe('runs of user records', () => {
  test('are one whole after every append, and nothing is stored that no run names', async () => {
    const random = new Random(7);
    const parts = new Parts();
    const all = new Map<number, UserRecord>();
    let runs: readonly Run[] = [];
    for (let chunk = 0; chunk < 30; chunk++) {
      const records = delta(random, random.between(1, 12_000), chunk);
      for (const record of records) {
        const older = all.get(record.user);
        all.set(record.user, older === undefined ? record : mergeRecords(older, record));
      }
      const next = await appendUserRun(runs, encoded(records), parts.store, parts, slicer);
      parts.replace(runs, next);
      runs = next;
      expect([...parts.payloads.keys()].sort()).toEqual(keysOf(runs).sort());
      const merged = new Map<number, UserRecord>();
      for (const {blocks} of runs) {
        for (const {part} of blocks) {
          for (const record of decoded({payload: await parts.load(part)})) {
            const older = merged.get(record.user);
            merged.set(record.user, older === undefined ? record : mergeRecords(older, record));
          }
        }
      }
      expect([...merged.values()].sort((a, b) => a.user - b.user)).toEqual(
        [...all.values()].sort((a, b) => a.user - b.user),
      );
    }
  });

  test('records of users that nothing new was said about stay where they are', async () => {
    const parts = new Parts();
    const run = (from: number, to: number) =>
      encoded(Array.from({length: to - from}, (_, i) => recordOf(from + i, 5, [1])));
    const old = await appendUserRun([], run(0, 40_000), parts.store, parts, slicer);
    const next = await appendUserRun(old, run(39_999, 90_000), parts.store, parts, slicer);
    expect(next.length).toBe(1);
    const untouched = keysOf(old).slice(0, -1);
    expect(untouched.length).toBeGreaterThan(2);
    expect(keysOf(next).slice(0, untouched.length)).toEqual(untouched);
    const users: number[] = [];
    for (const {first, last, part} of next[0].blocks) {
      const records = decoded({payload: await parts.load(part)});
      expect([records[0]!.user, records.at(-1)!.user]).toEqual([first, last]);
      users.push(...records.map(({user}) => user));
    }
    expect(users).toEqual(Array.from({length: 90_000}, (_, user) => user));
  });

  test('a run is merged with one of at most twice its size: most snapshots leave the records of all users alone', async () => {
    const parts = new Parts();
    const run = (count: number) => encoded(Array.from({length: count}, (_, user) => recordOf(user, 5, [1])));
    const whole = await appendUserRun([], run(1_000), parts.store, parts, slicer);
    const third = await appendUserRun(whole, run(333), parts.store, parts, slicer);
    expect([third.length, parts.puts]).toEqual([2, 2]);
    expect(third[0]).toBe(whole[0]);
    const half = await appendUserRun(whole, run(501), parts.store, parts, slicer);
    expect(half.length).toBe(1);
    expect(decoded({payload: await parts.load(half[0].blocks[0].part)}).length).toBe(1_000);
  });

  test('a run that cannot be read stays as it is, the new one is stored beside it, and nothing else is left', async () => {
    const parts = new Parts();
    const older = await appendUserRun(
      [],
      encoded(Array.from({length: 20_000}, (_, user) => recordOf(user, 5, [1, 2, 3]))),
      parts.store,
      parts,
      slicer,
    );
    expect(older[0].blocks.length).toBeGreaterThan(2);
    parts.payloads.delete(older[0].blocks[2].part.key);
    const fresh = encoded(Array.from({length: 18_000}, (_, user) => recordOf(user, 9, [4])));
    const runs = await appendUserRun(older, fresh, parts.store, parts, slicer);
    expect(runs.length).toBe(2);
    expect(runs[0]).toBe(older[0]);
    expect(runs[1].bytes).toBe(fresh.reduce((sum, {payload}) => sum + payload.length, 0));
    const kept = keysOf(runs).filter((key) => key !== older[0].blocks[2].part.key);
    expect([...parts.payloads.keys()].sort()).toEqual(kept.sort());
  });

  test('a block is closed at 8,192 users, or at 256 KiB', () => {
    const plain = encoded(Array.from({length: 9_000}, (_, user) => recordOf(user, 5, [1])));
    expect(plain.map(({first, last}) => [first, last])).toEqual([
      [0, 8_191],
      [8_192, 8_999],
    ]);
    const chunks = Array.from({length: 200}, (_, chunk) => chunk);
    const heavy = encoded(Array.from({length: 2_000}, (_, user) => recordOf(user, 5, chunks)));
    expect(heavy.length).toBe(2);
    expect(heavy[0].payload.length).toBeGreaterThanOrEqual(256 * 1024);
    expect(heavy[0].payload.length).toBeLessThan(257 * 1024);
  });
});

const encodedWindows = (deltas: WindowDeltas, erased: ReadonlySet<number>): EncodedBlock[] =>
  [...deltas.encode((user) => erased.has(user), 0)].map((view) => ({
    first: view.firstDay,
    last: view.lastDay,
    payload: encodeWindows(view),
  }));

async function appended(
  parts: Parts,
  runs: readonly Run[],
  deltas: WindowDeltas,
  erased: ReadonlySet<number> = new Set(),
): Promise<readonly Run[]> {
  const next = await appendWindowRun(runs, encodedWindows(deltas, erased), parts.store, parts, erased, slicer);
  parts.replace(runs, next);
  return next;
}

/** Days of a thousand users each, of whom every one did one thing. */
function busyDays(firstDay: number, lastDay: number, firstUser = 0): WindowDeltas {
  const deltas = new WindowDeltas();
  for (let day = firstDay; day <= lastDay; day++) {
    for (let user = firstUser; user < firstUser + 1_000; user++) deltas.add(day * dayMs, 0, user, true);
  }
  return deltas;
}

describe('runs of windows', () => {
  test('days that got nothing new stay where they are: their blocks are neither read nor put again', async () => {
    const parts = new Parts();
    const old = await appended(parts, [], busyDays(0, 199));
    expect(old[0].blocks.length).toBeGreaterThan(2);
    const untouched = old[0].blocks.slice(0, -1).map(({part}) => part.key);
    for (const key of untouched) parts.payloads.set(key, new Uint8Array(1)); // Whoever reads one fails.
    const puts = parts.puts;
    const runs = await appended(parts, old, busyDays(199, 260, 1_000));
    expect(runs.length).toBe(1);
    expect(keysOf(runs).slice(0, untouched.length)).toEqual(untouched);
    expect(runs[0].bytes).toBe(runs[0].blocks.reduce((sum, {part}) => sum + part.bytes, 0));
    expect(parts.puts - puts).toBe(runs[0].blocks.length - untouched.length);
    const seam = viewWindows(await parts.load(runs[0].blocks[untouched.length].part));
    const at = seam.days.indexOf(199);
    expect(seam.memberOffsets[at + 1] - seam.memberOffsets[at]).toBe(2_000);
  });

  test('where a later block cannot be read, what was to be taken over before it stays', async () => {
    const parts = new Parts();
    const old = await appended(parts, [], busyDays(0, 199));
    const [first, last] = [old[0].blocks[0].part, old[0].blocks.at(-1)!.part];
    parts.payloads.delete(last.key);
    const fresh = encodedWindows(busyDays(199, 260), new Set());
    const runs = await appendWindowRun(old, fresh, parts.store, parts, new Set(), slicer);
    expect(runs.length).toBe(2);
    expect(runs[0]).toBe(old[0]);
    expect(parts.payloads.has(first.key)).toBe(true);
    const there = keysOf(runs).filter((key) => key !== last.key);
    expect([...parts.payloads.keys()].sort()).toEqual(there.sort());
  });

  test('say what was added to them after every append, each day in one block of a run, and nothing else is stored', async () => {
    for (let seed = 0; seed < 4; seed++) await growRandomly(new Random(seed));
  }, 60_000);
});

async function growRandomly(random: Random): Promise<void> {
  const parts = new Parts();
  const counts = new Map<string, number>();
  const members = new Map<number, Set<number>>();
  const erased = new Set<number>();
  let runs: readonly Run[] = [];
  for (let snapshot = 0; snapshot < 20; snapshot++) {
    const deltas = new WindowDeltas();
    const newest = snapshot * 6;
    const events = random.between(1, 12_000);
    for (let i = 0; i < events; i++) {
      const day = newest + (random.chance(0.0002) ? -random.between(0, newest) : random.between(0, 12));
      const user = random.between(0, 3_000);
      if (erased.has(user)) continue;
      const [hour, name] = [day * 24 + random.between(0, 23), random.between(0, 3)];
      deltas.add(hour * hourMs, name, user, true);
      counts.set(`${hour} ${name}`, (counts.get(`${hour} ${name}`) ?? 0) + 1);
      const ofDay = members.get(day) ?? new Set();
      members.set(day, ofDay.add(user));
    }
    // Who is erased leaves with what it did: here an event at any hour, which may become 0.
    if (random.chance(0.3)) {
      erased.add(random.between(0, 3_000));
      const [cell] = counts.keys();
      const [hour, name] = cell!.split(' ').map(Number);
      deltas.subtract(hour! * hourMs, name!);
      counts.set(cell!, counts.get(cell!)! - 1);
      if (counts.get(cell!) === 0) counts.delete(cell!);
    }
    runs = await appended(parts, runs, deltas, erased);
    expect([...parts.payloads.keys()].sort()).toEqual(keysOf(runs).sort());
    const [told, zeros] = await toldBy(runs, parts, erased);
    const left = [...members].map(([day, users]) => [day, [...users].filter((user) => !erased.has(user))] as const);
    expect(told.counts).toEqual(counts);
    expect(told.members).toEqual(new Map(left.map(([day, users]) => [day, users.sort((a, b) => a - b)])));
    if (runs.length > 1) continue;
    expect(zeros, 'cells of nothing in a run of all').toBe(0);
    erased.clear(); // As the partition does: no run holds them any more.
    for (const [day, users] of left) members.set(day, new Set(users));
  }
}

/** What all runs together say without the erased; and how many cells of 0 the first has. */
async function toldBy(runs: readonly Run[], parts: Parts, erased: ReadonlySet<number>) {
  const counts = new Map<string, number>();
  const members = new Map<number, Set<number>>();
  let zeros = 0;
  for (const [r, run] of runs.entries()) {
    let lastDay = -1;
    for (const {first, last, part} of run.blocks) {
      const view = viewWindows(await parts.load(part));
      expect([view.firstDay, view.lastDay]).toEqual([first, last]);
      expect(first, 'days are in one block of a run').toBeGreaterThan(lastDay);
      lastDay = last;
      for (const [i, hour] of view.hours.entries()) {
        const cell = `${hour} ${view.names[i]}`;
        counts.set(cell, (counts.get(cell) ?? 0) + view.counts[i]);
        if (r === 0 && view.counts[i] === 0) zeros += 1;
      }
      for (const [i, day] of view.days.entries()) {
        const ofDay = members.get(day) ?? new Set<number>();
        for (const user of view.members.subarray(view.memberOffsets[i], view.memberOffsets[i + 1])) {
          if (!erased.has(user)) ofDay.add(user);
        }
        members.set(day, ofDay);
      }
    }
  }
  for (const [cell, count] of counts) if (count === 0) counts.delete(cell);
  const sorted = new Map([...members].map(([day, users]) => [day, [...users].sort((a, b) => a - b)]));
  return [{counts, members: sorted}, zeros] as const;
}
