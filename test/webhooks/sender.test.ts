// What a process knows of an endpoint beside others that serve it.
import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {monotonicMs} from '../../src/clock.js';
import type {KeptStore} from '../../src/kept/kept-store.js';
import {BucketFault} from '../../src/keys/key-bucket.js';
import {createLogger} from '../../src/observe.js';
import {Semaphore} from '../../src/pacing/semaphore.js';
import type {Endpoint} from '../../src/webhooks/endpoint.js';
import {healthFrom, healthName, lagMsOf} from '../../src/webhooks/endpoint-health.js';
import {OwnerAway} from '../../src/webhooks/owners.js';
import {type Outcome, socketsMax} from '../../src/webhooks/post.js';
import {probeDelayMs, probedAfter} from '../../src/webhooks/schedule.js';
import {NotServed, Recipient, type SenderWorld, sharedSockets} from '../../src/webhooks/sender.js';
import {MemoryBucket} from '../support/memory-bucket.js';
import {until} from '../support/until.js';
import {webhookOf} from '../support/webhook.js';

const day = 86_400_000;
const empty = async () => '{}';
const message = {id: 'msg_1', type: 'user.identified', timestampMs: 0, attempt: 1};

const endpoint = webhookOf('user.identified');

/** Processes that share a bucket and a clock. */
function deployment(probeDelayMs: SenderWorld['probeDelayMs'] = () => 0, sockets = sharedSockets()) {
  const bucket = new MemoryBucket();
  const clock = {nowMs: 0};
  const disabled: string[] = [];
  const process = (outcome: SenderWorld['poster']['post']): Recipient =>
    new Recipient(
      endpoint,
      {
        poster: {post: outcome},
        store: {
          endpoints: {
            change: async (id: string, edit: (one: Endpoint) => Endpoint) => {
              disabled.push(id);
              return edit(endpoint);
            },
          },
        } as unknown as KeptStore,
        bucket,
        wallMs: () => clock.nowMs,
        probeDelayMs,
        logger: createLogger('silent', 'test'),
      } satisfies SenderWorld,
      sockets,
    );
  const record = () => healthFrom(bucket.entries.get(healthName(endpoint.id))?.text);
  const loseAnswer = () => {
    const write = bucket.write.bind(bucket);
    bucket.write = async (...record) => {
      bucket.write = write;
      await write(...record);
      throw new BucketFault('no answer');
    };
  };
  return {process, clock, disabled, record, loseAnswer};
}

const taken = async (): Promise<Outcome> => ({kind: 'delivered', status: 200});
const refused = async (): Promise<Outcome> => ({kind: 'failed', status: 500});

test('an endpoint that nobody reached for five days is disabled', async () => {
  const {process, clock, disabled} = deployment();
  const one = process(refused);
  await one.send(message, empty);
  clock.nowMs = 5 * day - 1;
  await one.send(message, empty);
  expect(disabled).toEqual([]);
  clock.nowMs += 1;
  await one.send(message, empty);
  expect(disabled).toEqual([endpoint.id]);
});

test('a mail is an attempt like any other, under one id for its message and endpoint; without a server it fails', async () => {
  const bucket = new MemoryBucket();
  const mails: unknown[] = [];
  const world = {
    poster: {post: refused},
    store: {} as unknown as KeptStore,
    bucket,
    wallMs: () => 0,
    probeDelayMs: () => 0,
    logger: createLogger('silent', 'test'),
  };
  const mailer: NonNullable<SenderWorld['mailer']> = {
    send: async (target, mailOf) => {
      mails.push([target, await mailOf()]);
      return {kind: 'delivered', status: 250};
    },
  };
  const mail = {...endpoint, kind: 'mail', url: 'mailto:ann@example.com'} as const;
  const data = async () => JSON.stringify({text: 'Firing: Shop.'});
  const told = {...message, type: 'report.threshold', timestampMs: 7};
  const one = new Recipient(mail, {...world, mailer}, sharedSockets());
  expect(await one.send(told, data)).toEqual({kind: 'delivered', status: 250});
  const expected = {id: `msg_1.${endpoint.id}`, timestampMs: 7, subject: 'Firing: Shop.'};
  expect(mails).toEqual([['mailto:ann@example.com', expect.objectContaining(expected)]]);
  expect(one.health.attempts).toMatchObject([{id: 'msg_1', outcome: 'delivered', status: 250}]);
  const without = new Recipient(mail, world, sharedSockets());
  expect(await without.send(told, data)).toEqual({kind: 'failed', why: 'SMTP_URL is not set'});
  expect(without.health).toMatchObject({failures: 1, failed: 1});
});

