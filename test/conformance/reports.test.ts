// Reports over HTTP: freshness, positions, tags, and POST /v1/query. What the reports count is tested in test/actors/report, what their
// parameters mean in test/edge/question.test.ts; the answers that docs/api shows in test/edge/openapi.test.ts.

import {beforeAll, describe, expect, test} from 'vitest';
import {type Answer, expectError, expectJson, query, type RequestOptions} from '../support/http.js';
import {useDuckDb} from '../support/parquet.js';
import {reportCovering, reportPositions, until} from '../support/reports.js';
import {shortestMs} from '../support/until.js';
import {freshId, useService} from './service-under-test.js';

// Two partitions are the default; four, to which users are spread unevenly, show more of how answers of partitions add up.
const under = useService({PARTITIONS: '4'});
const askFile = useDuckDb();

type Parameters = Readonly<Record<string, string | readonly string[] | undefined>>;

const pathOf = (report: string, parameters: Parameters): string => `/v1/reports/${report}?${query(parameters)}`;
const ask = (report: string, parameters: Parameters): Promise<Answer> => under.read.get(pathOf(report, parameters));

/** The answer once it covers everything that this file wrote so far. */
async function covering<T>(report: string, parameters: Parameters): Promise<T> {
  const answer = await reportCovering(under.read, pathOf(report, parameters), under.positions);
  expectJson(answer, 200);
  return answer.json<T>();
}

interface Counts {
  readonly data: {date: string; count: number}[];
  readonly total: number;
}

const day = {from: '2024-01-01', to: '2024-01-01'};

test('an identify alone makes nobody active', async () => {
  const today = new Date().toISOString().slice(0, 10);
  const activeToday = async () => (await covering<Counts>('users', {from: today, to: today})).total;
  const before = await activeToday();
  await under.identify(freshId(), {plan: 'pro'});
  expect(await activeToday()).toBe(before);
});

describe('freshness', () => {
  const asked = {event: 'fresh', ...day};

  // A refresh is a second here.
  const soonMsMax = 5_000;

  test('every report says what it includes', async () => {
    for (const [report, parameters] of [
      ['events', asked],
      ['users', day],
      ['funnel', {'steps[]': ['x'], ...day}],
    ] as const) {
      let newestMs = 0;
      const ageMs = await shortestMs(soonMsMax, async () => {
        let before = 0;
        const answer = await until(
          () => {
            before = Date.now();
            return ask(report, parameters);
          },
          ({headers}) => Date.parse(String(headers['report-as-of'])) > newestMs,
          'a newer snapshot than that of the try before',
        );
        expect(answer.headers['report-as-of']).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/);
        const asOfMs = Date.parse(String(answer.headers['report-as-of']));
        expect(asOfMs).toBeLessThanOrEqual(Date.now());
        expect([...reportPositions(answer).keys()]).toEqual([0, 1, 2, 3]);
        expect(answer.headers.etag).toMatch(/^(W\/)?"[^"]+"$/);
        newestMs = asOfMs;
        return before - asOfMs;
      });
      expect(ageMs).toBeLessThan(soonMsMax);
    }
  });

  test('an event is in every report with the next refresh', async () => {
    const elapsedMs = await shortestMs(soonMsMax, async () => {
      const event = freshId('event');
      await under.track({event, userId: freshId(), timestamp: '2024-01-01'});
      const answeredMs = performance.now();
      await reportCovering(under.read, pathOf('events', {event, ...day}), under.positions);
      const asked = {events: {event, ...day}, users: day, funnel: {'steps[]': [event], ...day}};
      for (const [report, parameters] of Object.entries(asked)) {
        expect((await ask(report, parameters)).json<Counts>().total).toBeGreaterThan(0);
      }
      return performance.now() - answeredMs;
    });
    expect(elapsedMs).toBeLessThan(soonMsMax);
  });

  test('If-None-Match with the ETag of an answer that did not change is 304, without a body, through newer snapshots', async () => {
    const path = pathOf('events', asked);
    const first = await under.read.get(path);
    // Nothing of the question: its answer stays what it is through every snapshot.
    await under.track({event: freshId('event'), userId: freshId()});
    await reportCovering(under.read, path, under.positions);
    const second = await under.read.get(path, {'if-none-match': String(first.headers.etag)});
    expect([second.status, second.text]).toEqual([304, '']);
    expect(second.headers.etag).toBe(first.headers.etag);
    expect(Date.parse(String(second.headers['report-as-of']))).toBeGreaterThanOrEqual(
      Date.parse(String(first.headers['report-as-of'])),
    );
    expect(second.headers['report-log-position']).not.toBe(first.headers['report-log-position']);
    const other = await under.read.get(path, {'if-none-match': '"something else"'});
    expectJson(other, 200);
  });
});

