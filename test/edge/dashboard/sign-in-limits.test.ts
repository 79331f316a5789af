// Who waits after failures to sign in, on a clock driven by hand.
import {expect, test} from 'vitest';
import {SignInLimits} from '../../../src/edge/dashboard/sign-in-limits.js';
import type {Failure} from '../../../src/edge/failure.js';

const right = {strong: 'a'.repeat(22), short: 'a'.repeat(16)};
const wrong: Failure = {code: 'sign_in_failed', message: 'wrong'};

/** Signs in as `admin` with a right offer; the code of the refusal otherwise. */
class Callers {
  judgements = 0;
  private readonly limits = new SignInLimits();

  async offer(offer: string, address: string, nowMs = 0): Promise<string> {
    const judged = await this.limits.judge(offer, address, nowMs, async () => {
      this.judgements += 1;
      return offer === right.strong || offer === right.short ? 'admin' : wrong;
    });
    return typeof judged === 'string' ? judged : judged.code;
  }
}

const attackers = [
  ...Array.from({length: 12}, (_, at) => `192.0.2.${at}`),
  ...Array.from({length: 256}, (_, at) => `2001:db8:0:${at.toString(16)}::1`), // One /56.
];

test.each(['guess', 'x'.repeat(22)])(
  'after failures of twelve addresses and a /56 with %j the right token passes',
  async (guess) => {
    const callers = new Callers();
    const answers: string[] = [];
    for (const address of attackers) for (let n = 0; n < 6; n++) answers.push(await callers.offer(guess, address));
    expect(answers).toContain('rate_limited');
    expect(await callers.offer(right.strong, '203.0.113.1')).toBe('admin');
    expect(await callers.offer(right.strong, attackers[0]), 'behind the address of an attacker').toBe('admin');
  },
);

test('a wrong token of 128 bits is slowed down by its address, and never by others', async () => {
  const callers = new Callers();
  const answers: string[] = [];
  for (const address of attackers) answers.push(await callers.offer('x'.repeat(22), address));
  expect(new Set(answers)).toEqual(new Set(['sign_in_failed']));
  for (let n = 0; n < 5; n++) answers.push(await callers.offer('x'.repeat(22), attackers[0]));
  expect(answers.slice(-2)).toEqual(['sign_in_failed', 'rate_limited']);
  expect(await callers.offer('x'.repeat(22), attackers[0], 12_000), 'once a failure is forgotten').toBe(
    'sign_in_failed',
  );
});

test('guesses of a short token are not judged past the limits; right ones are never charged', async () => {
  const callers = new Callers();
  for (let n = 0; n < 100; n++) expect(await callers.offer(right.short, '203.0.113.1')).toBe('admin');
  callers.judgements = 0;
  for (const address of attackers) for (let n = 0; n < 6; n++) await callers.offer('guess', address);
  expect(callers.judgements).toBe(60);
  expect(await callers.offer(right.short, '203.0.113.1')).toBe('rate_limited');
  expect(await callers.offer(right.short, '203.0.113.1', 60_000)).toBe('admin');
});
