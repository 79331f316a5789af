// Copies that are made of pages of changes, beside what exports and the list of users say at the same position: random stories of
// users who join, are erased and come again, and of devices that one user after the other uses, over partitions that publish at
// times of their own and are killed. COPY_SEEDS=200 plays 200 stories.

import {describe, expect, test} from 'vitest';
import {type ByteWriter, wtf8} from '../../actors/bytes/bytes.js';
import {partitionOf} from '../../actors/bytes/hash.js';
import {
  type AcceptedEvent,
  type KeyKind,
  writeErase,
  writeEvent,
  writeIdentify,
  writeLink,
} from '../../actors/log/entries.js';
import type {Manifest} from '../../actors/manifest.js';
import type {ChangesPlace} from '../../src/asks/changes.js';
import {loadRowKernel} from '../../src/partition/row-kernel.js';
import {PartsCache} from '../../src/parts/parts-cache.js';
import {Evaluation} from '../../src/report/evaluate.js';
import {NewestSnapshots, type PartitionSnapshot} from '../../src/report/published/newest-snapshots.js';
import {referencesBy} from '../../src/report/user-references.js';
import {Random} from '../../tools/random.js';
import {linesOf, valuesOf} from '../support/lines.js';
import {KeptParts, MemoryShell} from '../support/memory-shell.js';
import {runs} from '../support/runs.js';

const partitionCount = 3;
const users = ['ada', 'bob', 'cyd', 'dan'];
const devices = ['p1', 'p2', 'p3', 'p4'];
const seeds = process.env.COPY_SEEDS === undefined ? runs(12) : Number(process.env.COPY_SEEDS);
const startMs = Date.UTC(2024, 1, 28);
const references = referencesBy((hash) => `ref-${hash}`, [1, 2, 3]);

function homeOf(kind: KeyKind, id: string): number {
  const key = wtf8(kind + id);
  return partitionOf(key, 0, key.length, partitionCount);
}

/** Keeps its log, so that a start folds again what no snapshot has. */
class LoggedShell {
  shell: MemoryShell;
  private readonly log: (readonly [sequence: number, bytes: Uint8Array])[] = [];
  published: Manifest | undefined;

  constructor(partition: number, parts: KeptParts) {
    this.shell = new MemoryShell(loadRowKernel(), {partition, partitions: partitionCount}, parts);
    this.listen();
  }

  private listen(): void {
    const {shell} = this;
    const fold = shell.fold.bind(shell);
    shell.fold = (sequence, bytes) => {
      this.log.push([sequence, bytes]);
      return fold(sequence, bytes);
    };
  }

  async publish(asOfMs: number): Promise<void> {
    this.published = await this.shell.publish(asOfMs);
  }

  /** What no snapshot has is lost but for the log, which the next process folds. */
  async killed(): Promise<void> {
    const shell = await this.shell.restarted();
    const from = this.published?.position.sequence ?? 0;
    for (const [sequence, bytes] of this.log) if (sequence > from) await shell.fold(sequence, bytes);
    this.shell = shell;
    this.listen();
  }
}

class World {
  readonly parts = new KeptParts();
  readonly homes = Array.from({length: partitionCount}, (_, partition) => new LoggedShell(partition, this.parts));
  private readonly random: Random;
  private told = 0;
  private readonly sent = new Set<string>();

  constructor(random: Random) {
    this.random = random;
  }

  async step(): Promise<void> {
    const {random} = this;
    const steps = {event: 40, identify: 8, link: 8, leave: 7, send: 8, settle: 6, erase: 4, publish: 12, kill: 2};
    switch (random.weighted(steps)) {
      case 'event':
        return this.event();
      case 'identify':
        return this.identify();
      case 'link':
        return this.link();
      case 'leave':
        return this.homes[random.between(0, partitionCount - 1)]!.shell.leave();
      case 'send':
        return this.send();
      case 'settle':
        return this.settle();
      case 'erase':
        return random.chance(0.7) ? this.erase('u', random.pick(users)) : this.erase('a', random.pick(devices));
      case 'publish':
        return this.publish(random.between(0, partitionCount - 1));
      case 'kill':
        return this.homes[random.between(0, partitionCount - 1)]!.killed();
    }
  }

