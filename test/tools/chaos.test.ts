// The chaos tool in its short form: a small round of the nemeses that find most; and its checkers, which must see what they
// look for. The long form, and all others: `npm run chaos -- NEMESIS --rounds N --seed S` (docs/guarantees.md).

import {execFile} from 'node:child_process';
import {fileURLToPath} from 'node:url';
import {promisify} from 'node:util';
import {describe, expect, test} from 'vitest';
import {Addresses} from '../../src/webhooks/addresses.js';
import {Poster} from '../../src/webhooks/post.js';
import {newSecret, signatures} from '../../src/webhooks/signature.js';
import {type Delivery, HookReceiver} from '../../tools/chaos/hook-receiver.js';
import type {EventThing} from '../../tools/chaos/journal.js';
import type {EventRow} from '../../tools/chaos/readback.js';
import {brokenEvents, type EventFate} from '../../tools/chaos/stored-events.js';
import {ToldMessages, wants} from '../../tools/chaos/told-messages.js';
import {Random} from '../../tools/random.js';
import {playsAll} from '../support/runs.js';

const program = fileURLToPath(new URL('../../dist/tools/chaos/main.js', import.meta.url));
const canRun = process.platform === 'linux' && process.env.TEST_NATS_URL === undefined;

/** With ALL_CASES alone: other tests restart, kill and pause a service, and kill nats-server under it. */
const others: readonly [string, number, number][] = [
  ['restart', 1, 7],
  ['kill-nats', 1, 7],
  ['wake', 1, 38], // Stops for 2 s.
];

test.skipIf(!canRun).each<[string, number, number]>([...(playsAll ? others : []), ['erase', 1, 7]])(
  'chaos: %s, %i rounds: nothing lost, nothing double, nothing invented',
  async (nemesis, rounds, seed) => {
    // How soon it takes events again is judged by the long form: this machine is busy with other tests.
    const words = [nemesis, '--rounds', `${rounds}`, '--seed', `${seed}`, '--patience', '6', '--things', '200'];
    const run = promisify(execFile)(process.execPath, [program, ...words], {timeout: 280_000});
    const {stdout, stderr} = await run.catch((error: {stdout: string; stderr: string}) => error);
    expect(stderr).toBe('');
    expect(stdout).toContain(`${rounds} rounds, 0 lost, 0 double, 0 invented`);
    expect(
      JSON.parse(
        stdout
          .trimEnd()
          .split('\n')
          .find((line) => line.startsWith('{'))!,
      ),
    ).toMatchObject({broken: {}});
  },
);

const body = {event: 'view', userId: 'ada', timestamp: '2001-01-03T00:00:00.000Z', properties: {n: 1}, messageId: 'm'};
const thing: EventThing = {n: 1, kind: 'event', round: 1, isValid: true, body};
const acked: EventFate = {thing, sends: 2, acked: 1, refused: 0, unknown: 1, ackedAt: 5, deletionId: undefined};
const row: EventRow = {...body, id: '0-1', anonymousId: null, received_at: '2026-01-01T00:00:00.000Z'};
const later: EventRow = {...row, id: '0-2', timestamp: '2001-01-04T00:00:00.000Z'};

test('an event that is known to be lost for good may be missing, and may not be there twice', () => {
  const found = (rows: readonly EventRow[]): string[] =>
    [
      ...brokenEvents(
        [acked],
        rows,
        () => false,
        () => true,
      ),
    ].map(({invariant}) => invariant);
  expect(found([])).toEqual([]);
  expect(found([row])).toEqual([]);
  expect(found([{...row, id: '0-2'}, row])).toEqual(['double']);
});

