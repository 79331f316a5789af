// The queue of the SDK over a clock, a network and a store that the test drives.
import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {
  type Answer,
  byteLength,
  type Keep,
  type Limits,
  type Outbox,
  openOutbox,
} from '../../packages/sdk/src/outbox.js';
import {runs} from '../support/runs.js';

const limits: Limits = {
  callsMax: 40,
  bytesMax: 10_000,
  pieceCallsMax: 8,
  pieceBytesMax: 1_000,
  fullCalls: 5,
  waitMs: 3_000,
};

interface Request {
  readonly path: string;
  readonly calls: readonly {readonly messageId: string}[];
  readonly sentAt: string;
  readonly bytes: number;
  readonly isKept: boolean;
  readonly isLast: boolean;
  /** Undefined: no answer. */
  readonly settle: (answer: Answer | undefined) => void;
}

const ok: Answer = {status: 200, retryAfter: 0, told: {status: 'ok'}};
const failed = (status: number, retryAfter = 0): Answer => ({
  status,
  retryAfter,
  told: {error: {code: 'unavailable', message: 'later'}},
});

/** Time passes only when the test says so; requests are answered by the test, or at once by `answers`. */
class FakeWorld {
  nowMs = Date.parse('2026-05-01T12:00:00Z');
  readonly requests: Request[] = [];
  readonly said: unknown[][] = [];
  readonly kept = new Map<string, string>();
  answers: ((request: Request) => Answer | undefined) | undefined;
  private timers: {readonly atMs: number; readonly work: () => void}[] = [];

  readonly keep: Keep = {
    set: (id, text) => void this.kept.set(id, text),
    remove: (id) => void this.kept.delete(id),
  };

  open(own: Partial<Limits> = {}): Outbox {
    return openOutbox(
      {
        keep: this.keep,
        nowMs: () => this.nowMs,
        later: (work, ms) => {
          const timer = {atMs: this.nowMs + ms, work};
          this.timers.push(timer);
          return () => {
            this.timers = this.timers.filter((one) => one !== timer);
          };
        },
        post: (path, body, isKept, isLast) =>
          new Promise((resolve, reject) => {
            const {sentAt, events, ...call} = readable(body);
            const settle = (answer: Answer | undefined) => (answer === undefined ? reject() : resolve(answer));
            const calls = events ?? [call];
            const request = {path, calls, sentAt, bytes: byteLength(body), isKept, isLast, settle};
            this.requests.push(request);
            if (this.answers !== undefined) settle(this.answers(request));
          }),
        say: (...words) => void this.said.push(words),
      },
      {...limits, ...own},
    );
  }

  /** All that is due by then, and what follows from it. */
  async pass(ms: number): Promise<void> {
    const endMs = this.nowMs + ms;
    for (;;) {
      await settled();
      const next = this.timers.filter(({atMs}) => atMs <= endMs).sort((a, b) => a.atMs - b.atMs)[0];
      if (next === undefined) break;
      this.timers = this.timers.filter((one) => one !== next);
      this.nowMs = Math.max(this.nowMs, next.atMs);
      next.work();
    }
    this.nowMs = endMs;
  }

  get timersCount(): number {
    return this.timers.length;
  }
}

/** A body that nobody can read has no calls. */
function readable(body: string) {
  try {
    return JSON.parse(body);
  } catch (_error) {
    return {events: []};
  }
}

