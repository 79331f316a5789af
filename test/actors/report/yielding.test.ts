import {describe, expect, test} from 'vitest';
import {AskTimes, type HeldValue, stayMs, yielding} from '../../../actors/report/yielding.js';

interface Named extends HeldValue {
  readonly name: string;
}

const held = (name: string, bytes: number, askedMs: number, builtMs = 0): Named => ({name, bytes, askedMs, builtMs});

/** A newcomer that was asked for at these times. */
function askedAt(...times: readonly number[]): AskTimes {
  const asks = new AskTimes();
  for (const ms of times) asks.note(ms);
  return asks;
}

const nowMs = stayMs + 1_000;
const namesOf = (values: readonly Named[], bytes: number, asks: AskTimes, atMs = nowMs): string[] | undefined =>
  yielding(values, bytes, asks, atMs)?.map(({name}) => name);

describe('values that yield', () => {
  const values = [held('new', 10, 500), held('old', 30, 100), held('older', 20, 50)];

  test('were not asked for since the newcomer was asked for twice', () => {
    expect(namesOf(values, 10, askedAt(600, 700))).toEqual(['older']);
    expect(namesOf(values, 10, askedAt(99, 700))).toEqual(['older']);
    expect(namesOf(values, 10, askedAt(50, 700))).toBeUndefined();
    expect(namesOf(values, 10, askedAt(700))).toBeUndefined();
    expect(namesOf(values, 10, askedAt())).toBeUndefined();
  });

  test('are those asked for least recently, as few as suffice, and none if all of them do not', () => {
    expect(namesOf(values, 0, askedAt(600, 700))).toEqual([]);
    expect(namesOf(values, 20, askedAt(600, 700))).toEqual(['older']);
    expect(namesOf(values, 21, askedAt(600, 700))).toEqual(['older', 'old']);
    expect(namesOf(values, 60, askedAt(600, 700))).toEqual(['older', 'old', 'new']);
    expect(namesOf(values, 61, askedAt(600, 700))).toBeUndefined();
    expect(namesOf(values, 51, askedAt(400, 700))).toBeUndefined();
    expect(namesOf([], 1, askedAt(600, 700))).toBeUndefined();
  });

  test('stay for a while after they were built', () => {
    const young = [held('young', 10, 100, 200), held('old', 10, 150)];
    expect(namesOf(young, 10, askedAt(600, 700), 199 + stayMs)).toEqual(['old']);
    expect(namesOf(young, 20, askedAt(600, 700), 199 + stayMs)).toBeUndefined();
    expect(namesOf(young, 20, askedAt(600, 700), 200 + stayMs)).toEqual(['young', 'old']);
  });

  /** Builds of two values, of which one fits, over questions for them in this order. */
  function buildsOf(questions: string, betweenMs: number): number {
    const asks = new Map([...new Set(questions)].map((name) => [name, new AskTimes()] as const));
    let builds = 0;
    let kept: Named | undefined;
    let atMs = 0;
    for (const name of questions) {
      atMs += betweenMs;
      asks.get(name)!.note(atMs);
      if (kept?.name === name) kept = held(name, 10, atMs, kept.builtMs);
      else if (kept === undefined || yielding([kept], 10, asks.get(name)!, atMs) !== undefined) {
        kept = held(name, 10, atMs, atMs);
        builds += 1;
      }
    }
    return builds;
  }

  test('do not thrash: two that are asked for in turn never replace each other, those that pause do', () => {
    expect(buildsOf('AB'.repeat(100), stayMs)).toBe(1);
    expect(buildsOf('ABC'.repeat(100), stayMs)).toBe(1);
    expect(buildsOf('AABB'.repeat(100), 10)).toBe(1);
    expect(buildsOf('AABB'.repeat(100), stayMs)).toBe(200);
    expect(buildsOf(`AA${'B'.repeat(50)}`, stayMs / 10)).toBe(2);
  });
});
