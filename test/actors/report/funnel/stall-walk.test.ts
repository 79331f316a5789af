import {expect, test} from 'vitest';
import {type StallRules, walkStalls} from '../../../../actors/report/funnel/stall-walk.js';

const never = Number.POSITIVE_INFINITY;

/** `[entered, reached]` of each. */
function stallsOf(rules: StallRules, times: readonly number[], selectors: readonly number[]): [number, number][] {
  const found: [number, number][] = [];
  const add = (enteredMs: number, reachedMs: number): void => void found.push([enteredMs, reachedMs]);
  walkStalls(rules, Float64Array.from(times), (place, selector) => selectors[place] === selector, 0, times.length, add);
  return found;
}

const steps = 'ABCX';

/** `A1 B2`: event and time. */
function told(story: string, rules: Partial<StallRules>): string {
  const events = story.split(' ').map((text) => ({step: steps.indexOf(text[0]!), at: Number(text.slice(1))}));
  const whole = {steps: [0, 1], withinMs: 5, windowMs: never, ...rules};
  const found = stallsOf(
    whole,
    events.map(({at}) => at),
    events.map(({step}) => step),
  );
  return found.map(([entered, reached]) => `${entered}:${reached}`).join(' ');
}

test.each<[string, Partial<StallRules>, string]>([
  ['A1', {}, '1:1'],
  ['B1', {}, ''],
  ['A1 B6', {}, ''],
  ['A1 B7', {}, '1:1'],
  ['B1 A2', {}, '2:2'],
  ['A1 A5 B8', {}, '1:1'],
  ['A1 B2 A9', {}, ''],
  ['A1 A20', {}, '1:1'],
  ['A1 A20', {windowMs: 10}, '1:1 20:20'],
  ['A1 A11 A12', {windowMs: 10}, '1:1 12:12'],
  ['A1 B3 A20 X21', {windowMs: 10}, '20:20'],
  ['A1 B12', {windowMs: 10, withinMs: 20}, '1:1'],
  ['A1 B3', {steps: [0, 1, 2]}, '1:3'],
  ['A1', {steps: [0, 1, 2]}, ''],
  ['A1 B3 C8', {steps: [0, 1, 2]}, ''],
  ['A1 B3 C9', {steps: [0, 1, 2]}, '1:3'],
  ['A1 B3 B7 C9', {steps: [0, 1, 2]}, '1:3'],
  ['A1 A2', {steps: [0, 0]}, ''],
  ['A1 A7', {steps: [0, 0]}, '1:1'],
])('%s with %o stalls at %s', (story, rules, expected) => expect(told(story, rules)).toBe(expected));
