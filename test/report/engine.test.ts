import {TimeoutError} from 'nats';
import {describe, expect, test} from 'vitest';
import {encodeIndex, encodeManifest, type Manifest, storedIndex} from '../../actors/manifest.js';
import {type Asker, alertsCaller, partitionsCaller} from '../../src/asks/asker.js';
import type {ReportAnswer, ReportQuery} from '../../src/asks/report.js';
import {createLogger} from '../../src/observe.js';
import {neverStops, newStop} from '../../src/pacing/stop.js';
import {readIndex} from '../../src/parts/stored-state.js';
import {ReportEngine, waitingOfCallerMax} from '../../src/report/engine.js';
import type {
  CountedPublications,
  ManifestSource,
  PartitionSnapshot,
} from '../../src/report/published/newest-snapshots.js';
import type {HandedManifest} from '../../src/worker-messages.js';
import {MemoryParts, TestPartition} from '../support/snapshot.js';

const hourMs = 3_600_000;
const query: ReportQuery = {report: 'counts', events: ['A'], fromMs: 0, toMs: 3 * hourMs - 1, interval: 'hour'};
const counted = (counts: readonly number[]): string =>
  JSON.stringify({
    event: 'A',
    interval: 'hour',
    data: counts.map((count, hour) => ({date: `1970-01-01T0${hour}:00:00Z`, count})),
    total: counts.reduce((sum, count) => sum + count, 0),
  });

class Bucket implements ManifestSource {
  readonly manifests: (Manifest | undefined)[] = [];
  revision = 0;
  infos = 0;
  fetches = 0;
  publications: CountedPublications | undefined;
  private held: Promise<void> | undefined;

  /** Says nothing of its revision until the function that is returned is called. */
  hold(): () => void {
    let release = (): void => undefined;
    this.held = new Promise((resolve) => {
      release = resolve;
    });
    return () => release();
  }

  put(manifest: Manifest): void {
    this.manifests[manifest.partition] = manifest;
    this.revision += 1;
  }

  async lastRevision(): Promise<number> {
    this.infos += 1;
    await this.held;
    return this.revision;
  }

  async newest(partition: number): Promise<Manifest | undefined> {
    this.fetches += 1;
    return this.manifests[partition];
  }
}

/** Counts and hands over what its bucket gets. */
class Publications implements CountedPublications {
  readonly counts = [0, 0];
  readonly last: (HandedManifest | undefined)[] = [];

  count(partition: number): number {
    return this.counts[partition]!;
  }

  takeHanded(partition: number, count: number): HandedManifest | undefined {
    const last = this.last[partition];
    return last?.publication === count ? last : undefined;
  }

  note({manifest, index}: PartitionSnapshot): void {
    const {partition} = manifest;
    this.counts[partition]! += 1;
    this.last[partition] = {
      partition,
      publication: this.counts[partition]!,
      manifest: encodeManifest(manifest),
      index: encodeIndex(storedIndex(index)),
    };
  }
}

class World {
  readonly parts = new MemoryParts();
  readonly bucket = new Bucket();
  readonly partitions = [new TestPartition(this.parts), new TestPartition(this.parts)];
  readonly publications = new Publications();
  readonly logger = createLogger('silent', 'test');
  readonly refresh = {ms: 5_000};
  readonly engine: ReportEngine;

  constructor(cpuMsMax = Number.POSITIVE_INFINITY) {
    const options = {partitionCount: 2, cacheBytesMax: 8 << 20, refresh: this.refresh, cpuMsMax};
    this.engine = new ReportEngine(this.bucket, this.parts, options, this.logger);
  }

  publish(partition: number, asOfMs: number): Manifest {
    const snapshot = this.partitions[partition]!.publish(asOfMs, partition);
    this.bucket.put(snapshot.manifest);
    this.publications.note(snapshot);
    return snapshot.manifest;
  }

  async ask(asked: ReportQuery = query, ifNoneMatch?: string): Promise<Extract<ReportAnswer, {kind: 'report'}>> {
    const answer = await this.answer(asked, ifNoneMatch);
    if (answer.kind !== 'report') throw new Error(`no report: ${JSON.stringify(answer)}`);
    return answer;
  }

