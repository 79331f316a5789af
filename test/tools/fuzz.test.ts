// The fuzzer in its short form. The long form: `npm run fuzz:http -- --n 100000` (docs/guarantees.md).
import {execFile} from 'node:child_process';
import {fileURLToPath} from 'node:url';
import {promisify} from 'node:util';
import {describe, expect, test} from 'vitest';
import type {Outcome} from '../../tools/fuzz/connection.js';
import {requestOf} from '../../tools/fuzz/generator.js';
import {keyOf, Ledger} from '../../tools/fuzz/ledger.js';
import {fittedGrowth} from '../../tools/fuzz/memory.js';
import {bytesOf, type HostileRequest} from '../../tools/fuzz/request.js';
import {wrongWith} from '../../tools/fuzz/verdict.js';

const program = fileURLToPath(new URL('../../dist/tools/fuzz/main.js', import.meta.url));
const canRun = process.platform === 'linux' && process.env.TEST_NATS_URL === undefined;

// Idle, it takes a few seconds.
const timeout = 300_000;

test.skipIf(!canRun)(
  '800 mutated requests: all answered as documented, and what was taken is stored',
  {timeout},
  async () => {
    const words = ['--n', '800', '--seed', '7', '--warm-up', '500'];
    const run = promisify(execFile)(process.execPath, [program, ...words], {timeout: timeout - 10_000});
    // Stalls are judged by the long form: this machine is busy with other tests.
    const {stdout} = await run.catch((error: {stdout: string; stderr: string}) => error);
    expect(stdout).toContain('ok     every request is answered as documented');
    expect(stdout).toContain('ok     what is stored, and counted by reports, is what was taken');
    expect(stdout).toContain('ok     the process lives, and ends by SIGTERM with code 0');
  },
);

test('a seed and an index make the same bytes', () => {
  for (let index = 0; index < 200; index++) {
    expect(bytesOf(requestOf(3, index)).equals(bytesOf(requestOf(3, index)))).toBe(true);
  }
});

const request: HostileRequest = {
  method: 'POST',
  path: '/v1/events',
  query: '',
  headers: [],
  body: Buffer.from('{"event":"view","userId":"ada"}'),
  leavesAfter: undefined,
  mangleHead: undefined,
  marks: [],
};

const answer = (status: number, body: string, headers: readonly (readonly [string, string])[] = []): Outcome => ({
  kind: 'answer',
  status,
  headers: new Map([['content-type', 'application/json; charset=utf-8'], ...headers]),
  body: Buffer.from(body),
});
const error = (code: string): string => JSON.stringify({error: {code, message: 'why'}});

describe('the verdict', () => {
  test.each<[string, Outcome, boolean]>([
    ['a success', answer(200, '{}'), true],
    ['a success that is no JSON', answer(200, '{'), false],
    ['a refusal', answer(400, error('invalid_event')), true],
    ['a refusal with a code of another status', answer(400, error('invalid_key')), false],
    ['a refusal without an error', answer(400, '{}'), false],
    ['401 with a challenge', answer(401, error('invalid_key'), [['www-authenticate', 'Bearer realm="m"']]), true],
    ['401 without one', answer(401, error('invalid_key')), false],
    ['405 with Allow', answer(405, error('method_not_allowed'), [['allow', 'GET']]), true],
    ['405 without Allow', answer(405, error('method_not_allowed')), false],
    ['503 without Retry-After', answer(503, error('unavailable')), false],
    ['a fault of the service', answer(500, error('internal_error')), false],
    [
      'a refusal of the parser',
      {kind: 'answer', status: 431, headers: new Map([['connection', 'close']]), body: Buffer.alloc(0)},
      true,
    ],
    ['no answer', {kind: 'silent'}, false],
    ['a close', {kind: 'closed'}, false],
    ['our own leaving', {kind: 'left'}, true],
  ])('%s', (_, outcome, isRight) => {
    expect(wrongWith(request, outcome) === undefined).toBe(isRight);
  });
});

