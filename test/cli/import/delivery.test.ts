import {expect, test} from 'vitest';
import type {HttpAnswer} from '../../../src/cli/import/batch-answer.js';
import {Delivery, type Pace} from '../../../src/cli/import/delivery.js';
import type {SourceEvent} from '../../../src/cli/import/source-event.js';

/** Time passes only when somebody sleeps. */
class FakePace implements Pace {
  readonly slept: number[] = [];
  #nowMs = 0;

  nowMs = (): number => this.#nowMs;
  random = (): number => 0.5;
  sleep = async (ms: number): Promise<void> => {
    this.slept.push(ms);
    this.#nowMs += ms;
  };
}

const giveUpMs = 60_000;
const events = (...lines: number[]): SourceEvent[] =>
  lines.map((line) => ({call: 'event', line, userKey: 'u', messageId: null, json: Buffer.from(`{"n":${line}}`)}));
const ok = (received: number): HttpAnswer => answer(200, {status: 'ok', received});

function answer(status: number, body: object, retryAfterSeconds: number | null = null): HttpAnswer {
  return {status, retryAfterSeconds, body: JSON.stringify(body)};
}

/** Answers in turn; an Error is a network that failed. The last one repeats. */
function deliveryTo(...answers: (HttpAnswer | Error)[]) {
  const pace = new FakePace();
  const bodies: number[][] = [];
  const post = async (body: Buffer): Promise<HttpAnswer> => {
    bodies.push((JSON.parse(body.toString()) as {events: {n: number}[]}).events.map(({n}) => n));
    const next = answers.length > 1 ? answers.shift()! : answers[0]!;
    if (next instanceof Error) throw next;
    return next;
  };
  return {delivery: new Delivery(post, pace, giveUpMs), pace, bodies};
}

test('an accepted batch is sent once', async () => {
  const {delivery, pace, bodies} = deliveryTo(ok(2));
  expect(await delivery.deliver(events(1, 2))).toEqual([null, null]);
  expect([bodies, pace.slept]).toEqual([[[1, 2]], []]);
});

test('waits grow from attempt to attempt, and end at 30 s', async () => {
  const busy = answer(503, {error: {code: 'unavailable', message: 'm'}});
  const {delivery, pace} = deliveryTo(...Array<HttpAnswer>(9).fill(busy), ok(1));
  await delivery.deliver(events(1));
  // Half of the ceiling at least, the rest by chance: here three quarters of 250, 500, 1,000 … 30,000 ms.
  expect(pace.slept).toEqual([187.5, 375, 750, 1_500, 3_000, 6_000, 12_000, 22_500, 22_500]);
});

test('Retry-After is the least that is waited', async () => {
  const {delivery, pace} = deliveryTo(answer(429, {}, 7), answer(503, {}, 0), ok(1));
  await delivery.deliver(events(1));
  expect(pace.slept).toEqual([7_187.5, 375]);
});

test('only what the log did not take is sent again, in its order', async () => {
  const lost = (...indexes: number[]) => indexes.map((index) => ({index, code: 'unavailable', message: 'm'}));
  const {delivery, bodies} = deliveryTo(
    answer(503, {received: 2, errors: lost(3, 1)}, 1),
    answer(503, {received: 1, errors: lost(1)}, 1),
    ok(1),
  );
  expect(await delivery.deliver(events(1, 2, 3, 4))).toEqual([null, null, null, null]);
  expect(bodies).toEqual([[1, 2, 3, 4], [2, 4], [4]]);
});

test('a refusal found in a second attempt belongs to the right event', async () => {
  const {delivery} = deliveryTo(
    answer(503, {received: 1, errors: [1, 2].map((index) => ({index, code: 'unavailable', message: 'm'}))}),
    answer(207, {received: 1, errors: [{index: 1, code: 'invalid_event', message: 'why', field: 'event'}]}),
  );
  expect(await delivery.deliver(events(1, 2, 3))).toEqual([
    null,
    null,
    {code: 'invalid_event', message: 'why', field: 'event'},
  ]);
});

test('of a body that is refused as a whole, halves find the event that spoils it', async () => {
  const refused = answer(400, {error: {code: 'invalid_json', message: 'too deep'}});
  const {delivery, bodies} = deliveryTo(refused, ok(2), refused, refused, ok(1));
  expect(await delivery.deliver(events(1, 2, 3, 4))).toEqual([
    null,
    null,
    {code: 'invalid_json', message: 'too deep'},
    null,
  ]);
  expect(bodies).toEqual([[1, 2, 3, 4], [1, 2], [3, 4], [3], [4]]);
});