  answerAt(at: string, asked: ReportQuery = query): Promise<ReportAnswer> {
    return this.engine.answer({ask: 'report', query: asked, at});
  }

  answer(asked: ReportQuery = query, ifNoneMatch?: string): Promise<ReportAnswer> {
    return this.engine.answer({ask: 'report', query: asked, ...(ifNoneMatch === undefined ? {} : {ifNoneMatch})});
  }
}

function worldWithSnapshots(): World {
  const world = new World();
  world.partitions[0]!.append({user: 'ada', event: 'A', timeMs: 1});
  world.partitions[1]!.append({user: 'bob', event: 'B', timeMs: 2}, {user: 'bob', event: 'A', timeMs: hourMs});
  world.publish(0, 2 * hourMs);
  world.publish(1, hourMs + 5);
  return world;
}

describe('report engine', () => {
  test('a snapshot that goes on to disagree leaves the last set that agreed, until another deletion is known', async () => {
    const world = worldWithSnapshots();
    const put = (partition: number, moves: Manifest['moves']): void =>
      void world.bucket.put({...world.partitions[partition]!.publish(4 * hourMs, partition).manifest, moves});
    const state = () => world.engine.answer({ask: 'status'});
    const before = await world.ask();
    world.partitions[0]!.append({user: 'eve', event: 'A', timeMs: 3});
    const settled = {left: [0, 5], settled: [0, 5], received: [0, 0]};
    put(0, settled);
    expect(await world.ask()).toEqual(before);
    expect(await state()).toMatchObject({ready: true, asOfMs: hourMs + 5, outdated: [1]});
    world.partitions[0]!.erase('ada');
    put(0, settled);
    expect(await world.answer()).toMatchObject({kind: 'unavailable', message: expect.stringContaining('agree')});
    expect(await state()).toMatchObject({ready: false, asOfMs: null, outdated: [1]});
    put(1, {left: [0, 0], settled: [0, 0], received: [5, 0]});
    expect((await world.ask()).body).toBe(counted([1, 1, 0]));
    expect(await state()).not.toHaveProperty('outdated');
  });

  test('is ready once every partition has published, and answers nothing before', async () => {
    const world = new World();
    world.publish(0, 5);
    expect(await world.engine.answer({ask: 'status'})).toEqual({
      kind: 'status',
      ready: false,
      asOfMs: null,
      damagedParts: {},
    });
    expect((await world.answer()).kind).toBe('unavailable');
    world.publish(1, 3);
    expect(await world.engine.answer({ask: 'status'})).toEqual({
      kind: 'status',
      ready: true,
      asOfMs: 3,
      damagedParts: {},
    });
    expect((await world.ask()).body).toBe(counted([0, 0, 0]));
  });

  test('adds the partitions, and says what it stands on', async () => {
    const answer = await worldWithSnapshots().ask();
    expect(answer.body).toBe(counted([1, 1, 0]));
    expect(answer.headers).toEqual({
      'Report-As-Of': '1970-01-01T01:00:00.005Z',
      'Report-Log-Position': '0:1.1,1:1.1',
      'Report-Next-By': '1970-01-01T01:00:05.005Z',
      ETag: expect.stringMatching(/^"[\w-]{20,}"$/),
      'Report-Incomplete-From': '1970-01-01T01:00:00Z',
    });
  });

  test('says when the next publication is due, by the refresh as it is now', async () => {
    const world = worldWithSnapshots();
    const first = await world.ask();
    world.refresh.ms = 300_000;
    const later = await world.ask(query, first.headers.ETag);
    expect(later).toMatchObject({headers: {'Report-Next-By': '1970-01-01T01:05:00.005Z'}, body: null});
  });

  test('sees what was published a moment ago, without being told', async () => {
    const world = worldWithSnapshots();
    const before = await world.ask();
    world.partitions[0]!.append({user: 'new', event: 'A', timeMs: 2 * hourMs});
    world.publish(0, 3 * hourMs);
    const after = await world.ask();
    expect(after.body).toBe(counted([1, 1, 1]));
    expect(after.headers['Report-Log-Position']).toBe('0:1.2,1:1.1');
    expect(after.headers.ETag).not.toBe(before.headers.ETag);
  });

  test('a snapshot that was handed over is used without a question or a part', async () => {
    const world = worldWithSnapshots();
    world.bucket.publications = world.publications;
    expect((await world.ask()).body).toBe(counted([1, 1, 0]));
    expect(world.bucket.fetches).toBe(2); // What was published before anybody asked is what the bucket says.
    world.partitions[0]!.append({user: 'new', event: 'A', timeMs: 2 * hourMs});
    const {reads} = world.parts;
    world.publish(0, 3 * hourMs);
    const answer = await world.ask();
    expect(answer.body).toBe(counted([1, 1, 1]));
    expect(answer.headers['Report-Log-Position']).toBe('0:1.2,1:1.1');
    expect([world.bucket.fetches, world.bucket.infos]).toEqual([2, 0]);
    expect(world.parts.reads - reads).toBe(1); // The windows that the question is about.
  });

  test('a bucket that tells of a publication before it is counted is not overtaken by the one before it', async () => {
    const world = worldWithSnapshots();
    world.bucket.publications = world.publications;
    await world.ask();
    const {counts, last} = world.publications;
    world.partitions[0]!.append({user: 'new', event: 'A', timeMs: 2 * hourMs});
    world.publish(0, 3 * hourMs);
    const handed = last[0];
    world.partitions[0]!.append({user: 'newer', event: 'A', timeMs: 2 * hourMs});
    world.publish(0, 4 * hourMs);
    const newest = last[0];
    counts[0]! -= 1;
    last[0] = undefined;
    expect((await world.ask()).body).toBe(counted([1, 1, 2])); // By the bucket.
    counts[0]! -= 1; // As if it had been read before either was counted.
    expect((await world.ask()).body).toBe(counted([1, 1, 2]));
    [counts[0], last[0]] = [counts[0]! + 1, handed];
    expect((await world.ask()).body).toBe(counted([1, 1, 2]));
    [counts[0], last[0]] = [counts[0]! + 1, newest];
    expect((await world.ask()).body).toBe(counted([1, 1, 2]));
  });

  test('when a part is gone the bucket is believed, whatever was handed over', async () => {
    const world = worldWithSnapshots();
    world.bucket.publications = world.publications;
    await world.ask();
    const [before] = world.bucket.manifests;
    world.partitions[0]!.append({user: 'new', event: 'A', timeMs: 2 * hourMs});
    world.publish(0, 3 * hourMs);
    // The store lost its tail: what was handed over names a part that is not there, and the bucket has the manifest before.
    world.bucket.manifests[0] = before;
    world.parts.sweep(readIndex(world.publications.last[0]!.index!, before!.index).windowRuns.at(-1)!.blocks[0]!.part);
    for (let asks = 0; asks < 2; asks++) expect((await world.ask()).body).toBe(counted([1, 1, 0]));
  });

  test('while reports are asked a snapshot is read when it is published, otherwise by the next question', async () => {
    const world = worldWithSnapshots();
    await world.engine.notePublished();
    expect(world.bucket.fetches).toBe(0);
    await world.ask();
    world.partitions[0]!.append({user: 'new', event: 'A', timeMs: 2 * hourMs});
    world.publish(0, 3 * hourMs);
    await world.engine.notePublished();
    const {fetches} = world.bucket;
    expect((await world.ask()).body).toBe(counted([1, 1, 1]));
    expect(world.bucket.fetches).toBe(fetches);
    const {reads} = world.parts;
    const where = [{property: 'plan', op: 'unset', values: []}] as const; // Rows and properties answer.
    expect((await world.ask({...query, where})).body).toContain('"total":3');
    expect(world.parts.reads).toBe(reads);
  });

  test('a snapshot that cannot be read ahead is the matter of the next question', async () => {
    const world = worldWithSnapshots();
    await world.ask();
    const {newest} = world.bucket;
    world.partitions[0]!.append({user: 'new', event: 'A', timeMs: 2 * hourMs});
    world.publish(0, 3 * hourMs);
    world.bucket.newest = () => Promise.reject(new Error('away'));
    await world.engine.notePublished();
    expect((await world.answer()).kind).toBe('unavailable');
    world.bucket.newest = newest;
    expect((await world.ask()).body).toBe(counted([1, 1, 1]));
  });

  test('what fails is logged once until something succeeds', async () => {
    const world = worldWithSnapshots();
    const said: unknown[] = [];
    world.logger.error = (fields: {readonly err: Error}) => void said.push(fields.err.message);
    const {lastRevision} = world.bucket;
    for (let outage = 0; outage < 2; outage++) {
      world.bucket.lastRevision = () => Promise.reject(new Error('away'));
      for (let ask = 0; ask < 3; ask++) expect((await world.answer()).kind).toBe('unavailable');
      world.bucket.lastRevision = lastRevision;
      await world.ask();
    }
    expect(said).toEqual(['away', 'away']);
  });

  test('a NATS that does not answer is no fault of ours', async () => {
    const world = worldWithSnapshots();
    const said: unknown[] = [];
    world.logger.error = () => void said.push('fault');
    world.logger.warn = (fields: object) => void said.push(fields);
    world.bucket.lastRevision = () => Promise.reject(new TimeoutError());
    expect((await world.answer()).kind).toBe('unavailable');
    expect(said).toEqual([{reason: 'timeout', ask: query.report}]);
  });

  test.each([
    ['the very tag', (tag: string) => tag, true],
    ['a weak form of it', (tag: string) => `W/${tag}`, true],
    ['a list that has it', (tag: string) => `"other", ${tag}`, true],
    ['anything', () => '*', true],
    ['another tag', () => '"other"', false],
    ['no quotes', (tag: string) => tag.slice(1, -1), false],
  ])('If-None-Match: %s', async (_, form, isMatch) => {
    const world = worldWithSnapshots();
    const {headers} = await world.ask();
    const answer = await world.ask(query, form(headers.ETag));
    expect(answer.body === null).toBe(isMatch);
    expect(answer.headers).toEqual(headers);
  });

  test('a snapshot that changes nothing of an answer leaves its tag: 304, with headers that say how fresh it is', async () => {
    const world = worldWithSnapshots();
    const past = {...query, toMs: 5};
    const {headers} = await world.ask(past);
    for (const timeMs of [2 * hourMs, 3 * hourMs]) {
      world.partitions[0]!.append({user: 'new', event: 'A', timeMs});
      world.publish(0, timeMs + hourMs);
      const again = await world.ask(past, headers.ETag);
      expect(again.body).toBeNull();
      expect(again.headers.ETag).toBe(headers.ETag);
      expect(again.headers['Report-Log-Position']).not.toBe(headers['Report-Log-Position']);
    }
    world.partitions[0]!.append({user: 'new', event: 'A', timeMs: 4});
    world.publish(0, 5 * hourMs);
    const changed = await world.ask(past, headers.ETag);
    expect(changed.body).not.toBeNull();
    expect(changed.headers.ETag).not.toBe(headers.ETag);
  });

  test('every part of a question makes its own tag', async () => {
    const world = worldWithSnapshots();
    const questions: ReportQuery[] = [
      query,
      {...query, interval: 'day'},
      {...query, events: ['B']},
      {...query, toMs: 5},
      {...query, fromMs: 5},
      {...query, where: [{property: 'a', op: 'eq', values: ['b']}]},
      {...query, where: [{property: 'a', op: 'eq', values: ['']}]},
      {report: 'active', fromMs: 0, toMs: 5, interval: 'day', metric: 'dau'},
      {report: 'active', fromMs: 0, toMs: 5, interval: 'day', metric: 'wau'},
      {report: 'funnel', fromMs: 0, toMs: 5, steps: [{event: 'A'}, {event: 'B'}]},
      {report: 'funnel', fromMs: 0, toMs: 5, steps: [{event: 'A,B'}]},
      {report: 'funnel', fromMs: 0, toMs: 5, steps: [{event: 'A'}, {event: 'B'}], windowMs: 1_000},
    ];
    const tags = await Promise.all(questions.map(async (asked) => (await world.ask(asked)).headers.ETag));
    expect(new Set(tags).size).toBe(questions.length);
  });

  test('the first bucket that may still grow is named: not for a past range, never for a funnel', async () => {
    const world = worldWithSnapshots(); // As of 01:00:00.005.
    const incomplete = async (asked: ReportQuery) => (await world.ask(asked)).headers['Report-Incomplete-From'];
    expect(await incomplete({...query, toMs: hourMs + 4})).toBeUndefined();
    expect(await incomplete({...query, toMs: hourMs + 5})).toBe('1970-01-01T01:00:00Z');
    expect(await incomplete({...query, interval: 'day'})).toBe('1970-01-01');
    expect(await incomplete({...query, fromMs: 2 * hourMs})).toBe('1970-01-01T02:00:00Z');
    expect(await incomplete({report: 'funnel', steps: [{event: 'A'}], fromMs: 0, toMs: 9 * hourMs})).toBeUndefined();
  });

  test('a swept part means an old manifest: the answer comes from the newest one', async () => {
    const world = worldWithSnapshots();
    await world.ask();
    const old = world.partitions[0]!.publish(2 * hourMs, 0);
    const original = world.bucket.newest.bind(world.bucket);
    // The first fetch still sees the old manifest, whose parts go before they are read.
    world.bucket.put(old.manifest);
    world.parts.sweep(old.manifest.index);
    world.bucket.newest = async (partition) => {
      const manifest = await original(partition);
      if (manifest === old.manifest) {
        world.partitions[0]!.append({user: 'new', event: 'A', timeMs: 2});
        world.publish(0, 3 * hourMs);
      }
      return manifest;
    };
    expect((await world.ask()).body).toBe(counted([2, 1, 0]));
  });

  test('snapshots that overtake a report only delay it, however often, and nothing is said to be damaged', async () => {
    const world = worldWithSnapshots();
    const read = world.parts.read.bind(world.parts);
    let newest = world.publish(0, 2 * hourMs);
    let overtaken = 0;
    world.parts.read = async (revision) => {
      const {index} = newest;
      if (index.revisions.includes(revision) && overtaken < 7) {
        overtaken += 1;
        newest = world.publish(0, (2 + overtaken) * hourMs);
        world.parts.sweep(index);
      }
      return read(revision);
    };
    expect((await world.ask()).body).toBe(counted([1, 1, 0]));
    expect(overtaken).toBe(7);
    expect(await world.engine.answer({ask: 'status'})).toMatchObject({damagedParts: {}});
  });

  test('a part that stays missing makes the report unavailable, and the next one works again', async () => {
    const world = worldWithSnapshots();
    const whole: ReportQuery = {report: 'funnel', steps: [{event: 'A'}], fromMs: 0, toMs: hourMs};
    const {manifest, index} = world.partitions[0]!.publish(2 * hourMs, 0);
    world.bucket.put(manifest);
    world.parts.sweep(index.chunks[0]!.rows);
    expect(await world.answer(whole)).toEqual({kind: 'unavailable', message: expect.any(String)});
    expect(await world.engine.answer({ask: 'status'})).toMatchObject({damagedParts: {0: 1}});
    expect((await world.ask(query)).body).toBe(counted([1, 1, 0]));
  });
});

