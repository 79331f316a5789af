// POST /v1/query with a report role of the test: one position for all answers, errors in their places, what is charged.
import {describe, expect, test} from 'vitest';
import type {ReportAnswer, ReportQuestion} from '../../src/asks/report.js';
import {type Failure, RequestFailure} from '../../src/edge/failure.js';
import type {Front} from '../../src/edge/front.js';
import type {Exchange} from '../../src/edge/http/exchange.js';
import {answerQuery} from '../../src/edge/routes/query.js';

type Asked = Extract<ReportQuestion, {ask: 'report'}>;

const gone: Failure = {code: 'snapshot_gone', message: 'gone', field: 'at'};
const tooExpensive: Failure = {code: 'too_expensive', message: 'too much'};

/** A role whose newest position changes with each question. */
class Role {
  readonly asked: Asked[] = [];
  running = 0;
  runningMax = 0;
  newest = 0;

  /** `refuse`: the failure of a question, by its number from 0. */
  constructor(private readonly refuse: (asked: Asked, number: number) => Failure | undefined = () => undefined) {}

  readonly report = async (asked: Asked): Promise<ReportAnswer> => {
    const number = this.asked.push(asked) - 1;
    this.running += 1;
    this.runningMax = Math.max(this.runningMax, this.running);
    await new Promise((resolve) => setImmediate(resolve));
    this.running -= 1;
    const failure = this.refuse(asked, number);
    if (failure !== undefined) throw new RequestFailure(failure);
    this.newest += 1;
    const headers = {
      'Report-As-Of': '2026-05-01T00:00:00.000Z',
      'Report-Log-Position': asked.at ?? `0:1.${this.newest}`,
      ETag: '"a"',
      'Report-Next-By': '2026-05-01T00:05:00.000Z',
    };
    return {kind: 'report', headers, body: JSON.stringify({of: asked.query.report, skipped: 3})};
  };
}

interface Answered {
  readonly status: string;
  // biome-ignore lint/suspicious/noExplicitAny: each test knows what it asked for
  readonly body: any;
  readonly charged: number;
}

async function answer(role: Role, body: object, handle = answerQuery()): Promise<Answered> {
  let status = '';
  let text = '';
  let charged = 1;
  const front = {
    reads: {asks: role},
    partitionCount: 1,
    reportZone: undefined,
    wallMs: () => Date.UTC(2026, 4, 21),
    kept: {keys: {lists: {names: [], properties: []}}},
  } as unknown as Front;
  const exchange = {
    query: '',
    caller: {
      key: {id: 'k'},
      costs: (units: number) => {
        charged = units;
      },
    },
    gone: new AbortController().signal,
    json: (line: string, json: string) => {
      [status, text] = [line, json];
    },
  } as unknown as Exchange;
  await handle(front, exchange, Buffer.from(JSON.stringify(body)));
  return {status, body: JSON.parse(text), charged};
}

const names = {report: 'names'};
const many = (count: number): object[] => Array.from({length: count}, () => names);

describe('answers of one request', () => {
  test('are of the position of the first one, a few at once, and are charged each', async () => {
    const role = new Role();
    const {body, charged} = await answer(role, {questions: many(30)});
    expect(body.log_position).toBe('0:1.1');
    expect(new Set(body.answers.map(({meta}: {meta: {log_position: string}}) => meta.log_position)).size).toBe(1);
    expect(role.asked.map(({at}) => at)).toEqual([undefined, ...Array(29).fill('0:1.1')]);
    expect([role.runningMax <= 4, charged]).toEqual([true, 30]);
  });

  test('keep their places when questions fail; the first that has an answer says the position', async () => {
    const role = new Role((_, number) => (number === 0 ? tooExpensive : undefined));
    const questions = [names, {report: 'nmaes'}, {report: 'traits'}, {report: 'paths', start: {event: 'a'}}];
    const {status, body} = await answer(role, {questions});
    expect(status).toBe('200 OK');
    expect(body.answers[0]).toEqual({
      question: {report: 'names', hidden: false, limit: 100},
      error: {code: 'too_expensive', message: 'too much'},
    });
    expect(body.answers[1]).toMatchObject({error: {code: 'invalid_request', field: '/questions/1/report'}});
    expect(body.answers[2]).toMatchObject({answer: {of: 'traits'}, meta: {skipped: null, hint: null}});
    expect(body.answers[3]).toMatchObject({answer: {of: 'paths'}, meta: {log_position: '0:1.1', skipped: 3}});
    expect(body.log_position).toBe('0:1.1');
  });

  test('are asked again of the newest snapshots when theirs are deleted', async () => {
    const role = new Role(({at}) => (at === '0:1.1' ? gone : undefined));
    const {body} = await answer(role, {questions: many(3)});
    expect(body.answers.every(({answer}: {answer?: object}) => answer !== undefined)).toBe(true);
    expect(body.log_position).toBe('0:1.2');
  });

  test('are not of another position than the one that was asked for', async () => {
    const role = new Role(() => gone);
    const {body} = await answer(role, {questions: many(2), at: '0:1.7'});
    expect(body.answers.map(({error}: {error: object}) => error)).toEqual(Array(2).fill({...gone, field: '/at'}));
    expect(body.log_position).toBe(null);
    expect(role.asked.map(({at}) => at)).toEqual(['0:1.7', '0:1.7']);
  });

  test('are given up when snapshots are deleted again and again', async () => {
    const role = new Role(({at}) => (at === undefined ? undefined : gone));
    const {body} = await answer(role, {questions: many(2)});
    expect(body.answers[1].error.code).toBe('snapshot_gone');
    expect(role.asked.length).toBe(8);
  });
});