test('an endpoint that answers 410 is disabled at once', async () => {
  const {process, disabled} = deployment();
  const one = process(async () => ({kind: 'gone', status: 410}));
  await one.send(message, empty);
  expect(disabled).toEqual([endpoint.id]);
  expect(one.endpoint).toMatchObject({state: 'disabled', reason: 'the receiver answered 410'});
});

test('an endpoint that was resumed while nobody delivered has its five days again', async () => {
  const {process, clock, disabled} = deployment();
  const before = process(refused);
  await before.send(message, empty);
  await before.save();
  clock.nowMs = 6 * day;
  const after = process(refused);
  await after.load();
  await after.send(message, empty);
  expect(disabled).toEqual([]);
  clock.nowMs += 5 * day;
  await after.send(message, empty);
  expect(disabled).toEqual([endpoint.id]);
});

test('an endpoint that another process reaches is not disabled by one that failed long ago', async () => {
  const {process, clock, disabled} = deployment();
  const [one, other] = [process(refused), process(taken)];
  clock.nowMs = 1;
  await one.send(message, empty);
  await one.save();
  clock.nowMs = 6 * day;
  await other.load();
  await other.send(message, empty);
  await other.save();
  clock.nowMs += 1;
  await one.send(message, empty);
  expect(disabled).toEqual([]);
  expect(one.health).toMatchObject({lastSuccessMs: 6 * day});
  clock.nowMs += 5 * day;
  await one.send(message, empty);
  expect(disabled).toEqual([]);
  clock.nowMs += 5 * day;
  await one.send(message, empty);
  expect(disabled).toEqual([endpoint.id]);
});