describe('the ledger', () => {
  const boundsAfter = (...outcomes: readonly Outcome[]): unknown => {
    const ledger = new Ledger();
    for (const outcome of outcomes) ledger.note(request, outcome);
    return ledger.events.get(keyOf({event: 'view', userId: 'ada'})!);
  };
  const taken = answer(200, '{"status":"ok","received":1}');

  test('an answered event is there as often as it was taken, an unanswered one may be', () => {
    expect(boundsAfter(taken)).toEqual({min: 1, max: 1});
    expect(boundsAfter(taken, taken)).toEqual({min: 2, max: 2});
    expect(boundsAfter(taken, {kind: 'left'})).toEqual({min: 1, max: 2});
    expect(boundsAfter(answer(503, error('unavailable')))).toEqual({min: 0, max: 1});
    expect(boundsAfter(answer(400, error('invalid_event')))).toBeUndefined();
  });

  test('what belongs to a deleted user is left out, and nothing else is', () => {
    const ledger = new Ledger();
    ledger.note({...request, method: 'DELETE', path: '/v1/users/u1', body: undefined}, answer(200, '{}'));
    expect(ledger.isLeftOut({userId: 'u1', anonymousId: null})).toBe(true);
    expect(ledger.isLeftOut({userId: null, anonymousId: 'u1'})).toBe(true);
    expect(ledger.isLeftOut({userId: 'u2', anonymousId: 'u1'})).toBe(false);
  });

  test('what came with an anonymousId alone is expected of its one user, and of nobody where that is not sure', () => {
    const ledger = new Ledger();
    const told = (event: object, outcome: Outcome = taken): void =>
      ledger.note({...request, body: Buffer.from(JSON.stringify({event: 'view', ...event}))}, outcome);
    const expected = (): string[] =>
      [...ledger.expected()].filter(([key]) => !ledger.isLeftOut(userOf(key))).map(([key]) => key);
    const userOf = (key: string): object => {
      const [kind, id] = JSON.parse(key) as [string, string];
      return kind === 'u' ? {userId: id} : {anonymousId: id};
    };
    told({anonymousId: 'a', messageId: 'm1'});
    expect(expected()).toEqual(['["a","a","m1"]']);
    told({userId: 'ada', anonymousId: 'a', messageId: 'm2'}, {kind: 'left'});
    expect(expected()).toEqual(['["u","ada","m2"]']);
    told({userId: 'ada', anonymousId: 'a', messageId: 'm1'});
    expect(expected()).toEqual(['["u","ada","m1"]', '["u","ada","m2"]']);
    told({userId: 'bob', anonymousId: 'a', messageId: 'm3'});
    expect(expected()).toEqual(['["u","ada","m2"]', '["u","ada","m1"]', '["u","bob","m3"]']);
    expect(ledger.isLeftOut({userId: 'ada', anonymousId: 'a', messageId: 'm9', joined: true, event: 'view'})).toBe(
      true,
    );
    expect(ledger.isLeftOut({userId: 'ada', anonymousId: 'a', messageId: 'm1', joined: true, event: 'view'})).toBe(
      false,
    );
  });

  test('with a message id it is there once', () => {
    const ledger = new Ledger();
    const copy = {...request, body: Buffer.from('{"event":"view","userId":"ada","messageId":"m"}')};
    for (const outcome of [taken, taken, {kind: 'left'} as const]) ledger.note(copy, outcome);
    expect([...ledger.events.values()]).toEqual([{min: 1, max: 1}]);
  });
});

test('growth is the rise of a line, whatever comes and goes', () => {
  expect(fittedGrowth([100, 110, 120, 130])).toBeCloseTo(30);
  expect(fittedGrowth([100, 130, 100, 130, 100])).toBeCloseTo(0);
  expect(fittedGrowth([])).toBe(0);
});