  append(kind: KeyKind, id: string, write: (writer: ByteWriter) => void): Promise<void> {
    return this.homes[homeOf(kind, id)]!.shell.append(write);
  }

  private async event(): Promise<void> {
    const {random} = this;
    const userId = random.chance(0.4) ? random.pick(users) : undefined;
    const anonymousId = userId === undefined || random.chance(0.3) ? random.pick(devices) : undefined;
    // Late ones among them.
    const timeMs = startMs + random.between(0, 60) * 60_000;
    const event: AcceptedEvent = {
      event: random.pick(['view', 'buy']),
      ...(userId === undefined ? {} : {userId}),
      ...(anonymousId === undefined ? {} : {anonymousId}),
      ...(random.chance(0.3) ? {messageId: `m${random.between(0, 5)}`} : {}),
      properties: {n: this.told++},
      timeMs,
      receivedMs: timeMs + 1,
    };
    const home = userId === undefined ? homeOf('a', anonymousId!) : homeOf('u', userId);
    const count = random.chance(0.1) ? 3 : 1;
    for (let i = 0; i < count; i++) await this.homes[home]!.shell.append((writer) => writeEvent(writer, event));
  }

  private async identify(): Promise<void> {
    const {random} = this;
    const userId = random.pick(users);
    const timeMs = startMs + random.between(0, 60) * 60_000;
    const traits = JSON.stringify({plan: random.pick(['free', 'team'])});
    await this.homes[homeOf('u', userId)]!.shell.append((writer) => writeIdentify(writer, userId, traits, timeMs));
  }

  private async link(): Promise<void> {
    const [device, user] = [this.random.pick(devices), this.random.pick(users)];
    await this.homes[homeOf('a', device)]!.shell.append((writer) => writeLink(writer, device, user, startMs));
  }

  /** Moves of published snapshots, in the order of their numbers; some again. */
  async send(from = this.random.between(0, partitionCount - 1)): Promise<void> {
    const {shell, published} = this.homes[from]!;
    for (const move of [...shell.partition.moves.pending]) {
      const isPublished = move.contents !== null && move.n <= (published?.moves.left[move.to] ?? 0);
      if (!isPublished) continue;
      await shell.sendTo(this.homes[move.to]!.shell, move);
      this.sent.add(`${from} ${move.to} ${move.n}`);
    }
  }

  private settle(
    from = this.random.between(0, partitionCount - 1),
    to = this.random.between(0, partitionCount - 1),
  ): void {
    const {published} = this.homes[to]!;
    if (published !== undefined) this.homes[from]!.shell.settle(published);
  }

  settleAll(): void {
    for (const from of this.homes.keys()) for (const to of this.homes.keys()) this.settle(from, to);
  }

  /** In the partitions of the user's devices first. */
  async erase(kind: KeyKind, id: string): Promise<void> {
    const key = wtf8(kind + id);
    const home = homeOf(kind, id);
    const deletionId = `del_${this.told++}`;
    const others = this.homes.filter(
      ({shell}, partition) => partition !== home && shell.partition.links.devicesOf(key, 0, key.length).length > 0,
    );
    for (const {shell} of [...others, this.homes[home]!]) {
      const {partition} = shell.partition;
      await this.send(partition);
      shell.isSent = (user) => {
        const move = shell.partition.moves.moveOf(user);
        return move !== undefined && this.sent.has(`${partition} ${move.to} ${move.n}`);
      };
      await shell.append((writer) => writeErase(writer, kind, id, deletionId, startMs));
    }
    for (const partition of [...others.map(({shell}) => shell.partition.partition), home])
      await this.publish(partition);
  }

  publish(partition: number): Promise<void> {
    return this.homes[partition]!.publish(startMs + this.told);
  }
}

