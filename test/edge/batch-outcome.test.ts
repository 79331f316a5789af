// What a batch is answered when the log takes all of it, a share of it, or nothing: over a wire that fails on demand.
import {describe, expect, test} from 'vitest';
import {logMessageBytesMax} from '../../actors/limits.js';
import {MessageCursor, propertiesJson} from '../../actors/log/entry-view.js';
import {type Rejected, RejectedEvents} from '../../src/edge/admission/rejected-events.js';
import {type Failure, type Header, statusOf} from '../../src/edge/failure.js';
import type {Front} from '../../src/edge/front.js';
import type {Exchange} from '../../src/edge/http/exchange.js';
import {onceATurn} from '../../src/edge/http/turn.js';
import {Traffic} from '../../src/edge/metrics/traffic.js';
import {trackBatch} from '../../src/edge/routes/batch.js';
import {compatibleRoutes} from '../../src/edge/routes/compatible.js';
import {EntryEncoder} from '../../src/ingest/entry-encoder.js';
import {type LogAnswer, type LogLink, type LogListener, LogPublisher} from '../../src/ingest/publisher.js';
import {RequestOrder} from '../../src/ingest/request-order.js';
import {anyNames} from '../support/any-names.js';

const partitionCount = 2;

/** Answers every message of a partition in the same way, in the turn after it was sent. */
class ScriptedLink implements LogLink {
  isConnected = true;
  private listener!: LogListener;

  constructor(private readonly answers: readonly LogAnswer[]) {}

  listen(listener: LogListener): void {
    this.listener = listener;
  }

  /** Indexes of the events that each partition got, as their properties say. */
  readonly sent: number[][] = Array.from({length: partitionCount}, () => []);

  send(partition: number, _: string, ticket: number, bytes: Uint8Array): void {
    const cursor = new MessageCursor(bytes);
    while (cursor.next()) {
      const {propertiesStart} = cursor.entry;
      if (propertiesStart > 0) this.sent[partition]!.push(JSON.parse(propertiesJson(bytes, propertiesStart)).index);
    }
    setImmediate(() => this.listener.answered(partition, ticket, this.answers[partition]!));
  }
}

interface Answer {
  readonly status: string;
  readonly body: {
    received: number;
    status: string;
    rejected: number;
    errors: {index: number; code: string; message: string}[];
    error?: unknown;
  };
  readonly headers: Record<string, string>;
  /** Events that count as refused. */
  readonly refused: number;
  readonly rejected: readonly Rejected[];
  /** Outcomes of all entries. */
  readonly counts: Pick<Traffic, 'events' | 'identifies'>;
}

const post = (events: readonly unknown[], link: ScriptedLink, generations?: number[]): Promise<Answer> =>
  send(trackBatch, {events}, link, generations);

/** `take`: what a route does with a body. */
function send(take: typeof trackBatch, body: object, link: ScriptedLink, generations = [1, 2]): Promise<Answer> {
  const publisher = new LogPublisher({
    link,
    partitionCount,
    messageBytesMax: logMessageBytesMax,
    monotonicMs: () => 0,
    wallMs: () => 0,
    newProducer: () => Buffer.alloc(8, 1),
    generations: {ofAck: (partition) => generations[partition]!, startConnection: () => undefined},
  });
  const traffic = new Traffic({exact: new Map(), bySegment: new Map()});
  const rejected = new RejectedEvents(() => 0);
  const order = new RequestOrder(1);
  const named = anyNames(partitionCount);
  const web = {requestOf: () => undefined}; // No key is one of pages.
  const writes = {publisher, order, rejected, named, web};
  const front = {partitionCount, wallMs: () => 0, writes, operations: {traffic}} as unknown as Front;
  return new Promise((resolve) => {
    const json = (status: string, body: string, headers: readonly Header[] = []): void =>
      resolve({
        status,
        body: JSON.parse(body),
        headers: Object.fromEntries(headers),
        refused: traffic.refusals.get('invalid_event')!,
        rejected: [...rejected.newest()],
        counts: {events: traffic.events, identifies: traffic.identifies},
      });
    const answer = (status: string, _type: string, body: string, headers: readonly Header[]): void =>
      json(status, body, headers);
    const fail = (failure: Failure): void => failWith(failure, {}, failure.headers);
    const failWith = ({code}: Failure, more: object, headers?: readonly Header[]): void =>
      json(statusOf[code], JSON.stringify({error: {code}, ...more}), headers);
    const guard = (_doing: string, run: () => void): void => run();
    const caller = {key: {id: 'key_1', kind: 'write'}, costs: (): void => {}};
    take(
      front,
      {json, answer, query: '', fail, failWith, guard, traffic, caller} as unknown as Exchange,
      Buffer.from(JSON.stringify(body)),
    );
  });
}