describe('the checker of stored events', () => {
  const found = (fate: EventFate, rows: readonly EventRow[], isErased = false): string[] =>
    [...brokenEvents([fate], rows, () => isErased)].map(({invariant}) => invariant);

  test.each<[string, EventFate, readonly EventRow[], boolean, readonly string[]]>([
    ['an acknowledged event that is there', acked, [row], false, []],
    ['an acknowledged event that is missing', acked, [], false, ['lost']],
    ['an event without an answer may be missing', {...acked, acked: 0}, [], false, []],
    ['or be there', {...acked, acked: 0}, [row], false, []],
    ['but not twice', {...acked, acked: 0}, [{...row, id: '0-2'}, row], false, ['double']],
    ['an event that nobody sent', acked, [{...row, id: '0-2', properties: {n: 2}}, row], false, ['invented']],
    ['another property', acked, [{...row, properties: {n: 1, more: true}}], false, ['altered']],
    ['another user', acked, [{...row, userId: 'bob'}], false, ['altered']],
    ['another time', acked, [later], false, ['altered']],
    ['an id that two events have', acked, [row, row], false, ['double', 'double', 'history']],
    [
      'a refused event that is there',
      {...acked, acked: 0, thing: {...thing, isValid: false}},
      [row],
      false,
      ['refusal'],
    ],
    ['an invalid event that was acknowledged', {...acked, thing: {...thing, isValid: false}}, [], false, ['refusal']],
    ['an event of an erased user', acked, [row], true, ['erased']],
    ['an erased user whose events are gone', acked, [], true, []],
  ])('%s', (_case, fate, rows, isErased, invariants) => {
    expect(found(fate, rows, isErased)).toEqual(invariants);
  });

  test('what came with the anonymousId alone is of the user that was named beside it', () => {
    const alone: EventRow = {...row, id: '1-7', userId: null, anonymousId: 'd', properties: {n: 2}, messageId: 'm2'};
    const joined: EventRow = {...alone, userId: 'ada', joined: true};
    const {id: _, received_at: _receivedAt, ...sent} = alone;
    const ofDevice: EventFate = {...acked, thing: {...thing, n: 2, body: sent as EventThing['body']}};
    const ofBoth: EventFate = {...acked, thing: {...thing, body: {...body, anonymousId: 'd'}}};
    const foundWith = (link: EventFate, ...rows: readonly EventRow[]): string[] =>
      [...brokenEvents([link, ofDevice], rows, () => false)].map(({invariant}) => invariant);
    const both = {...row, anonymousId: 'd'};
    expect(foundWith(ofBoth, joined, both)).toEqual([]);
    expect(foundWith(ofBoth, alone, both)).toEqual(['altered']);
    const unanswered = {...ofBoth, acked: 0};
    expect([foundWith(unanswered, joined), foundWith(unanswered, alone)]).toEqual([[], []]);
    expect(foundWith(acked, joined, row)).toEqual(['altered']);
  });
});

