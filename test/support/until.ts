// Waiting for a condition, never for a time.

import {setInterval as every} from 'node:timers/promises';

/** Asks every few ms until the answer is not undefined or false; fails with `what` when that takes too long. */
export async function until<T>(
  what: string,
  ask: () => T | undefined | false | Promise<T | undefined | false>,
  msMax = 30_000,
): Promise<T> {
  const deadlineMs = Date.now() + msMax;
  for await (const _ of every(10)) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer;
    if (Date.now() > deadlineMs) break;
  }
  throw new Error(`waited ${msMax} ms in vain until ${what}`);
}