test('without any success the delivery gives up and says why; a partial success renews its patience', async () => {
  const reset = Object.assign(new Error('socket hang up'), {code: 'ECONNRESET'});
  const {delivery, pace} = deliveryTo(reset);
  await expect(delivery.deliver(events(1))).rejects.toThrow(/^Gave up after \d+ s without success: ECONNRESET/);
  const waitedMs = pace.slept.reduce((sum, ms) => sum + ms, 0);
  expect(waitedMs).toBeGreaterThanOrEqual(giveUpMs);
  expect(waitedMs).toBeLessThan(2 * giveUpMs);

  const partly = answer(503, {received: 1, errors: [{index: 1, code: 'unavailable', message: 'm'}]}, 50);
  const patient = deliveryTo(answer(503, {}, 50), partly, answer(503, {}, 50), ok(1));
  expect(await patient.delivery.deliver(events(1, 2))).toEqual([null, null]);
});

test('while events wait the reason is shown, afterwards it is not', async () => {
  const seen: string[] = [];
  const {delivery, pace} = deliveryTo(answer(502, {}), ok(1));
  const {sleep} = pace;
  pace.sleep = (ms) => {
    seen.push(delivery.trouble);
    return sleep(ms);
  };
  await delivery.deliver(events(1));
  expect([seen, delivery.trouble]).toEqual([['status 502'], '']);
});

test('an identify call is a request of its own, and keeps its place between events', async () => {
  const sent: string[] = [];
  const refusal = {error: {code: 'invalid_request', message: 'no', field: 'traits'}};
  const post = async (body: Buffer, call: SourceEvent['call']): Promise<HttpAnswer> => {
    sent.push(`${call} ${body}`);
    if (call === 'event') return ok(1);
    return body.includes('3') ? answer(400, refusal) : answer(200, {status: 'ok', userId: 'u'});
  };
  const [first, second, third, fourth] = events(1, 2, 3, 4);
  const identify = (event: SourceEvent | undefined): SourceEvent => ({...event!, call: 'identify'});
  const calls = [first!, identify(second), identify(third), fourth!];
  expect(await new Delivery(post, new FakePace(), giveUpMs).deliver(calls)).toEqual([
    null,
    null,
    {code: 'invalid_request', message: 'no'},
    null,
  ]);
  expect(sent).toEqual([
    'event {"events":[{"n":1}]}',
    'identify {"n":2}',
    'identify {"n":3}',
    'event {"events":[{"n":4}]}',
  ]);
});

test('traits alone follow the events of their batch, and of equal ones the oldest and the newest are sent', async () => {
  const sent: string[] = [];
  const refusal = {error: {code: 'invalid_request', message: 'no', field: 'traits'}};
  const post = async (body: Buffer, call: SourceEvent['call']): Promise<HttpAnswer> => {
    sent.push(`${call} ${body}`);
    if (call === 'event') return ok((JSON.parse(body.toString()) as {events: object[]}).events.length);
    return body.includes('9') ? answer(400, refusal) : answer(200, {status: 'ok', userId: 'u'});
  };
  const traits = (line: number, key: string, timeMs: number): SourceEvent => ({
    ...events(line)[0]!,
    call: 'identify',
    traits: {key, timeMs},
  });
  const calls = [
    traits(1, 'pro', 20),
    ...events(2),
    traits(3, 'pro', 10),
    ...events(4),
    traits(5, 'pro', 30),
    traits(9, 'free', 25),
    traits(7, 'pro', 25),
    {...events(8)[0]!, call: 'identify' as const},
  ];
  expect((await new Delivery(post, new FakePace(), giveUpMs).deliver(calls)).map((verdict) => verdict?.code)).toEqual([
    ...[undefined, undefined, undefined, undefined, undefined, 'invalid_request', undefined, undefined],
  ]);
  expect(sent).toEqual([
    'event {"events":[{"n":2},{"n":4}]}',
    'identify {"n":8}',
    'identify {"n":3}',
    'identify {"n":5}',
    'identify {"n":9}',
  ]);
});
