// GET /v1/export and /v1/user/export: the sentences of docs/api/exports.md one by one.

import {readFileSync} from 'node:fs';
import type {IncomingMessage} from 'node:http';
import {setTimeout as pause} from 'node:timers/promises';
import {describe, expect, test} from 'vitest';
import {HttpClient} from '../../tools/http-client.js';
import {type Answer, type EventAnswer, expectError, expectJson, query} from '../support/http.js';
import {eventRow, eventRows, useDuckDb} from '../support/parquet.js';
import {reportCovering} from '../support/reports.js';
import {until} from '../support/until.js';
import {freshId, useService} from './service-under-test.js';

const under = useService();
const ask = useDuckDb();

/** Of a client that reads slowly. */
const pieceEveryMs = 2_000;

type Parameters = Readonly<Record<string, string | readonly string[]>>;
type Line = EventAnswer & {readonly end?: true; readonly events?: number; readonly profile?: object};

const linesOf = (text: string): Line[] => {
  expect(text.endsWith('\n')).toBe(true);
  return text
    .slice(0, -1)
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
};

async function exported(parameters: Parameters): Promise<{answer: Answer; lines: Line[]}> {
  const answer = await reportCovering(under.read, `/v1/export?${query(parameters)}`, under.positions);
  expect(answer.status).toBe(200);
  expect(answer.headers['content-type']).toBe('application/x-ndjson; charset=utf-8');
  return {answer, lines: linesOf(answer.text)};
}

const at = (hour: number): string => new Date(Date.UTC(2024, 4, 1, hour)).toISOString();

/** What docs/api/exports.md asks DuckDB. */
const [, sqlText] = /```sql\n(.*?)```/s.exec(readFileSync('docs/api/exports.md', 'utf8'))!;
const documentedSql = sqlText!.trim().split('\n');

