import {expect, test} from 'vitest';
import {DryRun} from '../../../src/cli/import/dry-run.js';
import {formatOf} from '../../../src/cli/import/vendor-formats.js';

const nowMs = Date.UTC(2026, 0, 1);
const common = {userId: 'ada', timestamp: '2024-03-01T10:00:00Z'};

function textOf(run: DryRun, lines: readonly object[]): string {
  for (const [at, line] of lines.entries()) run.take({number: at + 1, bytes: Buffer.from(JSON.stringify(line))});
  return run.text('export.gz');
}

test('a dry run says what would be sent, by call and by name, and what would not', () => {
  const run = new DryRun(formatOf('segment'), nowMs);
  const text = textOf(run, [
    {...common, type: 'track', event: 'Signed Up', messageId: 'a', anonymousId: 'd', projectId: 'p'},
    {...common, type: 'track', event: 'Signed Up', messageId: 'b', timestamp: '2024-03-02T10:00:00Z', projectId: 'p'},
    {...common, type: 'page', name: 'Prices\u001b[2J', messageId: 'c'},
    {...common, type: 'identify', traits: {plan: 'pro'}},
    {...common, type: 'group', userId: null, groupId: 'acme'},
    {...common, type: 'track', event: 'Signed Up', timestamp: 'soon'},
    {...common, type: 'track', event: 'Signed Up', timestamp: '2027-03-01T10:00:00Z'},
    {...common, type: 'track'},
  ]);
  expect(run.refusedCount).toBe(3);
  expect(text.split('\n')).toEqual([
    'export.gz: nothing was sent (--dry-run).',
    '  would be sent  4 lines: 3 events, 1 identify calls; 1 entries have both ids, which join',
    '  left out       1',
    '  refused        3',
    '    line 6: invalid_event (timestamp): the line has no time that can be read',
    '    line 7: invalid_event (timestamp): timestamp is more than 24 hours in the future',
    expect.stringMatching(/^ {4}line 8: invalid_event \(event\): event is required/),
    '  from 2024-03-01T10:00:00.000Z to 2024-03-02T10:00:00.000Z',
    '  calls:',
    '            4  track',
    '            1  group',
    '            1  identify',
    '            1  page',
    '  events:',
    '            2  Signed Up',
    '            1  page',
    '  fields without a place here, by lines:',
    '            2  projectId',
    '            1  groupId',
    '',
  ]);
});

test('a dry run of our own form counts the same way', () => {
  const profile = {id: 'ada', kind: 'user', created_at: common.timestamp, traits: {plan: 'pro'}};
  const text = textOf(new DryRun(undefined, nowMs), [{...common, event: 'visit'}, {profile}, {end: true}]);
  expect(text).toMatch(/2 lines: 1 events, 1 identify calls; 0 entries/);
  expect(text).toMatch(/calls:\n {12}1 {2}event\n {12}1 {2}identify\n {2}events:\n {12}1 {2}visit\n/);
});