describe('the checker of webhooks', () => {
  const rule = {names: ['view'], where: [{property: 'n', op: 'eq', values: ['1']}]};
  const message = (data: object, more: object = {}) => ({
    id: 'msg_1',
    type: 'event.tracked',
    data,
    atMs: 0,
    isTaken: true,
    ...more,
  });
  const ofAda = {event: {...row, userId: 'erased-ada'}, user_ref: 'r'};
  const receipt = {deletionId: 'del_1', userId: 'erased-ada', n: 5, atMs: 1_000};

  test('knows what a rule wants', () => {
    expect([row, {...row, event: 'buy'}, {...row, properties: {n: 2}}].map((one) => wants(rule, one))).toEqual([
      true,
      false,
      false,
    ]);
  });

  test('knows an event that was taken, alone or in a batch, and one that was not', () => {
    const told = new ToldMessages();
    told.take('/a', message({event: row, user_ref: 'r'}, {isTaken: false}));
    expect(told.isTaken('/a', row.id)).toBe(false);
    told.take('/a', message({event: row, user_ref: 'r'}));
    told.take('/b', message({events: [{event: later, user_ref: 'r'}]}));
    expect([told.isTaken('/a', row.id), told.isTaken('/b', later.id), told.isTaken('/b', row.id)]).toEqual([
      true,
      true,
      false,
    ]);
    expect([told.copies, told.brokenSinceLastTime()]).toEqual([1, []]);
  });

  test('sees a batch that has other events than before; an event may come in another batch', () => {
    const told = new ToldMessages();
    const batch = (id: string, ...rows: EventRow[]) =>
      told.take('/b', message({events: rows.map((event) => ({event, user_ref: 'r'}))}, {id}));
    batch('msg_1', row, later);
    batch('msg_1', later); // The other one was erased.
    batch('msg_2', row);
    expect([told.brokenSinceLastTime(), told.regrouped]).toEqual([[], 1]);
    batch('msg_2', later);
    expect(told.brokenSinceLastTime().map(({invariant}) => invariant)).toEqual(['webhook']);
  });

  test('sees a copy under another id, and a user under another reference', () => {
    const told = new ToldMessages();
    told.take('/a', message({event: row, user_ref: 'r'}));
    told.take('/a', message({event: row, user_ref: 's'}, {id: 'msg_2'}));
    expect(told.brokenSinceLastTime().map(({invariant}) => invariant)).toEqual(['webhook', 'webhook']);
  });

  test.each([
    ['before the receipt', {}, 900, []],
    ['on its way then', {}, 1_500, []],
    ['after it', {}, 2_100, ['erased']],
    ['after it, of what the user did later', {properties: {n: 6}}, 2_100, []],
  ])('of a deleted user: %s', (_case, event, atMs, invariants) => {
    const told = new ToldMessages();
    told.take('/a', message({...ofAda, event: {...ofAda.event, ...event}}, {atMs}));
    expect(told.brokenReceipts([receipt]).map(({invariant}) => invariant)).toEqual(invariants);
  });

  test('a deletion names the user of its events', () => {
    const told = new ToldMessages();
    told.take('/a', message(ofAda));
    told.take('/a', message({deletion_id: 'del_1', user_ref: 's'}, {type: 'user.deleted', id: 'msg_2'}));
    expect(told.isTaken('/a', 'del_1')).toBe(true);
    expect(told.brokenReceipts([receipt]).map(({invariant}) => invariant)).toEqual(['webhook']);
  });
});

test('a receiver of chaos verifies signatures, and fails each delivery once at most', async () => {
  const deliveries: Delivery[] = [];
  const receiver = new HookReceiver(new Random(7), (_, delivery) => void deliveries.push(delivery));
  const port = await receiver.listen();
  const poster = new Poster({addresses: new Addresses({allowed: ['127.0.0.1'], allowsHttp: true}), wallMs: Date.now});
  const secret = newSecret();
  receiver.expect('/all', secret, 1);
  const body = JSON.stringify({type: 'test', timestamp: '', data: {n: 1}});
  const seconds = Math.floor(Date.now() / 1_000);
  const post = (id: string, by: string, path = '/all') => {
    const signature = signatures([by], id, seconds, body);
    const headers = {'webhook-id': id, 'webhook-timestamp': String(seconds), 'webhook-signature': signature};
    return poster.post(`http://127.0.0.1:${port}${path}`, async () => ({headers, body}));
  };
  const ids = Array.from({length: 40}, (_, n) => `msg_${n}`);
  let delivered = 0;
  for (const id of ids) if ((await post(id, secret)).kind === 'delivered') delivered += 1;
  const timesOf = (...ways: readonly string[]) => ways.reduce((sum, way) => sum + (receiver.counts.get(way) ?? 0), 0);
  // A reset may be that of an idle connection: then the same attempt makes its request again (PO5, post.ts).
  expect(delivered).toBeLessThanOrEqual(
    timesOf('resets after it has read', 'resets before it has read', 'ends within its head'),
  );
  for (const id of ids) expect((await post(id, secret)).kind).toBe('delivered');
  const taking = ['takes', 'takes it late', 'takes it, and breaks off within its answer'];
  expect(timesOf(...receiver.counts.keys()) - timesOf(...taking)).toBe(ids.length);
  expect(receiver.faults).toEqual([]);
  expect(new Set(deliveries.filter(({isTaken}) => isTaken).map(({id}) => id)).size).toBe(ids.length);
  await post('msg_0', newSecret());
  await post('msg_0', secret, '/redirected');
  expect(receiver.faults.length).toBe(2);
  receiver.goAway('/all');
  expect(await post('msg_1', secret)).toEqual({kind: 'gone', status: 410});
  receiver.close();
  poster.close();
});