describe('at=', () => {
  const event = freshId('event');

  test('answers over the same snapshots', async () => {
    await under.track({event, userId: 'ada', timestamp: '2024-01-01T10:00:00Z'});
    const counts = pathOf('events', {event, ...day});
    /** A machine that pauses long enough between two questions finds that the parts of the first were erased. */
    const {first, at, users} = await until(
      async () => {
        const first = await reportCovering(under.read, counts, under.positions);
        const at = String(first.headers['report-log-position']);
        return {first, at, users: await ask('users', {...day, at})};
      },
      ({users: {status}}) => status !== 410,
      'the snapshots of an answer are there a moment later',
    );
    expectJson(users, 200);
    expect(users.headers['report-log-position']).toBe(at);
    const again = await under.read.get(`${counts}&at=${at}`);
    expect(again.text).toBe(first.text);
    expect(again.headers).toMatchObject({'report-log-position': at, etag: first.headers.etag});
  });
});

describe('Min-Log-Position', () => {
  const event = freshId('event');
  const path = pathOf('events', {event, ...day});
  const including = (position: string, asked = path): Promise<Answer> =>
    under.read.get(asked, {'min-log-position': position});

  test('a report that includes a write is asked for once', async () => {
    let written = 0;
    for (const userId of ['ada', 'bob', 'cleo']) {
      const {headers} = await under.track({event, userId, timestamp: '2024-01-01T10:00:00Z'});
      written += 1;
      const answer = await until(
        () => including(String(headers['log-position'])),
        ({status}) => status !== 503,
        'the snapshot is published on a busy machine, too',
      );
      expectJson(answer, 200);
      expect(answer.json<Counts>().total).toBe(written);
    }
  });
});

