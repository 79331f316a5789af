import {expect, test} from 'vitest';
import {duration, progressLine, progressText} from '../../../src/cli/import/progress.js';

const view = {fraction: 0.25, accepted: 12_345, refused: 0, eventsPerSecond: 4_321.9, secondsLeft: 75, trouble: ''};

test('the bar shows how far it is, how fast, and how long it takes', () => {
  expect(progressLine(view, 120)).toBe('██████░░░░░░░░░░░░░░░░░░  25 % · 12,345 accepted · 4,322/s · 1 min 15 s left');
});

test('refusals and waits are shown when there are any', () => {
  expect(progressText({...view, refused: 3, secondsLeft: null, trouble: 'status 503'})).toBe(
    ' 25 % · 12,345 accepted · 3 refused · 4,322/s · waiting: status 503',
  );
});

test('the bar never wraps', () => {
  expect(progressLine(view, 40)).toHaveLength(39);
});

test.each([
  [0.04, '0.0 s'],
  [9.96, '10.0 s'],
  [12.4, '12 s'],
  [59.9, '1 min 0 s'],
  [119.9, '2 min 0 s'],
  [3_725, '1 h 2 min'],
])('%d s reads %s', (seconds, text) => {
  expect(duration(seconds)).toBe(text);
});