describe('an earlier position', () => {
  const gone = {kind: 'snapshot_gone'};
  const funnel: ReportQuery = {report: 'funnel', steps: [{event: 'A'}], fromMs: 0, toMs: 9 * hourMs};
  const positionIn = (answer: Extract<ReportAnswer, {kind: 'report'}>): string => answer.headers['Report-Log-Position'];

  /** An event is published after the first answer. @returns the position of that answer. */
  async function passed(world: World): Promise<string> {
    const position = positionIn(await world.ask());
    world.partitions[0]!.append({user: 'new', event: 'A', timeMs: 2 * hourMs});
    world.publish(0, 3 * hourMs);
    expect((await world.ask()).body).toBe(counted([1, 1, 1]));
    return position;
  }

  test('answers any question over the same snapshots, and says when the next ones are due', async () => {
    const world = worldWithSnapshots();
    const before = await world.ask();
    const at = await passed(world);
    world.publish(1, 3 * hourMs);
    const again = await world.answerAt(at);
    expect(again).toEqual({
      ...before,
      headers: {...before.headers, 'Report-Next-By': '1970-01-01T03:00:05.000Z'},
    });
    expect(JSON.parse((await world.ask(funnel)).body!).total).toBe(3);
    const other = await world.answerAt(at, funnel);
    expect(other).toMatchObject({kind: 'report', headers: {'Report-Log-Position': at}});
    expect(JSON.parse((other as {body: string}).body).total).toBe(2);
  });

  test('of the newest snapshots is that of an answer without it; one that never was is gone', async () => {
    const world = worldWithSnapshots();
    const newest = await world.ask();
    expect(await world.answerAt(positionIn(newest))).toEqual(newest);
    for (const at of ['0:1.1', '0:1.1,1:1.2', '0:1.1,1:1.1,2:1.1']) expect(await world.answerAt(at)).toEqual(gone);
    expect(await worldWithSnapshots().answerAt('0:1.1,1:1.1'), 'known without an answer before').toEqual(newest);
  });

  test('whose parts were swept is gone, and no damage', async () => {
    const world = worldWithSnapshots();
    const [manifest] = world.bucket.manifests;
    const at = await passed(world);
    world.partitions[0]!.rewriteChunks();
    world.publish(0, 4 * hourMs);
    const {lastChunks} = readIndex((await world.parts.read(manifest!.index.revisions[0]!))!, manifest!.index);
    for (const {rows} of lastChunks) world.parts.sweep(rows);
    expect(await world.answerAt(at), 'it has the parts of this question').toMatchObject({kind: 'report'});
    expect(await world.answerAt(at, funnel)).toEqual(gone);
    expect(await world.answerAt(at), 'it has ended for all questions').toEqual(gone);
    expect(await world.engine.answer({ask: 'status'})).toMatchObject({damagedParts: {}});
  });

  test('a part that the newest snapshot names, too, is damage', async () => {
    const world = worldWithSnapshots();
    const [manifest] = world.bucket.manifests;
    const at = await passed(world);
    const {lastChunks} = readIndex((await world.parts.read(manifest!.index.revisions[0]!))!, manifest!.index);
    for (const {rows} of lastChunks) world.parts.sweep(rows);
    expect((await world.answerAt(at, funnel)).kind).toBe('unavailable');
    expect(await world.engine.answer({ask: 'status'})).toMatchObject({damagedParts: {0: 1}});
  });

  test('ends with a deletion, also one that is published while its answer is computed', async () => {
    const world = worldWithSnapshots();
    const at = await passed(world);
    expect((await world.answerAt(at)).kind).toBe('report');
    const read = world.parts.read.bind(world.parts);
    let isErased = false;
    world.parts.read = async (revision) => {
      if (!isErased) {
        isErased = true;
        world.partitions[1]!.erase('bob');
        world.publish(1, 4 * hourMs);
      }
      return read(revision);
    };
    expect(await world.answerAt(at, funnel)).toEqual(gone);
    expect(isErased).toBe(true);
    expect(await world.answerAt(at)).toEqual(gone);
    const newest = await world.ask();
    expect(newest.body).toBe(counted([1, 0, 1]));
    expect(await world.answerAt(positionIn(newest))).toEqual(newest);
  });
});