interface Line {
  readonly [field: string]: unknown;
  readonly type: 'event' | 'profile' | 'joined' | 'erased' | 'removed';
}

type Row = Record<string, unknown>;

const ordinalOf = (id: unknown): number => Number(String(id).split('-')[1]);

/** What a receiver does: docs/api/exports.md, Changes. */
class Copy {
  readonly events = new Map<unknown, Row>();
  readonly profiles = new Map<unknown, Row>();
  after: readonly ChangesPlace[] | undefined;
  repeated = 0;

  apply({type, ...line}: Line): void {
    switch (type) {
      case 'event':
        if (this.events.has(line.id)) this.repeated += 1;
        this.events.set(line.id, line);
        return;
      case 'profile':
        this.profiles.set(line.user_ref, line);
        return;
      case 'joined':
        for (const row of this.rowsOf({ref: line.anonymous_ref, from: line.from, through: line.through}))
          Object.assign(row, {user_ref: line.user_ref, userId: line.userId, joined: true});
        return;
      case 'erased':
        if (line.event_ref !== undefined) {
          const [partition] = String(line.through).split('-');
          for (const {id, event_ref} of [...this.events.values()])
            if (event_ref === line.event_ref && String(id).startsWith(`${partition}-`))
              if (ordinalOf(id) <= ordinalOf(line.through)) this.events.delete(id);
          return;
        }
        for (const {id} of this.rowsOf({ref: line.user_ref, from: line.from, through: line.through}))
          this.events.delete(id);
        if (line.through === undefined) this.profiles.delete(line.user_ref);
        return;
      case 'removed':
        this.events.delete(line.id);
    }
  }

  private rowsOf({ref, from, through}: {ref: unknown; from?: unknown; through: unknown}): Row[] {
    const isMeant = ({user_ref, id}: Row): boolean =>
      user_ref === ref &&
      (from === undefined || ordinalOf(from) <= ordinalOf(id)) &&
      (through === undefined || ordinalOf(id) <= ordinalOf(through));
    return [...this.events.values()].filter(isMeant);
  }

  shownEvents(): Row[] {
    return [...this.events.values()].map(({user_ref: _, event_ref: __, ...event}) => event).sort(byId);
  }

  /** Known users, as GET /v1/users shows them. */
  shownUsers(): Row[] {
    const ids = new Map<unknown, unknown>();
    for (const {user_ref, userId} of [...this.events.values(), ...this.profiles.values()])
      if (typeof userId === 'string') ids.set(user_ref, userId);
    return [...ids].map(([ref, id]) => {
      const times = [...this.events.values()].filter((row) => row.user_ref === ref).map((row) => `${row.timestamp}`);
      const profile = this.profiles.get(ref);
      const created = [...times, ...(profile === undefined ? [] : [`${profile.created_at}`])].sort()[0];
      const last_seen = times.sort().at(-1) ?? profile?.identified_at;
      return {id, kind: 'user', created_at: created, last_seen, traits: profile?.traits ?? {}};
    });
  }
}

const byId = (a: Row, b: Row): number => (`${a.id}` < `${b.id}` ? -1 : 1);

class Readers {
  readonly copies = [new Copy(), new Copy(), new Copy()];
  private readonly newest: NewestSnapshots;
  readonly evaluation: Evaluation;
  private readonly random: Random;

  constructor(world: World, random: Random) {
    this.random = random;
    const cache = new PartsCache(world.parts, 1 << 24);
    let revision = 0;
    this.newest = new NewestSnapshots(
      {lastRevision: async () => (revision += 1), newest: async (partition) => world.homes[partition]!.published},
      cache,
      partitionCount,
    );
    this.evaluation = new Evaluation(cache, 1 << 20);
  }

  async snapshots(): Promise<readonly PartitionSnapshot[]> {
    return (await this.newest.read()).map((snapshot) => snapshot!);
  }

