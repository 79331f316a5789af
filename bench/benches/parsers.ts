// Cost an event of reading the body of a batch, or of one event, in this process: the kernel writes log entries; the parsers
// are the way of odd events (JSON.parse, validation, encoding); JSON.parse alone is the floor of rows 1 and 2. The same events with a
// context, as a native batch and as calls of Segment's library, tell what translation costs.

import {isUtf8} from 'node:buffer';
import {type CallsReading, readCalls} from '../../src/edge/compatible/reading.js';
import {type BatchReading, readParsed, readPlain} from '../../src/ingest/batch.js';
import {copyOf} from '../../src/ingest/batch-entries.js';
import {EntryEncoder} from '../../src/ingest/entry-encoder.js';
import {inexactNumber} from '../../src/ingest/inexact-numbers.js';
import {parseJson} from '../../src/ingest/json-text.js';
import {EventDraft, readEvent} from '../../src/ingest/validate.js';
import type {Bench, Say} from '../bench.js';
import {batchEvents} from '../load/shapes.js';
import type {BenchOptions} from '../options.js';
import type {Owned} from '../owned.js';
import {type Measure, playRounds, type Ratio, type Rounds, ratioOf, ratioText, roundsText} from '../rounds.js';
import {spreadOf} from '../statistics.js';
import {fixed, tableText, whole} from '../table.js';
import {canonical, workloadEvents} from '../workload/events.js';

const contenders = [
  ...(['JSON.parse', 'parse, validate, encode', 'kernel'] as const),
  ...(['single: JSON.parse', 'single: parse, validate, encode', 'single: kernel'] as const),
  ...(['with a context: JSON.parse', 'with a context: batch', 'with a context: Segment'] as const),
] as const;
type Contender = (typeof contenders)[number];

/** Fast paths, and the plain way of each. */
const plainWays: Partial<Record<Contender, Contender>> = {
  kernel: 'parse, validate, encode',
  'single: kernel': 'single: parse, validate, encode',
};

interface Sample {
  readonly cpuNsPerEvent: number;
}

interface ParsersReport {
  readonly eventCount: number;
  readonly bytesPerEvent: number;
  readonly rounds: Rounds<Sample, Contender>;
  /** CPU of JSON.parse over the same bodies / CPU of each. */
  readonly floorToEach: Readonly<Record<Contender, Ratio>>;
  /** CPU of reading calls of Segment / CPU of reading the same events as a batch. */
  readonly segmentToBatch: Ratio;
  /** CPU of the plain way / CPU of its fast path. */
  readonly gains: Readonly<Partial<Record<Contender, Ratio>>>;
}

const partitionCount = 4;
const nowMs = canonical.startMs + canonical.dayCount * 86_400_000;

type Read = (body: Buffer) => unknown;

async function run(options: BenchOptions, _: Owned, say: Say): Promise<ParsersReport> {
  const eventCount = options.numbers.events!;
  const events = [...workloadEvents({...canonical, eventCount})].map(({json}) => json);
  const bodies = batchesOf(events);
  const byKernel = (body: Buffer) => readPlain(body, {receivedMs: nowMs}, partitionCount);
  const byParsers = (body: Buffer) => readParsed(body, {receivedMs: nowMs}, partitionCount);
  requireSameEntries(bodies, byKernel, byParsers);
  const parse: Read = (body) => isUtf8(body) && JSON.parse(body.toString('latin1'));
  const singles = events.map((json) => Buffer.from(json));
  const withContext = events.map((json) => `${json.slice(0, -1)},"context":${contextOf(json)}}`);
  const native = batchesOf(withContext);
  const calls = batchesOf(withContext.map(callOf), 'batch');
  const byRoute = (body: Buffer) => byKernel(body) ?? byParsers(body);
  const byCalls = (body: Buffer) => readCalls(body, [{vendor: 'segment'}], nowMs, partitionCount);
  for (const [at, body] of native.entries())
    if (entriesText(byRoute(body)) !== entriesText(byCalls(calls[at]!)))
      throw new Error('calls of Segment make other entries than the same events');
  const measures: Record<Contender, Measure<Sample>> = {
    'JSON.parse': timed(bodies, parse, eventCount),
    'parse, validate, encode': timed(bodies, byParsers, eventCount),
    kernel: timed(bodies, byKernel, eventCount),
    'single: JSON.parse': timed(singles, parse, eventCount),
    'single: parse, validate, encode': timed(singles, parsedOneByOne(), eventCount),
    'single: kernel': timed(singles, oneByOne(), eventCount),
    'with a context: JSON.parse': timed(native, parse, eventCount),
    'with a context: batch': timed(native, byRoute, eventCount),
    'with a context: Segment': timed(calls, byCalls, eventCount),
  };
  const rounds = await playRounds(measures, options, say);
  const floorTo = (name: Contender): Ratio => {
    const [kind] = ['single: ', 'with a context: '].filter((word) => name.startsWith(word));
    const floor = `${kind ?? ''}JSON.parse` as Contender;
    return ratioOf(rounds, (samples) => samples[floor].cpuNsPerEvent / samples[name].cpuNsPerEvent);
  };
  const gains = Object.entries(plainWays).map(
    ([name, plain]) =>
      [
        name,
        ratioOf(rounds, (samples) => samples[plain].cpuNsPerEvent / samples[name as Contender].cpuNsPerEvent),
      ] as const,
  );
  return {
    eventCount,
    gains: Object.fromEntries(gains),
    segmentToBatch: ratioOf(
      rounds,
      (samples) => samples['with a context: Segment'].cpuNsPerEvent / samples['with a context: batch'].cpuNsPerEvent,
    ),
    bytesPerEvent: bodies.reduce((sum, {length}) => sum + length, 0) / eventCount,
    rounds,
    floorToEach: Object.fromEntries(contenders.map((name) => [name, floorTo(name)])) as Record<Contender, Ratio>,
  };
}