describe('a report that must include writes', () => {
  const asking = (world: World, positions: string, waitMs: number): Promise<ReportAnswer> =>
    world.engine.answer({ask: 'report', query, includes: {positions, waitMs}});

  test('is the newest one if it does', async () => {
    const world = worldWithSnapshots();
    const newest = await world.ask();
    for (const positions of ['0:1.1', '1:1.1,0:1.1', '1:1.0', '0:0.900', '0:1.0,0:1.1'])
      expect(await asking(world, positions, 0)).toEqual(newest);
  });

  test.each([
    ['0:1.2', [0]],
    ['0:2.1', [0]],
    ['0:1.2,0:1.1', [0]],
    ['0:1.1,1:1.2', [1]],
    ['1:1.2,0:1.2', [1, 0]],
  ])('is not there yet for %s', async (positions, lacking) => {
    const nextByMs = hourMs + 5 + 5_000;
    expect(await asking(worldWithSnapshots(), positions, 10)).toEqual({kind: 'not_yet', lacking, nextByMs});
  });

  test('comes with the snapshot that includes them, also when its notice is lost', async () => {
    for (const isNoticed of [true, false]) {
      const world = worldWithSnapshots();
      const waiting = asking(world, '0:1.3', 60_000);
      world.partitions[0]!.append({user: 'new', event: 'A', timeMs: 2 * hourMs});
      world.publish(0, 3 * hourMs);
      void world.engine.notePublished();
      await new Promise((resolve) => setImmediate(resolve));
      world.partitions[0]!.append({user: 'newer', event: 'A', timeMs: 2 * hourMs});
      world.publish(0, 4 * hourMs);
      if (isNoticed) void world.engine.notePublished();
      expect(await waiting).toMatchObject({kind: 'report', body: counted([1, 1, 2])});
    }
  });
});