/** Every promise that can go on has gone on. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const textOf = (messageId: string, more: object = {}): string => `e${JSON.stringify({event: 'e', messageId, ...more})}`;
const add = (outbox: Outbox, ...ids: string[]): void => {
  for (const id of ids) outbox.add(id, textOf(id));
};
const identify = (outbox: Outbox, id: string): void =>
  outbox.add(id, `i${JSON.stringify({userId: 'ada', traits: {}, messageId: id})}`);
const idsOf = ({calls}: Request): string[] => calls.map(({messageId}) => messageId);
const numbered = (count: number, from = 0): string[] =>
  Array.from({length: count}, (_, at) => `m${String(from + at).padStart(4, '0')}`);

describe('when calls are sent', () => {
  test('3 seconds after the first of them, all in one request, with the time of sending', async () => {
    const world = new FakeWorld();
    const outbox = world.open();
    add(outbox, 'a');
    await world.pass(2_000);
    add(outbox, 'b');
    await world.pass(999);
    expect(world.requests).toEqual([]);
    await world.pass(1);
    expect(world.requests.map(idsOf)).toEqual([['a', 'b']]);
    expect(world.requests[0]).toMatchObject({path: '/v1/events/batch', sentAt: '2026-05-01T12:00:03.000Z'});
    expect(outbox.outcome()).toEqual({accepted: 0, rejected: [], dropped: 0, waiting: 2});
    world.requests[0]!.settle(ok);
    await settled();
    expect(outbox.outcome()).toEqual({accepted: 2, rejected: [], dropped: 0, waiting: 0});
    expect(outbox.outcome()).toEqual({accepted: 0, rejected: [], dropped: 0, waiting: 0});
    expect(world.kept.size).toBe(0);
  });

  test('at once where many wait, one request after the other', async () => {
    const world = new FakeWorld();
    const outbox = world.open();
    add(outbox, ...numbered(9));
    expect(world.requests.map(idsOf)).toEqual([numbered(5)]);
    world.requests[0]!.settle(ok);
    await settled();
    expect(world.requests.map(idsOf)).toEqual([numbered(5), numbered(4, 5)]);
  });

  test('identify calls one by one, by their own route', async () => {
    const world = new FakeWorld();
    world.answers = () => ok;
    const outbox = world.open();
    add(outbox, 'a');
    identify(outbox, 'b');
    add(outbox, 'c');
    identify(outbox, 'd');
    await outbox.flush();
    expect(world.requests.map((request) => [request.path, idsOf(request)])).toEqual([
      ['/v1/events/batch', ['a', 'c']],
      ['/v1/users/identify', ['b']],
      ['/v1/users/identify', ['d']],
    ]);
    expect(outbox.outcome().accepted).toBe(4);
  });

  test('while the page is left: in pieces, all at once, what fits into requests that outlive it', async () => {
    const world = new FakeWorld();
    const outbox = world.open({fullCalls: 1_000});
    for (const id of numbered(30)) outbox.add(id, textOf(id, {properties: {text: 'ü'.repeat(20)}}));
    identify(outbox, 'who');
    outbox.leave();
    expect(world.requests.length).toBeGreaterThan(0);
    expect(world.requests.every(({isKept, isLast}) => isKept && isLast)).toBe(true);
    expect(world.requests.reduce((sum, {bytes}) => sum + bytes, 0)).toBeLessThanOrEqual(1_000);
    const left = world.requests.flatMap(idsOf);
    expect(left).toEqual(numbered(left.length));
    outbox.leave();
    expect(world.requests.flatMap(idsOf)).toEqual(left);
    // The page stays, after all.
    world.answers = () => ok;
    for (const {settle} of world.requests.splice(0)) settle(ok);
    await world.pass(3_000);
    expect(world.requests.flatMap(idsOf).sort()).toEqual([...numbered(30).slice(left.length), 'who']);
    expect(outbox.outcome()).toMatchObject({accepted: 31, waiting: 0});
  });

  test('a call above the size of a piece goes alone, and does not outlive the page', async () => {
    const world = new FakeWorld();
    world.answers = () => ok;
    const outbox = world.open();
    outbox.add('large', textOf('large', {properties: {text: 'x'.repeat(2_000)}}));
    outbox.leave();
    expect(world.requests).toEqual([]);
    await outbox.flush();
    expect(world.requests.map(({isKept}) => isKept)).toEqual([false]);
  });
});

describe('failures', () => {
  test.each([
    undefined,
    failed(500),
    failed(404),
    {status: 200, retryAfter: 0, told: undefined},
    {status: 200, retryAfter: 0, told: null},
  ])('%j: again after 1, 2, 4 … 60 seconds, each with up to a quarter more', async (answer) => {
    const world = new FakeWorld();
    world.answers = () => answer;
    const outbox = world.open();
    add(outbox, 'a');
    await world.pass(3_000);
    const gaps: number[] = [];
    for (let count = 1; count < 9; count++) {
      const beganMs = world.nowMs;
      while (world.requests.length === count) await world.pass(100);
      gaps.push(world.nowMs - beganMs);
    }
    for (const [at, seconds] of [1, 2, 4, 8, 16, 32, 60, 60].entries()) {
      expect(gaps[at]).toBeGreaterThanOrEqual(seconds * 1_000 - 100);
      expect(gaps[at]).toBeLessThanOrEqual(seconds * 1_250 + 100);
    }
    add(outbox, ...numbered(20));
    expect(world.requests.length).toBe(9);
    world.answers = () => ok;
    outbox.wake();
    await settled();
    expect(outbox.outcome()).toMatchObject({accepted: 21, waiting: 0});
  });

  test('429 and 503 with Retry-After: nothing before that, whoever asks', async () => {
    const world = new FakeWorld();
    world.answers = () => failed(429, 7);
    const outbox = world.open();
    add(outbox, 'a');
    await outbox.flush();
    outbox.wake();
    outbox.leave();
    await outbox.flush();
    await world.pass(6_999);
    expect(world.requests.length).toBe(1);
    world.answers = () => ok;
    await world.pass(1_752);
    expect(world.requests.length).toBe(2);
    expect(outbox.outcome()).toMatchObject({accepted: 1, waiting: 0});
  });

  test('413 halves until one call is too large by itself, which is refused', async () => {
    const world = new FakeWorld();
    world.answers = ({calls}) =>
      calls.some(({messageId}) => messageId === 'm0005') ? {status: 413, retryAfter: 0, told: undefined} : ok;
    const outbox = world.open();
    add(outbox, ...numbered(8));
    await outbox.flush();
    const {rejected, ...counts} = outbox.outcome();
    expect(counts).toEqual({accepted: 7, dropped: 0, waiting: 0});
    expect(rejected).toEqual([
      {code: 'payload_too_large', message: 'it is too large', event: {event: 'e', messageId: 'm0005'}},
    ]);
    expect(world.requests.length).toBeLessThan(12);
  });

  test('a body that cannot be read is halved as well: one call is at fault', async () => {
    const world = new FakeWorld();
    world.answers = ({calls}) =>
      calls.some(({messageId}) => messageId === 'm0002')
        ? {status: 400, retryAfter: 0, told: {error: {code: 'invalid_json', message: 'at byte 7'}}}
        : ok;
    const outbox = world.open();
    add(outbox, ...numbered(8));
    await outbox.flush();
    expect(outbox.outcome()).toMatchObject({accepted: 7, rejected: [{code: 'invalid_json'}], waiting: 0});
  });

  test('400 of somebody else, without a reason of ours, refuses nothing', async () => {
    const world = new FakeWorld();
    world.answers = () => ({status: 400, retryAfter: 0, told: undefined});
    const outbox = world.open();
    add(outbox, 'a');
    await outbox.flush();
    expect(outbox.outcome()).toEqual({accepted: 0, rejected: [], dropped: 0, waiting: 1});
  });

  test.each([207, 400])('%d: what was refused leaves, and is told once', async (status) => {
    const world = new FakeWorld();
    const errors = [{index: 1, code: 'invalid_event', message: 'no name', messageId: 'm0001'}];
    world.answers = () => ({status, retryAfter: 0, told: {status: 'partial', errors}});
    const outbox = world.open();
    add(outbox, ...numbered(3));
    await outbox.flush();
    const one = {code: 'invalid_event', message: 'no name', event: {event: 'e', messageId: 'm0001'}};
    expect(outbox.outcome()).toEqual({accepted: 2, rejected: [one], dropped: 0, waiting: 0});
    expect(world.said).toEqual([['refused', one]]);
    expect(outbox.outcome().rejected).toEqual([]);
    expect(world.kept.size).toBe(0);
  });

  test.each([401, 403])('%d: nothing is sent any more, one line says so, and calls are kept', async (status) => {
    const world = new FakeWorld();
    world.answers = () => failed(status);
    const outbox = world.open();
    add(outbox, ...numbered(6));
    await world.pass(60_000);
    outbox.wake();
    outbox.leave();
    await outbox.flush();
    expect([world.requests.length, world.said]).toEqual([1, [['stopped', `${status} later`]]]);
    expect([outbox.outcome().waiting, world.kept.size]).toEqual([6, 6]);
  });

  test('a key that may not identify loses identify calls alone', async () => {
    const world = new FakeWorld();
    const refusal = {status: 403, retryAfter: 0, told: {error: {code: 'insufficient_permissions', message: 'no'}}};
    world.answers = ({path}) => (path.endsWith('identify') ? refusal : ok);
    const outbox = world.open();
    identify(outbox, 'a');
    add(outbox, 'b');
    await outbox.flush();
    expect(outbox.outcome()).toMatchObject({accepted: 1, rejected: [{code: 'insufficient_permissions'}], waiting: 0});
  });
});

describe('the bound', () => {
  test('of calls: the oldest leave, and are counted and told', () => {
    const world = new FakeWorld();
    const outbox = world.open();
    add(outbox, ...numbered(45));
    // Five of them are under way, and stay.
    expect(outbox.outcome()).toMatchObject({dropped: 5, waiting: 40});
    expect([...world.kept.keys()]).toEqual([...numbered(5), ...numbered(35, 10)]);
    expect(world.said.map(([what]) => what)).toEqual(Array(5).fill('dropped'));
  });

  test('of bytes', () => {
    const world = new FakeWorld();
    const outbox = world.open({fullCalls: 1_000});
    for (const id of numbered(12)) outbox.add(id, textOf(id, {properties: {text: '€'.repeat(400)}}));
    expect([...world.kept.keys()]).toEqual(numbered(7, 5));
    const bytes = [...world.kept.values()].reduce((sum, text) => sum + Buffer.byteLength(text), 0);
    expect(bytes).toBeLessThanOrEqual(10_000);
  });
});

test('what an earlier page kept is adopted, older than what this one adds, and leaves the store once it is accepted', async () => {
  const world = new FakeWorld();
  const crashed = world.open();
  add(crashed, 'a', 'b');
  const outbox = world.open();
  outbox.adopt([...world.kept]);
  add(outbox, 'c');
  outbox.adopt([...world.kept]);
  world.answers = () => ok;
  await outbox.flush();
  expect(world.requests.map(idsOf)).toEqual([['a', 'b', 'c']]);
  expect(world.kept.size).toBe(0);
});

test('what a store kept and nobody can read is refused, and stops nothing', async () => {
  const world = new FakeWorld();
  const outbox = world.open();
  world.answers = ({calls}) =>
    calls.length > 0 ? ok : {status: 400, retryAfter: 0, told: {error: {code: 'invalid_json', message: 'at byte 9'}}};
  outbox.adopt([['broken', 'e{"event']]);
  add(outbox, 'a');
  await outbox.flush();
  expect(outbox.outcome()).toEqual({
    accepted: 1,
    rejected: [{code: 'invalid_json', message: 'at byte 9', event: undefined}],
    dropped: 0,
    waiting: 0,
  });
});

test('a withdrawn consent forgets all calls, those under way as well', async () => {
  const world = new FakeWorld();
  const outbox = world.open();
  add(outbox, ...numbered(7));
  outbox.clear();
  expect(world.kept.size).toBe(0);
  const errors = [{index: 0, code: 'invalid_event', message: 'no'}];
  world.requests[0]!.settle({status: 207, retryAfter: 0, told: {status: 'partial', errors}});
  await settled();
  expect(outbox.outcome()).toMatchObject({rejected: [], waiting: 0});
  add(outbox, 'a');
  world.answers = () => ok;
  await outbox.flush();
  expect(idsOf(world.requests.at(-1)!)).toEqual(['a']);
});

/** What happens to a request, and to a page. */
const steps = fc.array(
  fc.oneof(
    fc.record({
      do: fc.constant('add' as const),
      count: fc.integer({min: 1, max: 9}),
      size: fc.integer({max: 600, min: 0}),
    }),
    fc.record({do: fc.constant('identify' as const)}),
    fc.record({do: fc.constant('pass' as const), ms: fc.integer({min: 0, max: 70_000})}),
    fc.record({
      do: fc.constant('network' as const),
      to: fc.constantFrom('good', 'cut', 'lost', 'slow', 'full', 'small'),
    }),
    fc.record({
      do: fc.constantFrom('flush' as const, 'leave' as const, 'wake' as const, 'crash' as const, 'tab' as const),
    }),
  ),
  {maxLength: 60},
);

