// What a process knows of an endpoint beside others that serve it.
import {expect, test} from 'vitest';
import {allPlaces, type CourierWorld, Recipient} from '../../src/effects/courier.js';
import type {Endpoint} from '../../src/effects/endpoint.js';
import type {HookStore} from '../../src/effects/hook-store.js';
import type {Outcome} from '../../src/effects/post.js';
import {createLogger} from '../../src/observe.js';

const day = 86_400_000;
const message = {id: 'msg_1', type: 'user.identified', timestampMs: 0, attempt: 1};

const endpoint: Endpoint = {
  v: 1,
  id: 'wh_0123456789abcdef',
  createdMs: 0,
  kind: 'webhook',
  url: 'https://hooks.example.com/',
  types: [{type: 'user.identified'}],
  state: 'active',
  reason: null,
  secrets: [{value: 'whsec_AAAA'}],
  batch: {events: 1, ms: 0},
  ordered: false,
};

/** Processes that share a bucket and a clock. */
function deployment() {
  const stored = new Map<string, {readonly name: string; readonly text: string; readonly revision: number}>();
  const clock = {nowMs: 0};
  const disabled: string[] = [];
  const process = (outcome: () => Outcome): Recipient =>
    new Recipient(
      endpoint,
      {
        poster: {post: async () => outcome()},
        hooks: {
          endpoints: {
            change: async (id: string, edit: (one: Endpoint) => Endpoint) => {
              disabled.push(id);
              return edit(endpoint);
            },
          },
        } as unknown as HookStore,
        bucket: {
          read: async (name) => stored.get(name),
          write: async (name, text, revision) => {
            if ((stored.get(name)?.revision ?? 0) !== revision) return undefined;
            stored.set(name, {name, text, revision: revision + 1});
            return revision + 1;
          },
        },
        wallMs: () => clock.nowMs,
        probeDelayMs: () => 0,
        logger: createLogger('silent', 'test'),
      } satisfies CourierWorld,
      allPlaces(),
    );
  return {process, clock, disabled};
}

const taken = (): Outcome => ({kind: 'delivered', status: 200});
const refused = (): Outcome => ({kind: 'failed', status: 500});

test('an endpoint that nobody reached for five days is disabled', async () => {
  const {process, clock, disabled} = deployment();
  const one = process(refused);
  await one.send(message, '{}');
  clock.nowMs = 5 * day - 1;
  await one.send(message, '{}');
  expect(disabled).toEqual([]);
  clock.nowMs += 1;
  await one.send(message, '{}');
  expect(disabled).toEqual([endpoint.id]);
});

test('an endpoint that was resumed while nobody delivered has its five days again', async () => {
  const {process, clock, disabled} = deployment();
  const before = process(refused);
  await before.send(message, '{}');
  await before.save();
  clock.nowMs = 6 * day;
  const after = process(refused);
  await after.load();
  await after.send(message, '{}');
  expect(disabled).toEqual([]);
  clock.nowMs += 5 * day;
  await after.send(message, '{}');
  expect(disabled).toEqual([endpoint.id]);
});

test('an endpoint that another process reaches is not disabled by one that failed long ago', async () => {
  const {process, clock, disabled} = deployment();
  const [one, other] = [process(refused), process(taken)];
  clock.nowMs = 1;
  await one.send(message, '{}');
  await one.save();
  clock.nowMs = 6 * day;
  await other.load();
  await other.send(message, '{}');
  await other.save();
  clock.nowMs += 1;
  await one.send(message, '{}');
  expect(disabled).toEqual([]);
  expect(one.standing).toMatchObject({lastSuccessMs: 6 * day});
  clock.nowMs += 5 * day;
  await one.send(message, '{}');
  expect(disabled).toEqual([]);
  clock.nowMs += 5 * day;
  await one.send(message, '{}');
  expect(disabled).toEqual([endpoint.id]);
});