describe('a hint', () => {
  const hintOf = async (world: World, asked: ReportQuery) => (await world.ask(asked)).headers['Report-Hint'];

  function worldOfNames(): World {
    const world = new World();
    world.partitions[0]!.append({user: 'ada', event: 'signup', timeMs: 1}, {user: 'ada', event: 'größe', timeMs: 1});
    world.partitions[1]!.append({user: 'bob', event: 'purchase', timeMs: 2});
    for (const partition of [0, 1]) world.publish(partition, hourMs);
    return world;
  }

  test('names the nearest name of all partitions, in a header-safe form, also with a 304', async () => {
    const world = worldOfNames();
    const counts = (event: string): ReportQuery => ({...query, events: [event]});
    expect(await hintOf(world, counts('signup'))).toBeUndefined();
    const {headers} = await world.ask(counts('singup'));
    expect(headers['Report-Hint']).toBe('unknown event "singup"; did you mean "signup"?');
    expect(await world.ask(counts('singup'), headers.ETag)).toEqual({kind: 'report', headers, body: null});
    expect(await hintOf(world, counts('purchased'))).toBe('unknown event "purchased"; did you mean "purchase"?');
    expect(await hintOf(world, counts('log in'))).toBe('unknown event "log in"');
    expect(await hintOf(world, counts('größ'))).toBe(
      'unknown event "gr\\u00f6\\u00df"; did you mean "gr\\u00f6\\u00dfe"?',
    );
    expect(await hintOf(world, counts('say "so"\n'))).toBe('unknown event "say \\"so\\"\\n"');
    expect(await hintOf(world, counts('x'.repeat(256)))).toBe(`unknown event "${'x'.repeat(64)}..."`);
  });

  test('of a funnel is about its first unknown names; questions without a name have none', async () => {
    const world = worldOfNames();
    const steps = ['signup', 'singup', 'purchase', 'a', 'singup', 'b', 'c'];
    expect(await hintOf(world, {report: 'funnel', steps: steps.map((event) => ({event})), fromMs: 0, toMs: 5})).toBe(
      'unknown event "singup"; did you mean "signup"?; unknown event "a"; unknown event "b"',
    );
    const joined = 'signup,singup, purchase';
    expect(await hintOf(world, {report: 'funnel', steps: [{event: joined}], fromMs: 0, toMs: 5})).toBe(
      `unknown event "${joined}"; did you mean "signup" and "singup" and "purchase", each in a parameter of its own?`,
    );
    expect(await hintOf(world, {report: 'funnel', steps: [{event: 'a,b'}], fromMs: 0, toMs: 5})).toBe(
      'unknown event "a,b"',
    );
    expect(await hintOf(world, {report: 'active', fromMs: 0, toMs: 5, interval: 'day', metric: 'dau'})).toBeUndefined();
    expect(await hintOf(world, {report: 'names', fromMs: 0, toMs: 5, limit: 5, prefix: 'singup'})).toBeUndefined();
  });

  test('follows the snapshots: a name that was erased is not suggested, one that is new is known', async () => {
    const world = worldOfNames();
    const asked: ReportQuery = {...query, events: ['purchas']};
    const at = (await world.ask(asked)).headers['Report-Log-Position'];
    world.partitions[1]!.append({user: 'cleo', event: 'purchas', timeMs: 2});
    world.publish(1, 2 * hourMs);
    expect(await hintOf(world, asked)).toBeUndefined();
    expect(await world.answerAt(at, asked)).toMatchObject({
      headers: {'Report-Hint': 'unknown event "purchas"; did you mean "purchase"?'},
    });
  });
});