describe('POST /v1/query', () => {
  const event = freshId('queried');
  const ada = freshId();
  const range = day;
  const events = [{event}];
  const ofDay = query(day);
  const steps = [{event}, {event: `${event} then`}];

  interface Answered {
    readonly question?: object;
    readonly answer?: unknown;
    readonly error?: {readonly code: string; readonly field: string};
    readonly meta?: {readonly log_position: string; readonly hint: string | null; readonly skipped: number | null};
  }
  interface Answers {
    readonly answers: readonly Answered[];
    readonly log_position: string | null;
  }

  /** Each question beside its route. */
  const asked: readonly (readonly [question: object, path: string])[] = [
    [{report: 'counts', events, range}, `reports/events?event=${event}&${ofDay}`],
    [
      {report: 'counts', range, measure: {of: 'sum', property: 'n'}},
      `reports/events?any_event=true&measure=sum&property=n&${ofDay}`,
    ],
    [{report: 'active', range, events}, `reports/users?event=${event}&${ofDay}`],
    [{report: 'funnel', steps, range}, `reports/funnel?steps[]=${event}&steps[]=${event}+then&${ofDay}`],
    [
      {report: 'retention', start: {event}, range, periods: 2},
      `reports/retention?start=${event}&any_return=true&periods=2&${ofDay}`,
    ],
    [{report: 'lifecycle', range, events}, `reports/lifecycle?event=${event}&${ofDay}`],
    [{report: 'stickiness', range, events}, `reports/stickiness?event=${event}&${ofDay}`],
    [{report: 'paths', start: {event}, range}, `reports/paths?start=${event}&${ofDay}`],
    [{report: 'names', prefix: event, range}, `names?prefix=${event}&${ofDay}`],
    [{report: 'properties', event, range}, `properties?event=${event}&${ofDay}`],
    [{report: 'values', property: 'n', event, range}, `properties/values?property=n&event=${event}&${ofDay}`],
    [{report: 'people', event, range}, `users?event=${event}&${ofDay}`],
  ];

  beforeAll(async () => {
    await under.trackAll([
      {event, userId: ada, timestamp: '2024-01-01T10:00:00Z', properties: {n: 2}},
      {event: `${event} then`, userId: ada, timestamp: '2024-01-01T11:00:00Z', properties: {n: 'x'}},
      {event, userId: freshId(), timestamp: '2024-01-01T10:00:00Z', properties: {n: 3}},
    ]);
    await covering('events', {event, ...day});
  });

  /** Once the report role answers: a machine that is busy with other work may keep it from a part that it needs. */
  const queried = (request: RequestOptions): Promise<Answer> =>
    until(
      () => under.read.send('POST', '/v1/query', request),
      ({status, text}) => status !== 503 && !text.includes('"code":"unavailable"'),
      'the report role answers',
    );

  test('answers each question as its route does, all of one position', async () => {
    /** The snapshots of an answer may be erased while a busy machine pauses. */
    const {answers, at, routes} = await until(
      async () => {
        const answer = await queried({json: {questions: asked.map(([question]) => question)}});
        expectJson(answer, 200);
        const {answers, log_position: at} = answer.json<Answers>();
        const routes = await Promise.all(asked.map(([, path]) => under.read.get(`/v1/${path}&at=${at}`)));
        return {answers, at, routes};
      },
      ({routes}) => routes.every(({status}) => status !== 410 && status !== 503),
      'the snapshots of an answer are there a moment later',
    );
    expect(answers.map(({meta}) => meta?.log_position)).toEqual(asked.map(() => at));
    expect(answers.map(({answer}) => answer)).toEqual(routes.map((route) => route.json()));
    expect(answers[0]).toMatchObject({
      question: {report: 'counts', interval: 'day'},
      answer: {total: 2},
      meta: {hint: null},
    });
    expect(answers[1]!.meta!.skipped).toBeGreaterThan(0);
    const again = await queried({json: {questions: answers.map(({question}) => question)}});
    expect(again.json<Answers>().answers.map(({question}) => question)).toEqual(answers.map(({question}) => question));
  });

  test('one question, with what was probably meant, and including a write', async () => {
    const {headers} = await under.track({event, userId: freshId(), timestamp: '2024-01-01T10:00:00Z'});
    const one = await queried({
      json: {report: 'counts', events: [{event}, {event: `${event}s`}], range},
      headers: {'min-log-position': String(headers['log-position'])},
    });
    expectJson(one, 200);
    const {answer, meta} = one.json<Answered>();
    expect((answer as {series: Counts[]}).series.map(({total}) => total)).toEqual([3, 0]);
    expect(meta!.hint).toBe(`unknown event "${event}s"; did you mean "${event}"?`);
  });

  test('users of a segment: by what they did and did not do, until it is changed and removed', async () => {
    const did = [{event: `${event} then`}];
    const made = await under.read.post('/v1/segments', {name: 'Went on', users: {did}});
    expectJson(made, 201);
    const {id} = made.json<{id: string}>();
    const users = {segment: id};
    const ofSegment = [
      {report: 'counts', events, range, users},
      {report: 'people', users},
      {report: 'counts', events, range, users: {did: [{...did[0], not: true}]}},
      {report: 'counts', events, range, users: {not_segment: id}},
      {report: 'people', users: {not_segment: id, did: events}},
      {report: 'names', range, prefix: event, users: {not_segment: id}},
    ];
    const countsNow = async (): Promise<readonly unknown[]> => {
      const answer = await queried({json: {questions: ofSegment}});
      expectJson(answer, 200);
      return answer
        .json<Answers>()
        .answers.map(({answer}) => answer as {total?: number; data: readonly {id?: string; count?: number}[]})
        .map(({total, data}) => total ?? data.map(({id, count}) => id ?? count));
    };
    const [ofDoers, doers, others, without, left, named] = await countsNow();
    expect([ofDoers, doers]).toEqual([1, [ada]]);
    expect(others).toBeGreaterThanOrEqual(1);
    expect([without, named]).toEqual([others, [others]]);
    expect(left).not.toContain(ada);
    expectJson(await under.read.get(`/v1/reports/events?event=${event}&segment=${id}&${ofDay}`), 200);
    expectJson(
      await under.read.send('PATCH', `/v1/segments/${id}`, {json: {users: {did: [{...did[0], not: true}]}}}),
      200,
    );
    expect((await countsNow())[0]).toBe(others);
    expectJson(await under.read.send('DELETE', `/v1/segments/${id}`), 200);
    expectError(await under.read.post('/v1/query', ofSegment[1]), 400, 'invalid_request', '/users/segment');
  });
});

