// Waiting for a condition, never for a time; and times that a busy machine cannot spoil.

import {setInterval as every} from 'node:timers/promises';

// Generous: on a machine of two cores that is busy with other work, what takes a second alone may take ten.
export const patienceMsMax = 60_000;

/** Asks every few ms until the answer is not undefined or false; fails with `what` when that takes too long. */
export async function until<T>(
  what: string,
  ask: () => T | undefined | false | Promise<T | undefined | false>,
  msMax = patienceMsMax,
): Promise<T> {
  const deadlineMs = Date.now() + msMax;
  for await (const _ of every(10)) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer;
    if (Date.now() > deadlineMs) break;
  }
  throw new Error(`waited ${msMax} ms in vain until ${what}`);
}

/** What keeps a machine busy makes some tries late; what takes longer by itself is late each time. */
const triesMax = 10;

/** The shortest of the times that up to ten tries take, in ms; it ends with the first one below `msMax`. */
export async function shortestMs(msMax: number, measure: () => Promise<number>): Promise<number> {
  let shortest = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < triesMax && shortest >= msMax; tries++) shortest = Math.min(shortest, await measure());
  return shortest;
}