const stored = (sequence: number): LogAnswer => ({kind: 'stored', sequence});
const refused: LogAnswer = {kind: 'refused'};

/** Ten users, by the partition they live in. */
const users = Array.from({length: 10}, (_, at) => `user-${at}`);
function partitionOf(userId: string): number {
  const encoder = new EntryEncoder(partitionCount);
  const none = {anonymousId: undefined, traitsOnceJson: undefined, messageId: undefined, sentMs: undefined};
  encoder.identify({userId, traitsJson: '{}', ...none, ignored: []}, 0, 0);
  return encoder.partition;
}
const events = users.map((userId) => ({event: 'seen', userId}));
const indexesOf = (partition: number): number[] =>
  users.flatMap((userId, index) => (partitionOf(userId) === partition ? [index] : []));

describe('a batch', () => {
  test('that all partitions stored is 200 with the position in each', async () => {
    expect(await post(events, new ScriptedLink([stored(5), stored(9)]))).toMatchObject({
      status: '200 OK',
      body: {status: 'ok', received: 10, rejected: 0, errors: []},
      headers: {'Log-Position': '0:1.5,1:2.9'},
    });
  });

  test('names no position in a log whose generation is not known', async () => {
    const link = () => new ScriptedLink([stored(5), stored(9)]);
    expect((await post(events, link(), [0, 3])).headers).toEqual({'Log-Position': '1:3.9'});
    expect((await post(events, link(), [0, 0])).headers).toEqual({});
  });

  test('of which one partition stored its share is 503 and lists the others', async () => {
    const {status, body, headers} = await post([...events, {}], new ScriptedLink([stored(5), refused]));
    const lost = indexesOf(1);
    expect(lost.length).toBeGreaterThan(0);
    expect(status).toBe('503 Service Unavailable');
    expect(headers).toEqual({'Log-Position': '0:1.5', 'Retry-After': '1'});
    expect(body).toMatchObject({status: 'partial', received: 10 - lost.length, rejected: lost.length + 1});
    expect(body.error).toMatchObject({code: 'unavailable'});
    expect(body.errors.map(({index, code}) => [index, code])).toEqual([
      ...lost.map((index) => [index, 'unavailable']),
      [10, 'invalid_event'],
    ]);
    for (const {message} of body.errors.slice(0, -1)) expect(message).toContain('the log refused');
  });

  test('whose events fill many pieces and several messages reaches the log whole and in order', async () => {
    const link = new ScriptedLink([stored(5), stored(9)]);
    const text = 'x'.repeat(900);
    const many = Array.from({length: 1_000}, (_, index) => {
      // Most of them go to one partition.
      const userId = index % 50 === 0 ? users[index % 10] : users[0];
      return {event: 'seen', userId, properties: index === 333 ? {index, nested: [text]} : {index, text}};
    });
    const {status, body} = await post([...many.slice(0, 999), {}], link);
    expect([status, body.received, body.errors.map(({index}) => index)]).toEqual(['207 Multi-Status', 999, [999]]);
    const expected = link.sent.map((_, partition) =>
      many.flatMap(({userId}, index) => (index < 999 && partitionOf(userId!) === partition ? [index] : [])),
    );
    expect(link.sent).toEqual(expected);
  });

  test('that no partition took is 503 with every event listed', async () => {
    const link = new ScriptedLink([stored(1), stored(1)]);
    link.isConnected = false;
    const {status, body, headers} = await post(events, link);
    expect(status).toBe('503 Service Unavailable');
    expect(headers).toEqual({'Retry-After': '1'});
    expect(body).toMatchObject({status: 'rejected', received: 0, rejected: 10});
    expect(body.errors.map(({index}) => index)).toEqual([...users.keys()]);
    for (const {message} of body.errors) expect(message).toContain('nothing was stored');
  });

  test('whose events are all invalid is 400 and touches no log', async () => {
    const {status, body, headers} = await post([{}, {event: 'x'}], new ScriptedLink([refused, refused]));
    expect([status, headers]).toEqual(['400 Bad Request', {}]);
    expect(body).toMatchObject({status: 'rejected', received: 0, rejected: 2, error: {code: 'invalid_event'}});
  });

  test('counts and lists each event that is refused, some of them or all', async () => {
    const bad = [{event: 'x'}, {event: 'y', userId: 7}, {event: '\u0000', userId: 'ada'}, 'text'];
    const [one, two, three, four] = bad.map((_, index) => ({atMs: 0, code: 'invalid_event', index, keyId: 'key_1'}));
    const expected = [
      {...four, field: null, event: null},
      {...three, field: 'event', event: null},
      {...two, field: 'userId', event: 'y'},
      {...one, field: 'userId', event: 'x'},
    ];
    for (const more of [[], events]) {
      const {refused, rejected} = await post([...bad, ...more], new ScriptedLink([stored(5), stored(9)]));
      expect([refused, rejected]).toEqual([4, expected]);
    }
  });
});