test('whatever happens, each call is stored, or refused, or dropped and counted, or still waits', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (plan) => {
      const world = new FakeWorld();
      const stored = new Set<string>();
      let network = 'good';
      world.answers = (request) => {
        if (network === 'cut') return undefined;
        if (network === 'slow') return failed(429, 5);
        if (network === 'full') return failed(503);
        if (network === 'small' && request.calls.length > 2) return {status: 413, retryAfter: 0, told: undefined};
        const bad = request.calls.flatMap(({messageId}, index) =>
          messageId.endsWith('7') ? [{index, code: 'invalid_event', message: 'seven'}] : [],
        );
        for (const id of idsOf(request)) if (!id.endsWith('7')) stored.add(id);
        if (network === 'lost') return undefined;
        if (request.path.endsWith('identify') && bad.length > 0)
          return {status: 400, retryAfter: 0, told: {error: {code: 'invalid_request', message: 'seven'}}};
        return {status: bad.length === 0 ? 200 : 207, retryAfter: 0, told: {status: 'ok', errors: bad}};
      };
      let outboxes = [world.open()];
      let made = 0;
      const nextId = (): string => `m${String(made++).padStart(5, '0')}`;
      for (const step of plan) {
        const outbox = outboxes[made % outboxes.length]!;
        if (step.do === 'add')
          for (let left = step.count; left > 0; left--) {
            const id = nextId();
            outbox.add(id, textOf(id, {properties: {text: 'x'.repeat(step.size)}}));
          }
        else if (step.do === 'identify') identify(outbox, nextId());
        else if (step.do === 'pass') await world.pass(step.ms);
        else if (step.do === 'network') network = step.to;
        else if (step.do === 'flush') void outbox.flush();
        else if (step.do === 'leave') outbox.leave();
        else if (step.do === 'wake') outbox.wake();
        else {
          // A tab opens beside the others, or after all of them crashed.
          const next = world.open();
          next.adopt([...world.kept]);
          outboxes = step.do === 'crash' ? [next] : [...outboxes, next];
        }
      }
      network = 'good';
      await world.pass(200_000);
      const told = outboxes.map((outbox) => outbox.outcome());
      expect(told.map(({waiting}) => waiting)).toEqual(told.map(() => 0));
      expect(world.kept.size).toBe(0);
      expect(world.timersCount).toBe(0);
      const droppedIds = world.said.flatMap(([what, call]) =>
        what === 'dropped' ? [(call as {messageId: string}).messageId] : [],
      );
      const refusedIds = world.said.flatMap(([what, one]) =>
        what === 'refused' ? [(one as {event: {messageId: string}}).event.messageId] : [],
      );
      const all = numbered5(made);
      const gone = new Set([...stored, ...droppedIds, ...refusedIds]);
      expect(all.filter((id) => !gone.has(id))).toEqual([]);
      expect(refusedIds.every((id) => id.endsWith('7'))).toBe(true);
    }),
    {numRuns: runs(300)},
  );
});

const numbered5 = (count: number): string[] =>
  Array.from({length: count}, (_, at) => `m${String(at).padStart(5, '0')}`);
