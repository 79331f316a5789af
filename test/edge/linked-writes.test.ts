// Writes with both ids: the event or identify and its link leave together, and the answer waits for both, over a wire whose
// answers the test gives.
import {setImmediate as turn} from 'node:timers/promises';
import {describe, expect, test} from 'vitest';
import {wtf8} from '../../actors/bytes/bytes.js';
import {partitionOf} from '../../actors/bytes/hash.js';
import {logMessageBytesMax} from '../../actors/limits.js';
import {entryKind} from '../../actors/log/entries.js';
import {MessageCursor} from '../../actors/log/entry-view.js';
import {RejectedEvents} from '../../src/edge/admission/rejected-events.js';
import {type Failure, type Header, statusOf} from '../../src/edge/failure.js';
import type {Front} from '../../src/edge/front.js';
import type {CommitAnswer, Exchange} from '../../src/edge/http/exchange.js';
import {Traffic} from '../../src/edge/metrics/traffic.js';
import {trackBatch} from '../../src/edge/routes/batch.js';
import {identify, track} from '../../src/edge/routes/track.js';
import {AckedLinks} from '../../src/ingest/acked-links.js';
import {EntryEncoder} from '../../src/ingest/entry-encoder.js';
import {LinkEncoder} from '../../src/ingest/link-encoder.js';
import type {Commit} from '../../src/ingest/log-message.js';
import {type LogAnswer, type LogLink, type LogListener, LogPublisher} from '../../src/ingest/publisher.js';
import {RequestOrder} from '../../src/ingest/request-order.js';
import type {ActiveKey} from '../../src/keys/key-ring.js';
import {anyNames} from '../support/any-names.js';

const partitionCount = 2;

interface Sent {
  readonly partition: number;
  readonly ticket: number;
  /** `link <anonymousId> <userId>`, `event <userId>` or `identify <userId>` for each entry. */
  readonly entries: readonly string[];
}

/** Holds every message until the test answers it. */
class HeldWire implements LogLink {
  isConnected = true;
  sent: Sent[] = [];
  private listener!: LogListener;

  listen(listener: LogListener): void {
    this.listener = listener;
  }

  send(partition: number, _: string, ticket: number, bytes: Uint8Array): void {
    const cursor = new MessageCursor(bytes);
    const entries: string[] = [];
    while (cursor.next()) {
      const {entry} = cursor;
      const id = entry.userKey().slice(1);
      if (entry.kind === entryKind.link) entries.push(`link ${id} ${entry.text().slice(1)}`);
      else entries.push(`${entry.kind === entryKind.event ? 'event' : 'identify'} ${id}`);
    }
    this.sent.push({partition, ticket, entries});
  }

  answer(partition: number, answer: LogAnswer): void {
    const message = this.sent.find((one) => one.partition === partition);
    if (message === undefined) throw new Error(`nothing was sent to partition ${partition}`);
    this.sent = this.sent.filter((one) => one !== message);
    this.listener.answered(partition, message.ticket, answer);
  }

  /** Entries by partition. */
  get entries(): Record<number, readonly string[]> {
    return Object.fromEntries(this.sent.map(({partition, entries}) => [partition, entries]));
  }
}

interface Answer {
  readonly status: string;
  // biome-ignore lint/suspicious/noExplicitAny: as JSON.parse gives it.
  readonly body: any;
  readonly headers: Record<string, string>;
}

class Edge {
  readonly wire = new HeldWire();
  readonly traffic = new Traffic({exact: new Map(), bySegment: new Map()});
  readonly links: LinkEncoder | undefined;
  private readonly front: Front;

  constructor(isOn = true) {
    this.links = isOn ? new LinkEncoder(new AckedLinks(Uint32Array.of(1, 2, 3)), partitionCount) : undefined;
    const publisher = new LogPublisher({
      link: this.wire,
      partitionCount,
      messageBytesMax: logMessageBytesMax,
      monotonicMs: () => 0,
      wallMs: () => 0,
      newProducer: () => Buffer.alloc(8, 1),
      generations: {ofAck: () => 1, startConnection: () => undefined},
    });
    this.front = {
      partitionCount,
      wallMs: () => 0,
      writes: {
        publisher,
        encoder: new EntryEncoder(partitionCount),
        order: new RequestOrder(1),
        links: this.links,
        web: {requestOf: () => undefined}, // No key is one of pages.
        named: anyNames(1),
        rejected: new RejectedEvents(() => 0),
      },
      operations: {traffic: this.traffic},
    } as unknown as Front;
  }

  /** The log takes entries of this partition alone. */
  takesOnly(partition: number): void {
    const {publisher} = this.front.writes;
    const append = publisher.append.bind(publisher);
    publisher.append = (to, ...entry) => (to === partition ? append(to, ...entry) : undefined);
  }