describe('many questions of one caller', () => {
  const days = 400;
  /** Each is another question, which takes from 20 to some hundred ms: several slices. */
  const heavy = (n: number): ReportQuery => ({
    report: 'active',
    metric: 'mau',
    interval: 'hour',
    fromMs: 0,
    toMs: days * 24 * hourMs - 1,
    did: {event: 'A', where: [{property: 'n', op: 'lt', values: [String(n)]}]},
  });
  const light = (n: number): ReportQuery => ({...query, toMs: n * hourMs - 1}) as ReportQuery;

  function worldOfDays(cpuMsMax?: number): World {
    const world = new World(cpuMsMax);
    for (const [at, partition] of world.partitions.entries()) {
      const events = Array.from({length: 4_000}, (_, i) => ({
        user: `u${i % 500}`,
        event: 'A',
        timeMs: ((i * 7_919 + at) % (days * 24)) * hourMs,
        properties: {n: i % 1_000},
      }));
      partition.append(...events);
      world.publish(at, days * 24 * hourMs);
    }
    return world;
  }

  const askerOf = (caller: string, gone = neverStops): Asker => ({caller, gone});
  const ask = (world: World, query: ReportQuery, asker: Asker): Promise<ReportAnswer> =>
    world.engine.answer({ask: 'report', query}, asker);
  /** Resolves once nothing is computed; with the turns of the event loop until then. */
  async function turnsUntilIdle({engine}: World): Promise<number> {
    let turns = 0;
    for (; engine.atWork.running > 0 && turns < 10_000; turns++) await new Promise((resolve) => setImmediate(resolve));
    return turns;
  }

  test('hold up nobody else and no alert, and all of them stop when their client leaves', async () => {
    const world = worldOfDays();
    const stop = newStop();
    let done = 0;
    const flood = Array.from({length: 300}, async (_, n) => {
      const answer = await ask(world, heavy(n + 1), askerOf('key a', stop.signal));
      done += 1;
      return answer.kind;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect([world.engine.atWork.running, world.engine.atWork.waiting]).toEqual([2, waitingOfCallerMax]);
    const refused = done;
    expect(refused).toBe(300 - 2 - waitingOfCallerMax);
    for (let n = 1; n <= 5; n++) {
      expect((await ask(world, light(n), askerOf('key b'))).kind).toBe('report');
      expect((await ask(world, light(10 + n), askerOf(alertsCaller))).kind).toBe('report');
    }
    // A question that waits in the flood is not asked again: it has the turn of whoever asks for it, too.
    expect((await ask(world, heavy(20), askerOf('key b'))).kind).toBe('report');
    // In one line for all, each of these would wait for the whole flood. A busy machine cuts slices short.
    expect(done - refused).toBeLessThanOrEqual(waitingOfCallerMax / 2);
    stop.abort();
    await new Promise((resolve) => setImmediate(resolve));
    expect(world.engine.atWork.waiting).toBe(0);
    expect(await turnsUntilIdle(world)).toBeLessThanOrEqual(50);
    const kinds = await Promise.all(flood);
    expect(kinds.filter((kind) => kind === 'crowded')).toHaveLength(refused);
    expect(kinds.filter((kind) => kind === 'report').length).toBeLessThanOrEqual(waitingOfCallerMax / 2);
  });

  test('one that another caller waits for goes on', async () => {
    const world = worldOfDays();
    const stop = newStop();
    const [left, shared] = [
      ask(world, heavy(1), askerOf('key a', stop.signal)),
      ask(world, heavy(1), askerOf('key b')),
    ];
    await new Promise((resolve) => setImmediate(resolve));
    stop.abort();
    expect((await left).kind).toBe('unavailable');
    expect((await shared).kind).toBe('report');
    expect(world.engine.atWork.running).toBe(0);
  });

  test('one that takes more than one question may is refused, and the next one is answered', async () => {
    const world = worldOfDays(1);
    const answer = await ask(world, heavy(1), askerOf('key a'));
    expect(answer).toEqual({kind: 'too_expensive', message: expect.stringContaining('0.001 s of computing')});
    const quick = {...query, events: ['none']} as ReportQuery; // It reads nothing, however slow the machine is.
    expect((await ask(world, quick, askerOf('key a'))).kind).toBe('report');
    expect(world.engine.atWork.running).toBe(0);
  });

  test('what alerts and partitions ask has no bound: they would ask it again for ever', async () => {
    const world = worldOfDays(1);
    for (const caller of [alertsCaller, partitionsCaller])
      expect((await ask(world, heavy(caller.length), askerOf(caller))).kind).toBe('report');
  });
});
