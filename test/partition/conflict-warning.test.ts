import {expect, test} from 'vitest';
import {ConflictWarning} from '../../src/partition/conflict-warning.js';

test('conflicts are said at once, and then once a minute at most, with how many came since', () => {
  const said: unknown[] = [];
  const warning = new ConflictWarning(3, {warn: (values: unknown) => said.push(values)} as never);
  warning.note(0, 0);
  warning.note(2, 1_000);
  warning.note(5, 60_999);
  warning.note(5, 61_000);
  warning.note(5, 200_000);
  warning.note(6, 200_001);
  expect(said).toEqual([2, 3, 1].map((conflicts) => ({partition: 3, conflicts})));
});
