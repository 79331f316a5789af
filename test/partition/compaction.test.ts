// Runs of a partition: what is merged at once is never stored, and what cannot be read stays as it is.
import {crc32} from 'node:zlib';
import {describe, expect, test} from 'vitest';
import type {PartRef, Run} from '../../actors/manifest.js';
import type {EncodedBlock} from '../../actors/partition.js';
import {mergeRecords, UserBlockReader, UserBlockWriter, type UserRecord} from '../../actors/user-records.js';
import {WindowDeltas} from '../../actors/window-deltas.js';
import {encodeWindows, viewWindows} from '../../actors/windows.js';
import {appendUserRun, appendWindowRun, type PartLoader} from '../../src/partition/compaction.js';
import type {PartStore} from '../../src/partition/part-store.js';
import {MissingPart} from '../../src/parts/parts-cache.js';
import {Random} from '../differential/random.js';

const errand = {turn: async () => undefined};
const hourMs = 3_600_000;

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
      const next = await appendUserRun(runs, encoded(records), parts.store, parts, errand);
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

  test('a run that is merged at once is not put: one put for each block of what came of it', async () => {
    const parts = new Parts();
    const users = Array.from({length: 100}, (_, user) => user);
    const first = await appendUserRun([], encoded(users.map((u) => recordOf(u, 5, [1]))), parts.store, parts, errand);
    expect([first.length, parts.puts]).toEqual([1, 1]);
    const both = await appendUserRun(first, encoded(users.map((u) => recordOf(u, 9, [2]))), parts.store, parts, errand);
    expect([both.length, parts.puts]).toEqual([1, 2]);
    const records = decoded({payload: await parts.load(both[0].blocks[0].part)});
    expect(records[99]).toEqual({...recordOf(99, 5, [1, 2]), lastEventMs: 9});
  });

  test('a run is merged with one of at most twice its size: most snapshots leave the records of all users alone', async () => {
    const parts = new Parts();
    const run = (count: number) => encoded(Array.from({length: count}, (_, user) => recordOf(user, 5, [1])));
    const whole = await appendUserRun([], run(1_000), parts.store, parts, errand);
    const third = await appendUserRun(whole, run(333), parts.store, parts, errand);
    expect([third.length, parts.puts]).toEqual([2, 2]);
    expect(third[0]).toBe(whole[0]);
    const half = await appendUserRun(whole, run(501), parts.store, parts, errand);
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
      errand,
    );
    expect(older[0].blocks.length).toBeGreaterThan(2);
    parts.payloads.delete(older[0].blocks[2].part.key);
    const fresh = encoded(Array.from({length: 18_000}, (_, user) => recordOf(user, 9, [4])));
    const runs = await appendUserRun(older, fresh, parts.store, parts, errand);
    expect(runs.length).toBe(2);
    expect(runs[0]).toBe(older[0]);
    expect(runs[1].bytes).toBe(fresh.reduce((sum, {payload}) => sum + payload.length, 0));
    const kept = keysOf(runs).filter((key) => key !== older[0].blocks[2].part.key);
    expect([...parts.payloads.keys()].sort()).toEqual(kept.sort());
  });

  test('an empty run changes nothing', async () => {
    const parts = new Parts();
    const runs: readonly Run[] = [];
    expect(await appendUserRun(runs, [], parts.store, parts, errand)).toBe(runs);
    expect(parts.puts).toBe(0);
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

test('runs of windows: a delta that is merged at once adds to the counts and days, and is not put', async () => {
  const parts = new Parts();
  const append = async (runs: readonly Run[], users: readonly number[]): Promise<readonly Run[]> => {
    const deltas = new WindowDeltas();
    for (const user of users) deltas.add(user * hourMs, 0, user, true);
    const blocks = [...deltas.encode(() => false)].map((view) => ({
      first: view.firstDay,
      last: view.lastDay,
      payload: encodeWindows(view),
    }));
    const next = await appendWindowRun(runs, blocks, parts.store, parts, () => false, errand);
    parts.replace(runs, next);
    return next;
  };
  const runs = await append(await append([], [1, 2, 30]), [2, 3, 31]);
  expect([runs.length, parts.puts, parts.payloads.size]).toEqual([1, 2, 1]);
  const view = viewWindows(await parts.load(runs[0].blocks[0].part));
  expect([...view.days]).toEqual([0, 1]);
  expect([...view.members]).toEqual([1, 2, 3, 30, 31]);
  expect([...view.counts]).toEqual([1, 2, 1, 1, 1]);
});