  /** Its answers, in the order in which they were given. */
  post(route: typeof track, body: object, key: Partial<ActiveKey> = {}): Answer[] {
    const answers: Answer[] = [];
    const json = (status: string, text: string, headers: readonly Header[] = []): void =>
      void answers.push({status, body: JSON.parse(text), headers: Object.fromEntries(headers)});
    const failWith = ({code, message}: Failure, more: object, headers?: readonly Header[]): void =>
      json(statusOf[code], JSON.stringify({error: {code, message}, ...more}), headers);
    const exchange = {
      json,
      failWith,
      fail: (failure: Failure) => failWith(failure, {}),
      guard: (_: string, run: () => void) => run(),
      awaitCommit: (answer: CommitAnswer) => ({
        settled: (commit: Commit) => answer.settled(exchange, commit),
      }),
      traffic: this.traffic,
      caller: {key: {id: 'key_1', kind: 'write', ...key}, costs: () => undefined},
    } as unknown as Exchange;
    route(this.front, exchange, Buffer.from(JSON.stringify(body)));
    return answers;
  }
}

const stored = (sequence: number): LogAnswer => ({kind: 'stored', sequence});
const refused: LogAnswer = {kind: 'refused'};

function idIn(partition: number, kind: 'u' | 'a', at = 0): string {
  const ids = Array.from({length: 40}, (_, n) => `id-${n}`).filter((id) => {
    const key = wtf8(kind + id);
    return partitionOf(key, 0, key.length, partitionCount) === partition;
  });
  return ids[at]!;
}

const user = idIn(0, 'u');
const device = idIn(1, 'a');
const neighbour = idIn(0, 'a');

const writes = [
  ['a plain event', track, {event: 'seen', userId: user, anonymousId: device}, `event ${user}`],
  ['a parsed event', track, {event: 'seen', userId: user, anonymousId: device, properties: {a: [1]}}, `event ${user}`],
  ['an identify', identify, {userId: user, anonymousId: device, traits: {}}, `identify ${user}`],
] as const;

describe.each(writes)('%s with both ids', (_, route, body, entry) => {
  const kind = route === track ? 'events' : 'identifies';

  test('leaves with its link, and is answered when the log has both; then its pair needs no link', async () => {
    const edge = new Edge();
    const answers = edge.post(route, body);
    await turn();
    expect(edge.wire.entries).toEqual({0: [entry], 1: [`link ${device} ${user}`]});
    edge.wire.answer(0, stored(5));
    expect(answers).toEqual([]);
    edge.wire.answer(1, stored(9));
    expect(answers).toMatchObject([{status: '200 OK', headers: {'Log-Position': '0:1.5'}}]);
    expect(edge.traffic[kind]).toMatchObject({accepted: 1, unavailable: 0});
    expect(edge.links!.acked.count).toBe(1);
    edge.post(route, body);
    await turn();
    expect(edge.wire.entries).toEqual({0: [entry]});
  });

  test('has its link before it where both are in one partition', async () => {
    const edge = new Edge();
    const answers = edge.post(route, {...body, anonymousId: neighbour});
    await turn();
    expect(edge.wire.entries).toEqual({0: [`link ${neighbour} ${user}`, entry]});
    edge.wire.answer(0, stored(5));
    expect(answers).toMatchObject([{status: '200 OK'}]);
    expect(edge.traffic[kind]).toMatchObject({accepted: 1, unavailable: 0});
  });

  test.each([
    ['its link', [stored(5), refused], 'this anonymousId is this user'],
    ['the write', [refused, stored(9)], 'the log refused this write'],
    ['both', [refused, refused], 'the log refused this write'],
  ] as const)(
    'is 503 when the log has not %s; a retry sends the link again unless it has that',
    async (_, outcomes, message) => {
      const edge = new Edge();
      const answers = edge.post(route, body);
      await turn();
      edge.wire.answer(1, outcomes[1]);
      expect(answers).toEqual([]);
      edge.wire.answer(0, outcomes[0]);
      expect(answers).toMatchObject([{status: '503 Service Unavailable', body: {error: {code: 'unavailable'}}}]);
      expect(answers[0]!.body.error.message).toContain(message);
      expect(edge.traffic[kind]).toMatchObject({accepted: 0, unavailable: 1});
      edge.post(route, body);
      await turn();
      const isLinked = outcomes[1].kind === 'stored';
      expect(edge.wire.entries).toEqual(isLinked ? {0: [entry]} : {0: [entry], 1: [`link ${device} ${user}`]});
    },
  );

  test('is not taken when the log takes no link', () => {
    const edge = new Edge();
    edge.wire.isConnected = false;
    const answers = edge.post(route, body);
    expect(answers).toMatchObject([{status: '503 Service Unavailable'}]);
    expect(answers[0]!.body.error.message).toContain('nothing was stored');
    expect(edge.traffic[kind].unavailable).toBe(1);
  });

  test('sends no link where identities are not joined', async () => {
    const edge = new Edge(false);
    edge.post(route, body);
    await turn();
    expect(edge.wire.entries).toEqual({0: [entry]});
  });
});