describe('calls of a library', () => {
  const [, {POST}] = compatibleRoutes.exact.find(([path]) => path === '/v1/batch')!;
  const batch = users.flatMap((userId) => [
    {type: 'track', event: 'seen', userId},
    {type: 'identify', userId, traits: {a: 1}},
  ]);
  const sendAll = (calls: readonly unknown[], link: ScriptedLink): Promise<Answer> =>
    send(POST!.takeBody as typeof trackBatch, {batch: calls}, link);

  test('that all partitions stored are 200, and those that were refused are counted and listed', async () => {
    const {status, body, headers, counts, rejected} = await sendAll(
      [...batch, {type: 'track', userId: 'ada'}, {type: 'identify', userId: 'ada', traits: 7}],
      new ScriptedLink([stored(5), stored(9)]),
    );
    expect([status, body]).toEqual(['200 OK', {success: true}]);
    expect(headers).toMatchObject({'Log-Position': '0:1.5,1:2.9', 'Rejected-Events': '2'});
    expect(counts.events).toEqual({accepted: 10, refused: 1, unavailable: 0});
    expect(counts.identifies).toEqual({accepted: 10, refused: 1, unavailable: 0});
    expect(rejected.map(({index, field}) => [index, field])).toEqual([
      [21, 'traits'],
      [20, 'event'],
    ]);
  });

  test('of which one partition stored its share are 503: the library sends all of them again', async () => {
    const {status, body, headers, counts} = await sendAll(batch, new ScriptedLink([stored(5), refused]));
    const lost = indexesOf(1).length;
    expect([status, body.error, headers]).toEqual([
      '503 Service Unavailable',
      {code: 'unavailable'},
      {'Retry-After': '1'},
    ]);
    expect(counts.events).toEqual({accepted: 10 - lost, refused: 0, unavailable: lost});
    expect(counts.identifies).toEqual({accepted: 10 - lost, refused: 0, unavailable: lost});
  });
});

test('what is read behind a batch in the same turn has a time of its own', async () => {
  let ms = 0;
  const clock = onceATurn(() => ++ms);
  expect(clock()).toBe(1);
  const answer = post([{event: 'a', userId: 'u'}], new ScriptedLink([stored(1), stored(1)]));
  expect([clock(), clock()]).toEqual([2, 2]);
  expect((await answer).body.received).toBe(1);
});