test('null can be asked for: in reports, lists of users and of what they did', async () => {
  const event = freshId('nulls');
  const at = {event, timestamp: '2024-01-01T10:00:00Z'};
  const [ada, bob, cyd] = [freshId('null-ada'), freshId('null-bob'), freshId('null-cyd')];
  await under.trackAll([
    {...at, userId: ada, properties: {referrer: null}},
    {...at, userId: bob, properties: {referrer: 'x'}},
    {...at, userId: cyd},
  ]);
  await under.identify(ada, {team: null, of: event});
  await under.identify(bob, {team: 'a', of: event});
  await under.identify(cyd, {of: event});
  const total = async (parameters: Parameters) =>
    (await covering<Counts>('events', {event, ...day, ...parameters})).total;
  expect([await total({where: 'referrer null'}), await total({where: 'referrer nnull'})]).toEqual([1, 2]);
  expect([await total({where: ['referrer set', 'referrer nnull']}), await total({where: 'referrer unset'})]).toEqual([
    1, 1,
  ]);
  expect([await total({user_where: 'team null'}), await total({user_where: 'team nnull'})]).toEqual([1, 2]);
  const listed = async (parameters: Parameters): Promise<string[]> => {
    const answer = await reportCovering(under.read, `/v1/users?${query(parameters)}`, under.positions);
    return answer.json<{data: {id: string}[]}>().data.map(({id}) => id);
  };
  expect(await listed({user_where: [`of eq ${event}`, 'team null']})).toEqual([ada]);
  expect(await listed({event, where: 'referrer null'})).toEqual([ada]);
});

test('Report-Hint: unknown names of events, and operators that went into filter', async () => {
  const event = `hinted ${freshId()}`;
  await under.track({event, userId: 'ada', timestamp: '2024-01-01T10:00:00Z'});
  await covering('events', {event, ...day});
  const hint = async (report: string, parameters: Parameters) =>
    (await ask(report, {...parameters, ...day})).headers['report-hint'];
  const unknown = `unknown event "${event}s"; did you mean "${event}"?`;
  expect(await hint('events', {event})).toBeUndefined();
  expect(await hint('events', {event: `${event}s`})).toBe(unknown);
  expect(await hint('events', {event, filter: 'plan!=pro'})).toBe('operators go into where=');
  expect(await hint('events', {event: `${event}s`, filter: 'n>=5'})).toBe(`operators go into where=; ${unknown}`);
  expect(await hint('funnel', {'steps[]': [event, `${event}s`]})).toBe(unknown);
  for (const breakdown of ['userId', 'anonymousId'])
    expect(await hint('events', {event, breakdown})).toBe('for users by their events ask /v1/users?sort=events');
});