describe('processes that serve one endpoint', () => {
  /** Saves until nothing is left to write. */
  const saveAll = async (processes: readonly Recipient[]) => {
    for (let round = 0; round < 8; round++) for (const process of processes) await process.save();
  };

  test('add up in its record, in whatever order they write it', async () => {
    const some = fc.array(fc.tuple(fc.nat({max: 2}), fc.constantFrom('taken', 'refused', 'save')), {maxLength: 40});
    await fc.assert(
      fc.asyncProperty(some, async (steps) => {
        const {process, clock, record} = deployment();
        let outcome: Outcome;
        const processes = Array.from({length: 3}, () => process(async () => outcome));
        for (const one of processes) await one.load();
        for (const [at, step] of steps) {
          clock.nowMs += 1;
          if (step === 'save') await processes[at]!.save();
          else {
            outcome = await (step === 'taken' ? taken() : refused());
            await processes[at]!.send({...message, id: `msg_${clock.nowMs}`}, empty);
          }
        }
        await saveAll(processes);
        const times = (of: string) => steps.filter(([, step]) => step === of).length;
        const {delivered, failed, attempts} = record();
        expect({delivered, failed}).toEqual({delivered: times('taken'), failed: times('refused')});
        expect(attempts.map(({atMs}) => atMs)).toEqual(
          steps.flatMap(([, step], i) => (step === 'save' ? [] : [i + 1])).reverse(),
        );
      }),
    );
  });

  test('count nothing twice whose write was stored, and not answered', async () => {
    const {process, record, loseAnswer} = deployment();
    const one = process(taken);
    await one.send(message, empty);
    loseAnswer();
    await expect(one.save()).rejects.toThrow(BucketFault);
    await one.send({...message, id: 'msg_2'}, empty);
    await saveAll([one]);
    expect(record()).toMatchObject({delivered: 2});
    expect(record().attempts.length).toBe(2);
  });

  test('probe it once it has failed so often in all, after the first pause', async () => {
    const {process, clock} = deployment((failures) => probeDelayMs(failures, 0.5));
    const processes = [process(refused), process(refused)];
    for (let n = 1; n < probedAfter; n++) for (const one of processes) await one.send(message, empty);
    await saveAll(processes);
    for (const one of processes) expect(one.isProbed).toBe(false);
    clock.nowMs = 1_000;
    await processes[0]!.send(message, empty);
    expect(processes[0]!.health).toMatchObject({failures: probedAfter, nextProbeMs: 1_000 + 5_000});
    await processes[1]!.send({...message, id: 'msg_2'}, empty);
    await saveAll(processes);
    for (const one of processes) expect(one.health).toMatchObject({failures: probedAfter, nextProbeMs: 6_000});
  });

  test('take what waits in a partition from the one that has its cursor, or had it last', async () => {
    const {process, record} = deployment();
    const [one, other] = [process(taken), process(taken)];
    one.noteWaits({0: {revision: 5, oldestMs: 100}, 1: {revision: 6, oldestMs: 200}});
    await saveAll([one, other]);
    other.noteWaits({0: {revision: 7, oldestMs: null}});
    await saveAll([one, other]);
    expect(record().waiting).toEqual({0: {revision: 7, oldestMs: null}, 1: {revision: 6, oldestMs: 200}});
    one.noteWaits({0: {revision: 5, oldestMs: 150}, 1: {revision: 6, oldestMs: 300}}); // It does not know yet.
    await saveAll([one, other]);
    expect(record().waiting).toEqual({0: {revision: 7, oldestMs: null}, 1: {revision: 6, oldestMs: 300}});
    const tracked = webhookOf('event.tracked');
    expect(lagMsOf(tracked, record(), 1_000)).toBe(700);
    expect(lagMsOf(endpoint, record(), 1_000)).toBe(0); // Nobody reads rows for it.
  });

  test('leave nothing behind of what a process said that ended', async () => {
    const {process, record} = deployment();
    const [one, other] = [process(taken), process(taken)];
    await other.load();
    one.noteWaits({0: {revision: 5, oldestMs: 100}});
    await saveAll([one]);
    other.noteWaits({0: {revision: 5, oldestMs: null}});
    await saveAll([other]);
    expect(record().waiting).toEqual({0: {revision: 5, oldestMs: null}});
  });
});

test('what was under way when an endpoint begins to be probed does not make its probes rarer', async () => {
  const {process, clock} = deployment((failures) => probeDelayMs(failures, 0.5));
  let fail = (): void => undefined;
  const down = new Promise<void>((resolve) => {
    fail = resolve;
  });
  const one = process(async () => {
    await down;
    return refused();
  });
  const underWay = Array.from({length: probedAfter + socketsMax}, () => one.send(message, empty));
  clock.nowMs = 1;
  fail();
  await Promise.all(underWay);
  expect(one.health).toMatchObject({failures: probedAfter, failed: underWay.length, nextProbeMs: 1 + 5_000});
  clock.nowMs = one.health.nextProbeMs;
  await one.send(message, empty);
  expect(one.health.nextProbeMs - clock.nowMs).toBe(300_000);
});

test('a clock that goes back by a day delays no probe, and leaves the pauses between them', async () => {
  const {process, clock} = deployment((failures) => probeDelayMs(failures, 0.5));
  const one = process(refused);
  clock.nowMs = 10 * day;
  for (let failures = 0; failures < probedAfter; failures++) await one.send(message, empty);
  expect(one.health.nextProbeMs).toBe(clock.nowMs + 5_000);
  let isOpen = false;
  clock.nowMs -= day;
  void one.gate.open().then((open) => {
    isOpen = open;
  });
  await until('it may be probed', () => isOpen);
  await one.send(message, empty);
  expect(one.health).toMatchObject({failures: probedAfter + 1, nextProbeMs: clock.nowMs + 300_000});
});

test('a receiver that asks for a longer pause gets no probe before it is over', async () => {
  const {process, clock} = deployment((failures) => probeDelayMs(failures, 0.5));
  const one = process(async () => ({kind: 'failed', status: 503, waitMs: day}));
  for (let failures = 0; failures < probedAfter; failures++) await one.send(message, empty);
  expect(one.health.nextProbeMs).toBe(day);
  clock.nowMs = day - 1;
  let isOpen = false;
  void one.gate.open().then((open) => {
    isOpen = open;
  });
  one.gate.notify();
  await new Promise<void>((resolve) => setImmediate(resolve));
  expect(isOpen).toBe(false);
  clock.nowMs = day;
  await until('it may be probed', () => isOpen);
});