describe('questions that take several', () => {
  const labelled = {report: 'counts', events: [{event: 'a', as: 'x'}, {event: 'b'}], compare: 'previous'};
  const active = {report: 'active', compare: 'previous'};

  test('are of one position, have one answer each, and are charged for all', async () => {
    const role = new Role();
    const {body, charged} = await answer(role, {questions: [active, names, active]});
    expect([charged, role.asked.length]).toEqual([5, 5]);
    expect(role.asked.map(({at}) => at)).toEqual([undefined, ...Array(4).fill('0:1.1')]);
    const of = role.asked[0]!.query.report;
    const both = {answer: {of}, previous: {of}, meta: {skipped: 6}};
    expect(body.answers).toMatchObject([both, {answer: {of: 'names'}}, both]);
    expect(body.answers[1]).not.toHaveProperty('previous');
  });

  test('fail as one, in their place', async () => {
    const role = new Role((_, number) => (number === 2 ? tooExpensive : undefined));
    const {body} = await answer(role, {questions: [{report: 'nmaes'}, active, active, names]});
    expect(body.answers.map((one: object) => Object.keys(one))).toEqual([
      ['error'],
      ['question', 'answer', 'previous', 'meta'],
      ['question', 'error'],
      ['question', 'answer', 'meta'],
    ]);
  });

  test('name the member of the entry that is wrong', async () => {
    const events = [{event: 'a'}, {event: 'b', measure: {of: 'sum'}}];
    for (const [more, field] of [
      [{events}, '/events/1/measure/property'],
      [{events, compare: 'previous'}, '/events/1/measure/property'],
      [{events: [{as: 'x'}], measure: {of: 'sum'}}, '/measure/property'],
    ] as const) {
      const refused = answer(new Role(), {report: 'counts', ...more}).catch((error: RequestFailure) => error.failure);
      expect(await refused).toMatchObject({field, message: expect.stringContaining(`${field} is required`)});
    }
  });

  test('are refused before they start where they would be too many', async () => {
    const role = new Role();
    const refused = answer(role, {questions: Array(16).fill(labelled)}).catch((error: RequestFailure) => error.failure);
    expect(await refused).toMatchObject({field: '/questions', message: expect.stringContaining('/questions has 64')});
    expect(role.asked).toEqual([]);
  });
});

test('are refused together while the report role does not answer: nobody waits for each of them', async () => {
  const role = new Role(() => ({code: 'unavailable', message: 'away'}));
  const refused = answer(role, {questions: many(30)}).catch((error: RequestFailure) => error.failure);
  expect(await refused).toMatchObject({code: 'unavailable'});
  expect(role.asked.length).toBe(1);
});

test('one question is answered alone, and fails alone', async () => {
  const {body, charged} = await answer(new Role(), names);
  expect(body).toEqual({
    question: {report: 'names', hidden: false, limit: 100},
    answer: {of: 'names', skipped: 3},
    meta: {
      as_of: '2026-05-01T00:00:00.000Z',
      log_position: '0:1.1',
      next_by: '2026-05-01T00:05:00.000Z',
      incomplete_from: null,
      hint: null,
      skipped: null,
    },
  });
  expect(charged).toBe(1);
  const refused = answer(new Role(() => tooExpensive), names).catch((error: RequestFailure) => error.failure);
  expect(await refused).toEqual(tooExpensive);
});

test('who may not ask a question is told so, and the others of the request are answered', async () => {
  const failure: Failure = {code: 'role_not_sufficient', message: 'no'};
  const handle = answerQuery((_, {report}) => (report === 'people' ? failure : undefined));
  const {body} = await answer(new Role(), {questions: [{report: 'people'}, names]}, handle);
  expect(body.answers[0]).toEqual({error: failure});
  expect(body.answers[1].answer).toEqual({of: 'names', skipped: 3});
});