describe('an export of events', () => {
  const event = freshId('export');
  const other = `${event} other`;

  test('has a line for each event in the range, by time, as the history shows it, and says that it is whole', async () => {
    const [ada, device] = [freshId(), freshId('device')];
    await under.trackAll([
      {event, userId: ada, timestamp: at(3), properties: {plan: 'pro'}, context: {page: {path: '/'}}, messageId: 'm'},
      {event, anonymousId: device, timestamp: at(1), properties: {plan: 'free'}},
      {event: other, userId: ada, timestamp: at(2)},
      {event, userId: ada, timestamp: at(5)},
    ]);
    const {answer, lines} = await exported({event});
    const history = (await under.history({event, limit: 10})).data.reverse();
    expect(lines).toEqual([...history, {end: true, events: 3}]);
    expect(answer.headers['report-log-position']).toMatch(/^0:1\.\d+/);
    const days = await exported({event, from: at(2), to: at(3)});
    expect(days.lines).toEqual([history[1], {end: true, events: 1}]);
    const chosen = await exported({where: ['plan in pro,free', 'plan ne free'], from: at(0), to: at(9)});
    expect(chosen.lines).toEqual([history[1], {end: true, events: 1}]);
    expect((await exported({event: 'never'})).lines).toEqual([{end: true, events: 0}]);
    const after = await exported({event, after: history[0]!.id});
    expect(after.lines).toEqual([history[1], history[2], {end: true, events: 2}]);
    // The events of a device that becomes known keep their places.
    await under.write.post('/v1/events', {event: other, userId: ada, anonymousId: device, timestamp: at(6)});
    await until('the event of the device has joined', async () => {
      const {lines} = await exported({event});
      expect(lines.map(({id}) => id)).toEqual([...history.map(({id}) => id), undefined]);
      return lines[0]!.joined === true;
    });
    expect((await exported({event, after: history[0]!.id})).lines).toEqual(after.lines);
  });

  test('as Parquet has the rows of its lines, of several row groups, and none is left out or seen twice', async () => {
    const [many, count] = [freshId('many'), 4_000];
    const of = (n: number) => ({
      event: many,
      userId: freshId(),
      timestamp: at(n % 24),
      ...(n % 3 === 0 && {anonymousId: `device ${n}`, messageId: `m${n}\u2028`}),
      ...(n % 5 === 0 && {context: {page: {path: `/${n}`}, 'ü"': ['}', n]}}),
      properties: {
        n,
        ...(n % 4 === 0 && {plan: 'pro'}),
        text: 'x\ud83d\0"\\'.repeat(1 + (n % 90)),
        deep: [{a: null}, n / 7, 9007199254740991],
      },
    });
    const all = Array.from({length: count}, (_, n) => of(n));
    for (let first = 0; first < count; first += 1_000) await under.trackAll(all.slice(first, first + 1_000));
    for (const text of ['exact', 'utf8']) {
      const {lines} = await exported({event: many, text});
      const file = await reportCovering(
        under.read,
        `/v1/export?${query({event: many, text, format: 'parquet'})}`,
        under.positions,
      );
      expect(file.headers).toMatchObject({
        'content-type': 'application/vnd.apache.parquet',
        'report-log-position': expect.stringMatching(/^0:/),
      });
      expect(lines).toHaveLength(count + 1);
      expect(await eventRows(ask, file.bytes)).toEqual(lines.slice(0, -1).map(eventRow));
      const facts = await ask(
        file.bytes,
        'SELECT decode(key) AS key, decode(value) AS value FROM parquet_kv_metadata(FILE)',
      );
      expect(Object.fromEntries(facts.map(({key, value}) => [key, value]))).toEqual({
        'Report-As-Of': file.headers['report-as-of'],
        'Report-Log-Position': file.headers['report-log-position'],
        events: String(count),
      });
    }
    const utf8 = await under.read.get(`/v1/export?${query({event: many, text: 'utf8', format: 'parquet'})}`);
    const answers: unknown[] = [];
    for (const sql of documentedSql) answers.push(await ask(utf8.bytes, sql.replace("'events.parquet'", 'FILE')));
    expect(answers).toEqual([
      [{event: many, events: String(count), users: String(count)}],
      [
        {plan: 'pro', events: String(count / 4)},
        {plan: null, events: String((count * 3) / 4)},
      ],
      [{week: '2024-04-29 00:00:00+00', events: String(count)}],
    ]);
    const cut = await under.read.get(
      `/v1/export?${query({event: many, format: 'parquet', after: '0-999999999999999'})}`,
    );
    expectError(cut, 400, 'invalid_request', 'after');
    const none = await under.read.get(`/v1/export?${query({event: 'never', format: 'parquet'})}`);
    expect(await eventRows(ask, none.bytes)).toEqual([]);
    expectError(await under.read.get('/v1/export?format=csv'), 400, 'invalid_request', 'format');
    const head = await under.read.send('HEAD', '/v1/export?format=parquet');
    expect([head.status, head.headers['content-type']]).toEqual([200, 'application/vnd.apache.parquet']);
  });

  test('with text=utf8 no text has what a store may refuse, of changes and of one person too', async () => {
    const [name, userId] = [freshId('texts'), freshId()];
    const properties = {
      '\ud83d key': 'half \ude00',
      nul: 'a\0b',
      pair: '\ud83d\ude00',
      nested: {list: ['\udfff', '\u202e\\u0000']},
    };
    const storable = {
      '\ufffd key': 'half \ufffd',
      nul: 'a\ufffdb',
      pair: '\ud83d\ude00',
      nested: {list: ['\ufffd', '\u202e\\u0000']},
    };
    await under.track({event: name, userId, properties});
    await under.identify(userId, properties);
    const exact = await exported({event: name});
    expect(exact.lines[0]).toMatchObject({properties});
    expect((await exported({event: name, text: 'exact'})).lines).toEqual(exact.lines);
    const utf8 = await exported({event: name, text: 'utf8'});
    expect(utf8.lines).toEqual([
      {...exact.lines[0], properties: storable},
      {end: true, events: 1},
    ]);
    const person = linesOf((await under.read.get(`/v1/user/export?${query({userId, text: 'utf8'})}`)).text);
    expect(person).toMatchObject([{profile: {traits: storable}}, {properties: storable}, {end: true}]);
    const changed = async (text: string): Promise<Line[]> => {
      const lines: (Line & {userId: string | null})[] = [];
      for (let after: string | undefined, more = true; more; ) {
        const answer = await under.read.get(`/v1/changes?${query({text, after})}`);
        const page = answer.json<{data: Line[]; has_more: boolean; next: string}>();
        lines.push(...page.data);
        [after, more] = [page.next, page.has_more];
      }
      return lines.filter((line) => line.userId === userId);
    };
    await until('the changes have it', async () => (await changed('exact')).length === 2);
    expect(await changed('exact')).toMatchObject([{traits: properties}, {properties}]);
    expect(await changed('utf8')).toMatchObject([{traits: storable}, {properties: storable}]);
    for (const path of ['export', 'changes', 'user/export']) {
      const refused = await under.read.get(
        `/v1/${path}?${query({...(path === 'user/export' ? {userId} : {}), text: 'utf-8'})}`,
      );
      expectError(refused, 400, 'invalid_request', 'text');
    }
  });

  test('shows a client that reads slowly nothing of who was deleted meanwhile', async () => {
    const [large, gone] = [freshId('large'), freshId()];
    const text = 'x'.repeat(60_000);
    const some = (first: number) =>
      Array.from({length: 150}, (_, i) => ({
        event: large,
        userId: gone,
        timestamp: at(0),
        properties: {n: first + i, text},
      }));
    await under.trackAll(some(0));
    await under.trackAll(some(150));
    await under.track({event: large, userId: freshId(), timestamp: at(1)});
    await reportCovering(
      under.read,
      `/v1/reports/events?${query({event: large, from: at(0), to: at(1)})}`,
      under.positions,
    );
    const client = new HttpClient(under.service.baseUrl, {key: under.service.secretKey});
    const incoming: IncomingMessage = await client.open('GET', `/v1/export?${query({event: large})}`);
    const pieces = incoming[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
    const read = [(await pieces.next()).value as Buffer];
    const deleted = await under.read.delete(`/v1/user?${query({userId: gone})}`);
    const {id} = deleted.json<{deletion: {id: string}}>().deletion;
    const receipt = until('the receipt is there', async () => {
      const state = await under.read.get(`/v1/deletion?id=${id}`);
      return state.json<{deletion: {status: string}}>().deletion.status === 'completed';
    });
    const isCompleted = receipt.then(() => true);
    // A client that takes nothing for some ten seconds is cut.
    while (!(await Promise.race([isCompleted, pause(pieceEveryMs, false)]))) read.push((await pieces.next()).value);
    for (let piece = await pieces.next(); !piece.done; piece = await pieces.next()) read.push(piece.value);
    const lines = linesOf(Buffer.concat(read).toString());
    const end = lines.at(-1)!;
    expect(end).toEqual({end: true, events: lines.length - 1});
    expect(end.events).toBeLessThan(300); // The rest lay in buffers of the connection.
    expect(lines.at(-2)!.userId).not.toBe(gone);
  });
});

test('an export of one person has the profile, and all events, the newest first, joined ones included', async () => {
  const [ada, device] = [freshId(), freshId('device')];
  await under.trackAll([
    {event: 'before', anonymousId: device, timestamp: at(1)},
    {event: 'known', userId: ada, anonymousId: device, timestamp: at(2)},
    {event: 'later', userId: ada, timestamp: at(3)},
  ]);
  await under.identify(ada, {plan: 'pro'});
  await until('the event of the device has joined', async () => (await under.eventsOf(ada)).length === 3);
  const answer = await under.read.get(`/v1/user/export?${query({userId: ada})}`);
  const {events, events_has_more, ...profile} = (await under.read.get(`/v1/user?${query({userId: ada})}`)).json<{
    events: EventAnswer[];
    events_has_more: boolean;
  }>();
  expect(linesOf(answer.text)).toEqual([{profile}, ...events, {end: true, events: 3}]);
  expect(answer.headers['log-position']).toMatch(/^\d+:1\.\d+$/);
  const linked = await under.read.get(`/v1/user/export?${query({anonymousId: device})}`);
  expect([linked.status, linked.json<{linked_to: string}>().linked_to]).toEqual([404, ada]);
});

describe('changes', () => {
  interface Change {
    readonly type: string;
    readonly user_ref?: string;
    readonly [field: string]: unknown;
  }
  interface Page {
    readonly data: readonly Change[];
    readonly has_more: boolean;
    readonly next: string;
  }

  /** Pages from `after` on, until there is no more. */
  async function changesAfter(after: string | undefined, limit: number): Promise<{lines: Change[]; next: string}> {
    const lines: Change[] = [];
    let place = after ?? '';
    for (;;) {
      const asked = query({limit: String(limit), ...(place === '' ? {} : {after: place})});
      const answer = await reportCovering(under.read, `/v1/changes?${asked}`, under.positions);
      expectJson(answer, 200);
      const page = answer.json<Page>();
      expect(page.data.length).toBeLessThanOrEqual(limit);
      lines.push(...page.data);
      place = page.next;
      if (!page.has_more) return {lines, next: place};
    }
  }

  test('tell events, profiles, joins and deletions after a position, each once', async () => {
    const [ada, device, event] = [freshId(), freshId('device'), freshId('change')];
    const {next: start} = await changesAfter(undefined, 10_000);
    await under.trackAll([
      {event, userId: ada, timestamp: at(2)},
      {event, anonymousId: device, timestamp: at(1)},
    ]);
    const {lines, next: afterBoth} = await changesAfter(start, 1);
    const first = lines.filter((line) => line.event === event); // Devices of earlier tests may join meanwhile.
    expect(first.map(({type}) => type)).toEqual(['event', 'event']);
    const shown = (await under.history({event, limit: 10})).data;
    const withoutRef = ({type: _, user_ref: __, event_ref: ___, ...line}: Change): unknown => line;
    expect(first.map(withoutRef)).toEqual(expect.arrayContaining(shown));
    const [adaRef, deviceRef] = [ada, device].map(
      (id) => first.find(({userId, anonymousId}) => userId === id || anonymousId === id)!.user_ref,
    );
    // Late, and the device becomes known.
    await under.track({event, userId: ada, anonymousId: device, timestamp: at(0)});
    await under.write.post('/v1/users/identify', {userId: ada, traits: {plan: 'pro'}});
    const later: Change[] = [];
    const isTheirs = ({event: name, user_ref: ref}: Change): boolean => name === event || ref === adaRef;
    let next = afterBoth;
    await until('the device has joined', async () => {
      const more = await changesAfter(next, 2);
      next = more.next;
      later.push(...more.lines.filter(isTheirs));
      return later.some(({type}) => type === 'joined');
    });
    const id = shown.find(({anonymousId}) => anonymousId === device)!.id;
    expect(later.find(({type}) => type === 'joined')).toEqual({
      type: 'joined',
      anonymous_ref: deviceRef,
      user_ref: adaRef,
      userId: ada,
      from: id,
      through: id,
    });
    expect(later.filter(({type}) => type === 'event').map(({timestamp}) => timestamp)).toEqual([at(0)]);
    expect(later.filter(({type}) => type === 'profile')).toMatchObject([{userId: ada, traits: {plan: 'pro'}}]);
    const deleted = await under.read.delete(`/v1/user?${query({userId: ada})}`);
    const receipt = deleted.json<{deletion: {id: string}}>().deletion;
    await until('the receipt is there', async () => {
      const state = await under.read.get(`/v1/deletion?id=${receipt.id}`);
      return state.json<{deletion: {status: string}}>().deletion.status === 'completed';
    });
    const end = await changesAfter(next, 100);
    expect(end.lines).toContainEqual({type: 'erased', user_ref: adaRef});
    expect(end.lines.filter(isTheirs).every(({type}) => type === 'erased')).toBe(true);
    const {lines: whole} = await changesAfter(undefined, 100);
    expect(whole.filter((line) => line.user_ref === adaRef)).toEqual([]);
  });
});