describe('an attempt that waits for the sockets of all endpoints', () => {
  /** An attempt that has the only socket, and another one that waits for it. */
  function waiting() {
    const posts: {readonly url: string; readonly signature: string | undefined}[] = [];
    const {process} = deployment(() => 0, new Semaphore(1));
    let free = (): void => undefined;
    const busy = new Promise<void>((resolve) => {
      free = resolve;
    });
    const one = process(async (url, contentOf) => {
      if (posts.push({url, signature: undefined}) === 1) await busy;
      const {headers} = (await contentOf())!;
      posts.push({url, signature: headers['webhook-signature']});
      return taken();
    });
    const first = one.send(message, empty);
    const second = one.send(message, empty);
    return {one, first, second, posts, free};
  }

  test('goes to the URL that there is then, signed by the secrets of then', async () => {
    const {one, first, second, posts, free} = waiting();
    await until('the first has the socket', () => posts.length === 1);
    one.take({...endpoint, url: 'https://hooks.example.com/2', secrets: [{value: 'whsec_BBBB'}, ...endpoint.secrets]});
    free();
    expect([await first, await second]).toEqual([await taken(), await taken()]);
    expect(posts.map(({url}) => url)).toEqual([1, 1, 2, 2].map((n) => `https://hooks.example.com/${n === 1 ? '' : n}`));
    expect(posts[3]!.signature!.split(' ')).toHaveLength(2);
  });

  test.each([
    ['paused', (one: Recipient) => one.take({...endpoint, state: 'paused'})],
    ['disabled', (one: Recipient) => one.take({...endpoint, state: 'disabled'})],
    ['deleted', (one: Recipient) => one.gate.stop()],
  ])('is not made when the webhook is %s by then, and counts as none', async (_, change) => {
    const {one, first, second, posts, free} = waiting();
    await until('the first has the socket', () => posts.length === 1);
    change(one);
    const refusal = expect(second).rejects.toThrow(NotServed);
    free();
    await first;
    await refusal;
    expect(posts).toHaveLength(2);
    expect(one.health).toMatchObject({delivered: 1, failed: 0});
  });
});

describe('an attempt that waits for its socket', () => {
  /** Connects after so long that what was said before may have changed. */
  function waiting(said: readonly (string | undefined)[]) {
    const bodies: unknown[] = [];
    const {process} = deployment();
    const one = process(async (_, contentOf) => {
      const startMs = monotonicMs();
      await until('what was said is old', () => monotonicMs() - startMs > 300);
      const content = await contentOf();
      if (content === undefined) return {kind: 'erased'};
      bodies.push(JSON.parse(content.body).data);
      return taken();
    });
    let times = 0;
    const say = async () => said[Math.min(times++, said.length - 1)];
    return {one, say, bodies};
  }

  test('sends nothing of a user who is erased meanwhile', async () => {
    const {one, say, bodies} = waiting(['{"n":1}', undefined]);
    expect(await one.send(message, say)).toEqual({kind: 'erased'});
    expect(bodies).toEqual([]);
    expect(one.health).toMatchObject({failures: 0, failed: 0, delivered: 0});
    expect(one.health.attempts[0]).toMatchObject({outcome: 'erased'});
  });

  test('sends what is so then', async () => {
    const {one, say, bodies} = waiting(['{"n":1}', '{"n":2}']);
    expect(await one.send(message, say)).toEqual({kind: 'delivered', status: 200});
    expect(bodies).toEqual([{n: 2}]);
  });

  test('counts as none where nobody can say it now', async () => {
    const {one} = waiting([]);
    let times = 0;
    const away = async () => {
      if (times++ > 0) throw new OwnerAway('the owner is away');
      return '{}';
    };
    await expect(one.send(message, away)).rejects.toThrow(OwnerAway);
    expect(one.health).toMatchObject({failures: 0, failed: 0, attempts: []});
  });
});
