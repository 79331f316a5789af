// Waiting for a condition, never for a time; and times that a busy machine cannot spoil.

import {setTimeout as pause} from 'node:timers/promises';

// Generous: on a machine of two cores that is busy with other work, what takes a second alone may take ten.
export const patienceMsMax = 60_000;
/** Pauses grow: what takes a second is asked for some fifteen times, and not a hundred. */
const pauseMsMin = 10;
const pauseMsMax = 100;
const pauseGrowth = 1.25;

/**
 * Asks again and again until the answer is not undefined or false; fails with `what` when that takes too long. It pauses before it asks
 * for the first time, too: who waits in a loop lets others have their turns.
 */
export async function until<T>(
  what: string,
  ask: () => T | undefined | false | Promise<T | undefined | false>,
  msMax = patienceMsMax,
): Promise<T> {
  const deadlineMs = Date.now() + msMax;
  for (let pauseMs = pauseMsMin; ; pauseMs = Math.min(pauseGrowth * pauseMs, pauseMsMax)) {
    await pause(pauseMs);
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer;
    if (Date.now() > deadlineMs) throw new Error(`waited ${msMax} ms in vain until ${what}`);
  }
}

/** What keeps a machine busy makes some tries late; what takes longer by itself is late each time. */
const triesMax = 10;

/** The shortest of the times that up to ten tries take, in ms; it ends with the first one below `msMax`. */
export async function shortestMs(msMax: number, measure: () => Promise<number>): Promise<number> {
  let shortest = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < triesMax && shortest >= msMax; tries++) shortest = Math.min(shortest, await measure());
  return shortest;
}