  /** @returns whether there is more. */
  async page(copy: Copy, limit: number): Promise<boolean> {
    const query = {limit, bytesMax: this.random.chance(0.2) ? 300 : 1 << 20, ...(copy.after && {after: copy.after})};
    const page = await this.evaluation.changes(query, references, await this.snapshots());
    if (typeof page === 'string') throw new Error(`the position is gone: ${page}`);
    const lines = valuesOf<Line>(page.lines);
    expect(lines.length).toBeLessThanOrEqual(limit);
    for (const line of lines) copy.apply(line);
    copy.after = page.next;
    return page.hasMore;
  }

  async catchUp(copy: Copy): Promise<void> {
    while (await this.page(copy, this.random.between(1, 20)));
    await this.compare(copy);
  }

  /** The copy has what the newest snapshots say. */
  async compare(copy: Copy): Promise<void> {
    const snapshots = await this.snapshots();
    const everything = {fromMs: 0, toMs: 8.64e15, where: [], bytesMax: 1 << 24};
    const page = await this.evaluation.exported(everything, snapshots);
    const events = linesOf(page!.lines)
      .map((text) => JSON.parse(text) as Row)
      .sort(byId);
    expect(copy.shownEvents()).toEqual(events);
    const list = await this.evaluation.answer({report: 'user_list', limit: 1_000}, snapshots);
    const {data} = JSON.parse(list) as {data: Row[]};
    expect(copy.shownUsers().sort(byId)).toEqual(data.filter(({kind}) => kind === 'user').sort(byId));
  }

  /** Reads pages of one reader, at most to the end: one that lags far behind, or one that does not. */
  async some(): Promise<void> {
    const copy = this.copies[this.random.chance(0.1) ? 1 : 2]!;
    if (this.random.chance(0.4)) return this.catchUp(copy);
    await this.page(copy, this.random.between(1, 12));
  }
}

describe('a copy made of changes', () => {
  test.each(Array.from({length: seeds}, (_, i) => i + 1))(
    'has what the export and the list of users say, whenever it has caught up (seed %i)',
    async (seed) => {
      const random = new Random(seed);
      const world = new World(random);
      for (let partition = 0; partition < partitionCount; partition++) await world.publish(partition);
      const readers = new Readers(world, random);
      for (let i = 0; i < 160; i++) {
        await world.step();
        if (random.chance(0.25)) await readers.some();
      }
      // The first one has read nothing yet.
      for (const copy of readers.copies) await readers.catchUp(copy);
    },
    60_000,
  );
});

describe('a position', () => {
  const world = new World(new Random(1));
  const random = new Random(2);

  async function changesAfter(after: readonly ChangesPlace[], changed: Partial<PartitionSnapshot['index']> = {}) {
    const readers = new Readers(world, random);
    const snapshots = await readers.snapshots();
    const changedSnapshots = snapshots.map((snapshot) => ({...snapshot, index: {...snapshot.index, ...changed}}));
    return readers.evaluation.changes({limit: 10, bytesMax: 1_000, after}, references, changedSnapshots);
  }

  test('before changes that were dropped, of another log, or ahead of it, is refused', async () => {
    for (let partition = 0; partition < partitionCount; partition++) await world.publish(partition);
    const copy = new Copy();
    await new Readers(world, random).catchUp(copy);
    const after = copy.after!;
    const {sequence} = after[0]!;
    const moved = (place: Partial<ChangesPlace>): ChangesPlace[] => after.map((one) => ({...one, ...place}));
    expect(await changesAfter(after)).toMatchObject({hasMore: false, lines: new Uint8Array(0)});
    expect(await changesAfter(after, {changesDropped: {generation: 1, sequence}})).toMatchObject({
      lines: new Uint8Array(0),
    });
    expect(await changesAfter(after, {changesDropped: {generation: 1, sequence: sequence + 1}})).toBe('old');
    expect(await changesAfter(moved({generation: 2}))).toBe('lost');
    expect(await changesAfter(moved({generation: 0}))).toBe('lost');
    expect(await changesAfter(moved({sequence: sequence + 1}))).toBe('lost');
    expect(await changesAfter(moved({ordinal: 1}))).toBe('lost');
  });
});
