// Deletions of users with anonymous ids, and their receipts, over partitions that answer as the test says.
import {beforeEach, describe, expect, test} from 'vitest';
import {wtf8} from '../../actors/bytes/bytes.js';
import {partitionOf} from '../../actors/bytes/hash.js';
import {logMessageBytesMax} from '../../actors/limits.js';
import {entryKind} from '../../actors/log/entries.js';
import {MessageCursor} from '../../actors/log/entry-view.js';
import type {PartitionAnswer, PartitionQuestion} from '../../src/asks/partition.js';
import type {Deletion} from '../../src/asks/users.js';
import type {NamedBy} from '../../src/edge/answers/users.js';
import {type Failure, type Header, statusOf, unavailable} from '../../src/edge/failure.js';
import type {Front} from '../../src/edge/front.js';
import type {Exchange} from '../../src/edge/http/exchange.js';
import {Asks} from '../../src/edge/query/asks.js';
import type {Handle} from '../../src/edge/route.js';
import {deleteUser, readDeletion} from '../../src/edge/routes/deletions.js';
import {readEvents} from '../../src/edge/routes/events.js';
import {readUser} from '../../src/edge/routes/users.js';
import {EntryEncoder} from '../../src/ingest/entry-encoder.js';
import {type LogLink, type LogListener, LogPublisher} from '../../src/ingest/publisher.js';
import {RequestOrder} from '../../src/ingest/request-order.js';
import type {Definition} from '../../src/kept/definition.js';
import {keptAt} from '../support/kept-report.js';

const partitionCount = 4;

type DevicesAnswer = Extract<PartitionAnswer, {kind: 'devices'}>;
const noDevices: DevicesAnswer = {kind: 'devices', anonymousIds: [], hasAny: false};

interface Answer {
  readonly status: string;
  // biome-ignore lint/suspicious/noExplicitAny: as JSON.parse gives it.
  readonly body: any;
  readonly headers: Record<string, string>;
}

/** What happens, in order: `erase <partition> <key>` (`> <partitions>` that it goes on to) and `<ask> <partition>`. */
let steps: string[];
let devices: DevicesAnswer[];
let receipts: (Deletion | undefined)[];
let isKnown: boolean;
/** A question that is answered otherwise; undefined: not this one. */
let exception: (partition: number, question: PartitionQuestion) => PartitionAnswer | undefined;
/** Deletions stay in their first partition until `goOn`. */
let isHeldUp: boolean;
let goOn: () => void;
let obstacle: Failure | undefined;
let shares: Definition[];
let profile: {readonly traitsJson: string; readonly secretTraits: readonly string[]};

beforeEach(() => {
  obstacle = undefined;
  shares = [];
  profile = {traitsJson: '{}', secretTraits: []};
  steps = [];
  devices = Array.from({length: partitionCount}, () => noDevices);
  receipts = [];
  isKnown = true;
  exception = () => undefined;
  isHeldUp = false;
});

function answerTo(partition: number, question: PartitionQuestion): PartitionAnswer {
  const {ask} = question;
  steps.push(`${ask} ${partition}`);
  const other = exception(partition, question);
  if (other !== undefined) return other;
  if (ask === 'exists') return isKnown ? {kind: 'known_user'} : {kind: 'unknown_user'};
  if (ask === 'devices') return devices[partition]!;
  if (ask === 'profile')
    return {
      kind: 'profile',
      id: user,
      ...profile,
      createdMs: 0,
      lastSeenMs: 0,
      traitsOverLimit: 0,
    };
  if (ask === 'history') return {kind: 'history', timesMs: [], ordinals: [], more: false, ordinalEnd: 0};
  if (ask !== 'deletion') throw new Error(`not asked here: ${ask}`);
  const deletion = receipts[partition];
  return deletion === undefined ? {kind: 'unknown_deletion'} : {kind: 'deletion', deletion};
}

/** Stores what is sent, and erases at once there and where it goes on, if it does. */
class Wire implements LogLink {
  isConnected = true;
  private listener!: LogListener;

  listen(listener: LogListener): void {
    this.listener = listener;
  }

  send(partition: number, _: string, ticket: number, bytes: Uint8Array): void {
    const cursor = new MessageCursor(bytes);
    while (cursor.next()) {
      expect(cursor.entry.kind).toBe(entryKind.erase);
      const onward = cursor.entry.onward();
      const id = cursor.entry.text();
      steps.push(`erase ${[partition, ...onward].join(' > ')} ${cursor.entry.userKey()}`);
      receipts[partition] = receipt(id, partition);
      const erase = (): void => {
        for (const next of onward) receipts[next] = receipt(id, next);
      };
      if (isHeldUp) goOn = erase;
      else erase();
    }
    setImmediate(() => this.listener.answered(partition, ticket, {kind: 'stored', sequence: 7}));
  }
}