test('an event whose link the log took, and which it did not take itself, is answered once', async () => {
  const edge = new Edge();
  edge.takesOnly(1);
  const answers = edge.post(track, {event: 'seen', userId: user, anonymousId: device});
  await turn();
  expect(edge.wire.entries).toEqual({1: [`link ${device} ${user}`]});
  edge.wire.answer(1, stored(9));
  expect(answers).toMatchObject([{status: '503 Service Unavailable'}]);
  expect(edge.traffic.events).toMatchObject({accepted: 0, unavailable: 1});
  expect(edge.links!.acked.count).toBe(1);
});

test('an event of a key that may not identify sends no link; one of a key that may sends it then', async () => {
  const [edge, body] = [new Edge(), {event: 'seen', userId: user, anonymousId: device}];
  const options = {mayIdentify: false};
  edge.post(track, body, {options});
  edge.post(track, {...body, properties: {a: [1]}}, {options});
  edge.post(trackBatch, {events: [body, {...body, properties: {a: [1]}}]}, {options});
  await turn();
  expect(edge.wire.entries).toEqual({0: Array.from({length: 4}, () => `event ${user}`)});
  for (const kind of ['write', 'secret'] as const) {
    const other = new Edge();
    other.post(trackBatch, {events: [body]}, {kind});
    await turn();
    expect(other.wire.entries).toEqual({0: [`event ${user}`], 1: [`link ${device} ${user}`]});
  }
});

test('an event with one id sends no link', async () => {
  const edge = new Edge();
  edge.post(track, {event: 'seen', userId: user});
  edge.post(track, {event: 'seen', anonymousId: neighbour});
  edge.post(identify, {userId: user, anonymousId: null});
  await turn();
  expect(edge.wire.entries).toEqual({0: [`event ${user}`, `event ${neighbour}`, `identify ${user}`]});
});

describe('a batch', () => {
  const other = idIn(1, 'a', 1);
  const events = [
    {event: 'seen', userId: user, anonymousId: device},
    {event: 'seen', userId: user},
    {event: 'seen', userId: user, anonymousId: device},
    {event: 'seen', userId: user, anonymousId: neighbour},
    {event: 'seen', userId: user, anonymousId: other},
  ];
  const mine = events.map(() => `event ${user}`);

  test('sends one link a pair, and knows them when the log has them', async () => {
    const edge = new Edge();
    const answers = edge.post(trackBatch, {events});
    await turn();
    expect(edge.wire.entries).toEqual({
      0: [`link ${neighbour} ${user}`, ...mine],
      1: [`link ${device} ${user}`, `link ${other} ${user}`],
    });
    edge.wire.answer(0, stored(5));
    expect(answers).toEqual([]);
    edge.wire.answer(1, stored(9));
    expect(answers).toMatchObject([
      {status: '200 OK', body: {received: 5, errors: []}, headers: {'Log-Position': '0:1.5'}},
    ]);
    expect(edge.links!.acked.count).toBe(3);
    edge.post(trackBatch, {events});
    await turn();
    expect(edge.wire.entries).toEqual({0: mine});
  });

  test('lists the events whose link the log refused', async () => {
    const edge = new Edge();
    const answers = edge.post(trackBatch, {events});
    await turn();
    edge.wire.answer(1, refused);
    edge.wire.answer(0, stored(5));
    const [{status, body}] = answers as [Answer];
    expect(status).toBe('503 Service Unavailable');
    expect(body).toMatchObject({status: 'partial', received: 2, rejected: 3});
    expect(body.errors.map(({index, code}: {index: number; code: string}) => [index, code])).toEqual([
      [0, 'unavailable'],
      [2, 'unavailable'],
      [4, 'unavailable'],
    ]);
    expect(body.errors[0].message).toContain('this anonymousId is this user');
    expect(edge.traffic.events).toMatchObject({accepted: 2, unavailable: 3});
    edge.post(trackBatch, {events});
    await turn();
    expect(edge.wire.entries).toEqual({0: mine, 1: [`link ${device} ${user}`, `link ${other} ${user}`]});
  });

  test('lists the events that the log refused, whatever it did with their links', async () => {
    const edge = new Edge();
    const answers = edge.post(trackBatch, {events});
    await turn();
    edge.wire.answer(0, refused);
    edge.wire.answer(1, stored(9));
    expect(answers).toMatchObject([{status: '503 Service Unavailable', body: {received: 0, rejected: 5}}]);
    for (const {message} of answers[0]!.body.errors) expect(message).toContain('the log refused this write');
  });
});
