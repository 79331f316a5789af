// The receipt of a deletion in words.
import {expect, test} from 'vitest';
import {receiptWords} from '../../dashboard/src/pages/people/receipt-words.js';

const of = (partition: number, parts: number): string[] => [
  `state: the live state, and both kept snapshots (from ${partition}:1.44 on), were written without the user`,
  `parts: ${parts} values of older snapshots were overwritten, and a read of each found nothing`,
  `log: it begins at ${partition}:1.44, after the erase entry; the storage blocks before were removed`,
];
const whole = 'reach: every file under DATA_DIR, except definitions that people wrote (named_by)';

test('checks of several partitions are one sentence each, with one sum', () => {
  const {free, deleted, checks} = receiptWords({verified: [...of(2, 28), whole, ...of(0, 26)], events_deleted: 5});
  expect([free, deleted]).toEqual([
    'Every file on disk',
    '5 events, the profile with all traits, and all ids of this person.',
  ]);
  expect(checks).toEqual([
    'Reports, profiles and lists were written again without this person.',
    '54 older values on disk had parts of this person. They were overwritten, and read again: nothing was found.',
    'The log in which events arrive was cut: the files with what was deleted are removed.',
    'These checks are of every file in the data directory of the service.',
  ]);
});

test('a check that the page does not know, and a lesser reach, are shown as they are', () => {
  const lesser = 'reach: the live records; replicas, backups and volumes of an external NATS are not checked';
  const {free, checks} = receiptWords({verified: [...of(1, 1), lesser, 'moon: no trace'], events_deleted: 1});
  expect(free).toBe('Every report and every answer');
  expect(checks.slice(3)).toEqual([lesser, 'moon: no trace']);
});

test('the receipt of a name of events speaks of no person', () => {
  const verified = of(1, 3).map((check) => check.replace('the user', 'events of the name'));
  const {deleted, checks} = receiptWords({verified: [...verified, whole], events_deleted: 1});
  expect([deleted, ...checks].join(' ')).not.toMatch(/person/);
});