/** Reads events one by one; the entries equal those of the batches (test/ingest/entry-encoder.test.ts). */
function oneByOne(): Read {
  const encoder = new EntryEncoder(partitionCount);
  return (body) => {
    if (!encoder.plainEvent(body, nowMs)) throw new Error('an event of the canonical workload was not read');
  };
}

/** The way of a single event that is not plain (src/edge/routes/track.ts). */
function parsedOneByOne(): Read {
  const encoder = new EntryEncoder(partitionCount);
  const draft = new EventDraft();
  return (body) => {
    const refusal = readEvent(parseJson(body), {receivedMs: nowMs, inexact: inexactNumber(body)}, draft);
    if (refusal !== undefined) throw new Error('an event of the canonical workload was refused');
    encoder.event(draft);
  };
}

/** What Segment's library for pages says of each event. */
const contextOf = (json: string): string =>
  JSON.stringify({
    library: {name: 'analytics.js', version: '2.11.1'},
    locale: 'en-GB',
    page: {
      path: `/page/${json.length % 50}`,
      title: 'A shop',
      url: `https://shop.example.com/page/${json.length % 50}`,
    },
    timezone: 'Europe/Berlin',
  });

/** A call of Segment's library with the fields of a native event. */
const callOf = (json: string): string => `{"type":"track",${json.slice(1)}`;

function batchesOf(events: readonly string[], list = 'events'): Buffer[] {
  const bodies: Buffer[] = [];
  for (let at = 0; at < events.length; at += batchEvents) {
    bodies.push(Buffer.from(`{"${list}":[${events.slice(at, at + batchEvents).join(',')}]}`));
  }
  return bodies;
}

/** Throws when entries differ: a wrong answer has no speed. */
function requireSameEntries(
  bodies: readonly Buffer[],
  ...reads: readonly ((body: Buffer) => BatchReading | undefined)[]
) {
  for (const body of bodies) {
    const texts = new Set(reads.map((read) => entriesText(read(body))));
    if (texts.size !== 1) throw new Error('the readers of batches make different entries of the same body');
  }
}

function entriesText(reading: BatchReading | CallsReading | undefined): string {
  if (reading?.kind !== 'read') throw new Error('a batch of the canonical workload was not read');
  const {bytes, starts, firsts, ends} = copyOf(reading.entries, partitionCount);
  return Array.from({length: partitionCount}, (__, partition) => {
    const end = ends[firsts[partition + 1]! - 1] ?? 0;
    return Buffer.from(bytes.subarray(starts[partition], end)).toString('latin1');
  }).join('|');
}

function timed(bodies: readonly Buffer[], read: Read, eventCount: number): Measure<Sample> {
  return async () => {
    const before = process.cpuUsage();
    for (const body of bodies) read(body);
    const {user, system} = process.cpuUsage(before);
    return {cpuNsPerEvent: ((user + system) * 1_000) / eventCount};
  };
}

function text({eventCount, bytesPerEvent, rounds, floorToEach, segmentToBatch, gains}: ParsersReport): string {
  const rows = contenders.map((name) => {
    const {median, min, max} = spreadOf(rounds.rounds.map(({samples}) => samples[name].cpuNsPerEvent));
    return [
      name,
      whole(median),
      `${whole(min)}-${whole(max)}`,
      ratioText(floorToEach[name]),
      gains[name] ? ratioText(gains[name]) : '-',
    ];
  });
  return [
    `Batches of ${whole(batchEvents)}, and single events: ${whole(eventCount)} events a round, ${fixed(bytesPerEvent, 0)} B of JSON each`,
    tableText(['', 'CPU ns/event', 'min-max', 'JSON.parse / it', 'the plain way / it'], rows),
    `calls of Segment / the same events as a batch: ${ratioText(segmentToBatch)}`,
    roundsText(rounds),
  ].join('\n');
}

export const parsersBench: Bench<ParsersReport> = {
  name: 'parsers',
  summary: 'what reads a batch, or one event: kernel, parsers, JSON.parse alone',
  numbers: {events: {normal: 500_000, small: 5_000, help: 'events'}},
  run,
  text,
};