const completedAt = (partition: number): string => `2026-05-01T12:00:0${partition}.000Z`;
const receipt = (id: string, partition: number): Deletion => ({
  id,
  status: 'completed',
  log_position: `${partition}:1.7`,
  events_deleted: 10 ** partition,
  completed_at: completedAt(partition),
  verified: [`state of ${partition}`, 'reach: everything'],
});

async function call(handle: Handle, query: string): Promise<Answer> {
  const audited: string[] = [];
  const front = {
    partitionCount,
    wallMs: () => 0,
    reads: {
      asks: new Asks({
        request: async (subject: string, question: object) =>
          'query' in question
            ? {kind: 'report', body: '{"data":[]}'} // Nobody else has the trait.
            : answerTo(Number(subject.split('.').at(-1)), question as PartitionQuestion),
      }),
    },
    writes: {
      publisher: new LogPublisher({
        link: new Wire(),
        partitionCount,
        messageBytesMax: logMessageBytesMax,
        monotonicMs: () => 0,
        wallMs: () => 0,
        newProducer: () => Buffer.alloc(8, 1),
      }),
      encoder: new EntryEncoder(partitionCount),
      order: new RequestOrder(1),
      named: {names: {all: () => ['signup', 'checkout']}},
      forgetLinks: (userId: string) => steps.push(`forget ${userId}`),
    },
    kept: {
      audit: {userDeleted: (id: string) => audited.push(id), defined: () => {}},
      store: {
        all: () => shares,
        get: (id: string) => shares.find((one) => one.id === id),
        definitions: () => ({
          list: () => shares,
          remove: async (id: string) => {
            shares = shares.filter((one) => one.id !== id);
          },
        }),
        bucket: {read: async () => undefined, write: async (name: string) => void steps.push(`write ${name}`)},
      },
      revocations: {add: async () => {}},
      keys: {lists: {names: [], properties: []}},
    },
    operations: {
      obstacles: {toWriting: () => obstacle, toChanges: () => undefined},
      clientAddresses: {of: () => '127.0.0.1', isTrusted: () => false},
    },
  } as unknown as Front;
  const answers: Answer[] = [];
  const json = (status: string, text: string, headers: readonly Header[] = []): void =>
    void answers.push({status, body: JSON.parse(text), headers: Object.fromEntries(headers)});
  const failWith = ({code, message}: Failure, more: object): void =>
    json(statusOf[code], JSON.stringify({error: {code, message}, ...more}));
  const fail = (failure: Failure): void => failWith(failure, {});
  const exchange = {
    json,
    fail,
    failWith,
    query,
    caller: {key: {id: 'key_1'}},
    forwardedPrefix: '',
  } as unknown as Exchange;
  await handle(front, exchange, '');
  expect(answers).toHaveLength(1);
  expect(audited).toHaveLength(steps.some((step) => step.startsWith('erase')) ? 1 : 0);
  return answers[0]!;
}

const user = Array.from({length: 40}, (_, n) => `user-${n}`).find((id) => {
  const key = wtf8('u' + id);
  return partitionOf(key, 0, key.length, partitionCount) === 2;
})!;
const home = 2;
const ofUser = `userId=${user}`;
const at = (step: string): number => {
  expect(steps).toContain(step);
  return steps.indexOf(step);
};