describe('reports and lists as tables', () => {
  const event = freshId('event');

  beforeAll(async () => {
    const at = {event, timestamp: '2024-01-01T10:00:00Z'};
    await under.trackAll([
      {...at, userId: 'ada', properties: {plan: '=1+1'}},
      {...at, userId: 'bob', properties: {plan: '=1+1'}},
      {...at, userId: 'bob'},
      {...at, userId: 'bob', event: `${event} too`},
    ]);
    await covering('events', {event, ...day});
  });

  const csv = (report: string, parameters: Parameters, headers?: Record<string, string>): Promise<Answer> =>
    under.read.get(pathOf(report, {...day, ...parameters, format: 'csv'}), headers);

  test('answers each report as a table', async () => {
    const counts = await csv('events', {event});
    expect(counts.headers).toMatchObject({'content-type': 'text/csv; charset=utf-8', 'cache-control': 'no-store'});
    expect(counts.text).toBe('date,count\r\n2024-01-01,3\r\n');
    const broken = await csv('events', {event, breakdown: 'plan'});
    expect(broken.text).toBe("value,kind,date,count\r\n'=1+1,,2024-01-01,2\r\n,missing,2024-01-01,1\r\n");
    const users = await csv('events', {event, measure: 'users'});
    expect(users.text).toBe('date,count,users\r\n2024-01-01,3,2\r\n');
    expect((await csv('users', {})).text).toMatch(/^date,count\r\n2024-01-01,\d+\r\n$/);
    const funnel = await csv('funnel', {'steps[]': [event]});
    expect(funnel.text.split('\r\n')[1]).toBe(`1,${event},2,1,1,0,`);
    const retention = await csv('retention', {start: event, any_return: 'true', periods: '1'});
    expect(retention.text).toBe('date,size,period,count,incomplete\r\n2024-01-01,2,0,1,\r\n');
  });

  test('and as Parquet, with types that do not depend on their rows', async () => {
    const file = async (path: string) => {
      const answer = await under.read.get(path);
      expect([answer.status, answer.headers['content-type']]).toEqual([200, 'application/vnd.apache.parquet']);
      const columns = await askFile(
        answer.bytes,
        'SELECT column_name AS n, column_type AS t FROM (DESCRIBE FROM FILE)',
      );
      return {
        columns: columns.map(({n, t}) => `${n} ${t}`),
        rows: await askFile(answer.bytes, 'FROM FILE'),
        headers: answer.headers,
      };
    };
    const ofReport = (report: string, parameters: Parameters) =>
      file(pathOf(report, {...day, ...parameters, format: 'parquet'}));
    const counts = await ofReport('events', {event, breakdown: 'plan'});
    expect(counts.columns).toEqual(['value VARCHAR', 'kind VARCHAR', 'date DATE', 'count BIGINT']);
    expect(counts.rows).toEqual([
      {value: '=1+1', kind: null, date: '2024-01-01', count: '2'},
      {value: null, kind: 'missing', date: '2024-01-01', count: '1'},
    ]);
    expect(counts.headers.etag).toMatch(/-parquet"$/);
    const hours = await ofReport('events', {event, interval: 'hour', measure: 'users', timezone: 'Asia/Kolkata'});
    expect(hours.columns).toEqual(['date TIMESTAMP WITH TIME ZONE', 'count BIGINT', 'users BIGINT']);
    expect(hours.rows.find(({count}) => count !== '0')).toMatchObject({count: '3', users: '2'});
    const retention = await ofReport('retention', {start: 'never', any_return: 'true', periods: '1'});
    expect(retention.columns).toContain('incomplete BOOLEAN');
    const funnel = await ofReport('funnel', {'steps[]': [event]});
    expect(funnel.rows).toMatchObject([{step: '1', event, conversion_rate: 1, median_seconds: null}]);
    const people = await file(`/v1/users?${query({prefix: 'ada', sort: 'events', format: 'parquet'})}`);
    expect(people.columns).toEqual([
      'id VARCHAR',
      'kind VARCHAR',
      'value DOUBLE',
      'created_at TIMESTAMP WITH TIME ZONE',
      'last_seen TIMESTAMP WITH TIME ZONE',
      'traits VARCHAR',
    ]);
    expect(people.rows[0]).toMatchObject({id: 'ada', kind: 'user', traits: '{}'});
    const nobody = await file(`/v1/users?${query({prefix: freshId('nobody'), format: 'parquet'})}`);
    expect(nobody).toMatchObject({rows: [], columns: expect.arrayContaining(['last_seen TIMESTAMP WITH TIME ZONE'])});
    const page = await file(`/v1/names?${query({...day, prefix: event, limit: '1', format: 'parquet'})}`);
    expect(page.headers['next-cursor']).toBeDefined();
    expect(page.rows).toHaveLength(1);
  });

  // The client of tests decodes every body strictly.
  test('CSV is UTF-8 also where texts have half of a surrogate pair', async () => {
    const name = freshId('halves');
    const at = {event: name, userId: name, timestamp: '2024-01-01T10:00:00Z'};
    await under.track({...at, properties: {plan: 'a\ud83d', '\ude00b': 1}});
    await under.identify(name, {plan: '\ud83d'});
    await covering('events', {event: name, ...day});
    const broken = await csv('events', {event: name, breakdown: 'plan'});
    expect(broken.text).toBe('value,kind,date,count\r\na\ufffd,,2024-01-01,1\r\n');
    const properties = await under.read.get(`/v1/properties?${query({event: name, ...day, format: 'csv'})}`);
    expect(properties.text).toContain('\r\n\ufffdb,');
    const values = await under.read.get(`/v1/traits/values?${query({trait: 'plan', format: 'csv'})}`);
    expect(values.text).toContain('\ufffd,');
  });
});