describe('a deletion', () => {
  test('of a user without devices is one entry, and asks its own partition for the receipt', async () => {
    const {status, body} = await call(deleteUser, ofUser);
    expect(status).toBe('200 OK');
    expect(body.deletion).toEqual({...receipt(body.deletion.id, home), named_by: []});
    expect(steps.slice(5)).toEqual([`erase ${home} u${user}`, `deletion ${home}`]);
  });

  test('erases devices first, in their partitions, and the user last: one entry says where; one receipt', async () => {
    for (const partition of [0, 3]) devices[partition] = {kind: 'devices', anonymousIds: ['a'], hasAny: true};
    const {status, body} = await call(deleteUser, ofUser);
    expect(status).toBe('200 OK');
    const {id, ...rest} = body.deletion;
    expect(id).toMatch(new RegExp(`^del_${home}_`));
    expect(rest).toEqual({
      status: 'completed',
      log_position: `${home}:1.7`,
      events_deleted: 1_101,
      completed_at: completedAt(3),
      verified: ['state of 2', 'reach: everything', 'state of 3', 'state of 0'],
      named_by: [],
    });
    expect(steps.filter((step) => step.startsWith('erase'))).toEqual([`erase 0 > 3 > ${home} u${user}`]);
    expect(at(`erase 0 > 3 > ${home} u${user}`)).toBeLessThan(at(`forget ${user}`));
    steps = [];
    const asked = await call(readDeletion, `id=${id}`);
    expect(asked.body.deletion).toEqual({...body.deletion, verified: expect.arrayContaining(body.deletion.verified)});
  });

  test("comes to the user's partition twice if devices are there: the second time behind what those sent", async () => {
    for (const partition of [0, home]) devices[partition] = {kind: 'devices', anonymousIds: [], hasAny: true};
    expect((await call(deleteUser, ofUser)).status).toBe('200 OK');
    expect(steps.filter((step) => step.startsWith('erase'))).toEqual([`erase 0 > ${home} > ${home} u${user}`]);
  });

  describe('of a user whom links name', () => {
    const link = (n: number, name: string, search: string): Definition => {
      const of = keptAt(`/trends${search}`);
      return {v: 1, id: `sh_${'0'.repeat(15)}${n}`, createdMs: 1, name, of} as Definition;
    };
    const innocent = link(1, 'Sign-ups per day', '?event=signup&event=checkout&every=day&compare=year&range=7d');
    const ofDay = link(2, 'Hers', '?event=signup&user_where=last_name+eq+Day');
    const namedBy = ({body}: Answer): unknown =>
      body.deletion.named_by.map(({id, is_there}: NamedBy) => [id, is_there]);

    test('by a word, only the one with a condition on the trait stops; a name with the word is listed', async () => {
      profile = {traitsJson: '{"last_name":"Day"}', secretTraits: ['last_name']};
      shares = [innocent, ofDay, link(3, 'Sign-ups', '?event=signup&every=day')];
      expect(namedBy(await call(deleteUser, ofUser))).toEqual([
        [innocent.id, true],
        [ofDay.id, false],
      ]);
    });

    test('no trait of a public key, and no id that is a word, stops a link', async () => {
      profile = {traitsJson: '{"a":"trends","b":"signup","c":"checkout"}', secretTraits: []};
      devices[0] = {kind: 'devices', anonymousIds: ['signup', 'active', 'range'], hasAny: true};
      shares = [innocent, link(3, 'Other', '?event=login&range=7d')];
      expect(namedBy(await call(deleteUser, ofUser))).toEqual([[innocent.id, true]]);
    });

    test('that cannot be written stops no link, and stores nothing', async () => {
      profile = {traitsJson: '{"last_name":"Day"}', secretTraits: ['last_name']};
      shares = [ofDay];
      obstacle = unavailable('full');
      await expect(call(deleteUser, ofUser)).rejects.toThrow('full');
      expect(shares).toEqual([ofDay]);
      expect(steps.filter((step) => /^(?:write|erase)/.test(step))).toEqual([]);
    });
  });

  test('that takes longer is pending, and is not complete before it came to the user', async () => {
    devices[1] = {kind: 'devices', anonymousIds: ['a'], hasAny: true};
    isHeldUp = true;
    const {status, body, headers} = await call(deleteUser, ofUser);
    expect(status).toBe('202 Accepted');
    expect(headers).toEqual({Location: `/v1/deletion?id=${body.deletion.id}`});
    const pending = {status: 'pending', log_position: null, events_deleted: null, verified: null};
    expect(body.deletion).toMatchObject(pending);
    // The devices' receipt is complete, and the user's own is not there yet.
    const asked = (): Promise<Answer> => call(readDeletion, `id=${body.deletion.id}`);
    steps = [];
    expect((await asked()).body.deletion).toMatchObject(pending);
    goOn();
    expect((await asked()).body.deletion).toMatchObject({status: 'completed', events_deleted: 110});
  });

  test('that no partition knows is not there, one that a partition has not completed is pending', async () => {
    const id = `del_${home}_${'0'.repeat(32)}`;
    expect((await call(readDeletion, `id=${id}`)).status).toBe('404 Not Found');
    receipts[home] = receipt(id, home);
    receipts[1] = {...receipt(id, 1), status: 'pending', completed_at: null, verified: null};
    const {body} = await call(readDeletion, `id=${id}`);
    expect(body.deletion).toMatchObject({status: 'pending', events_deleted: 110, completed_at: null, verified: null});
    exception = (partition) => (partition === 3 ? {kind: 'unavailable', message: 'away'} : undefined);
    await expect(call(readDeletion, `id=${id}`)).rejects.toThrow('away');
  });

  test('of an unknown user names the deletion before, as all its partitions have it', async () => {
    const id = `del_${home}_${'0'.repeat(32)}`;
    receipts[home] = receipt(id, home);
    receipts[1] = receipt(id, 1);
    const deletion = receipts[home]!;
    exception = (_, {ask}) => (ask === 'exists' ? {kind: 'unknown_user', deletion} : undefined);
    const {status, body} = await call(deleteUser, ofUser);
    expect(status).toBe('404 Not Found');
    expect(body.deletion).toMatchObject({id, events_deleted: 110});
  });
});

describe('a deletion that is asked for again', () => {
  const id = `del_${home}_${'0'.repeat(32)}`;
  const pending = (partition: number): Deletion => ({
    ...receipt(id, partition),
    status: 'pending',
    completed_at: null,
    verified: null,
  });
  const goingOn = (...partitions: number[]): DevicesAnswer => ({...noDevices, onward: {id, partitions}});
  const sameDeletion = {
    status: '202 Accepted',
    body: {status: 'pending', id: user, deletion: {id, status: 'pending'}},
    headers: {Location: `/v1/deletion?id=${id}`},
  };
  const erased = (): string[] => steps.filter((step) => step.startsWith('erase'));

  test('while it is pending is the same one', async () => {
    receipts[home] = pending(home);
    const deletion = receipts[home]!;
    exception = (_, {ask}) => (ask === 'exists' ? {kind: 'unknown_user', deletion} : undefined);
    expect(await call(deleteUser, ofUser)).toMatchObject(sameDeletion);
    expect(erased()).toEqual([]);
  });

  test.each([true, false])('before it came to the user is the same one (known user: %s)', async (isKnownUser) => {
    isKnown = isKnownUser;
    receipts[0] = pending(0);
    devices[0] = goingOn(3, home);
    devices[3] = {kind: 'devices', anonymousIds: ['a'], hasAny: true};
    expect(await call(deleteUser, ofUser)).toMatchObject(sameDeletion);
    expect(erased()).toEqual([]);
  });

  test('is a new one for a device that came where it has been', async () => {
    receipts[0] = pending(0);
    devices[0] = {...goingOn(home), anonymousIds: ['b'], hasAny: true};
    expect((await call(deleteUser, ofUser)).status).toBe('200 OK');
    expect(erased()).toEqual([`erase 0 > ${home} u${user}`]);
  });
});

describe('an anonymous user that is a known one', () => {
  beforeEach(() => {
    exception = (_, {ask}) =>
      ask === 'history'
        ? {kind: 'history', timesMs: [], ordinals: [], more: false, ordinalEnd: 0, isUserUnknown: true, linkedTo: 'ada'}
        : {kind: 'unknown_user', linkedTo: 'ada'};
  });

  test.each([
    ['read', readUser],
    ['deleted', deleteUser],
    ['listed', readEvents],
  ])('is not found when it is %s, and the answer names the user', async (_, handle) => {
    expect(await call(handle, 'anonymousId=a')).toMatchObject({
      status: '404 Not Found',
      body: {error: {code: 'user_not_found'}, linked_to: 'ada'},
    });
    expect(steps.filter((step) => step.startsWith('devices') || step.startsWith('erase'))).toEqual([]);
  });
});

describe('a profile', () => {
  test('of a known user has the anonymous ids of all partitions, at most a hundred', async () => {
    devices[0] = {kind: 'devices', anonymousIds: ['b', 'a'], hasAny: true};
    devices[3] = {kind: 'devices', anonymousIds: Array.from({length: 100}, (_, n) => `c${n}`), hasAny: true};
    const {body} = await call(readUser, ofUser);
    expect(body.anonymous_ids).toHaveLength(100);
    expect(body.anonymous_ids.slice(0, 3)).toEqual(['b', 'a', 'c0']);
    devices = devices.map(() => noDevices);
    expect((await call(readUser, ofUser)).body.anonymous_ids).toEqual([]);
  });

  test('of an anonymous user has none', async () => {
    expect((await call(readUser, 'anonymousId=a')).body).not.toHaveProperty('anonymous_ids');
  });
});
