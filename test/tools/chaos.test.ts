// The chaos tool in its short form: a small round of the nemeses that find most; and its checkers, which must see what they
// look for. The long form, and all others: `npm run chaos -- NEMESIS --rounds N --seed S` (docs/guarantees.md).

import {execFile} from 'node:child_process';
import {fileURLToPath} from 'node:url';
import {promisify} from 'node:util';
import {describe, expect, test} from 'vitest';
import type {EventThing} from '../../tools/chaos/journal.js';
import type {EventRow} from '../../tools/chaos/readback.js';
import {brokenEvents, type EventFate} from '../../tools/chaos/stored-events.js';
import {playsAll} from '../support/runs.js';

const program = fileURLToPath(new URL('../../dist/tools/chaos/main.js', import.meta.url));
const canRun = process.platform === 'linux' && process.env.TEST_NATS_URL === undefined;

test.skipIf(!canRun).each<[string, number, number]>([
  ['restart', 1, 7],
  ...(playsAll ? [['kill-nats', 1, 7] as [string, number, number]] : []), // Other tests kill nats-server under a service, too.
  ['wake', 1, 38], // Stops for 2 s.
  ['erase', 1, 7],
])('chaos: %s, %i rounds: nothing lost, nothing double, nothing invented', async (nemesis, rounds, seed) => {
  // How soon it takes events again is judged by the long form: this machine is busy with other tests.
  const words = [nemesis, '--rounds', `${rounds}`, '--seed', `${seed}`, '--patience', '6', '--things', '200'];
  const run = promisify(execFile)(process.execPath, [program, ...words], {timeout: 280_000});
  const {stdout, stderr} = await run.catch((error: {stdout: string; stderr: string}) => error);
  expect(stderr).toBe('');
  expect(stdout).toContain(`${rounds} rounds, 0 lost, 0 double, 0 invented`);
  expect(
    JSON.parse(
      stdout
        .trimEnd()
        .split('\n')
        .find((line) => line.startsWith('{'))!,
    ),
  ).toMatchObject({broken: {}});
});

const body = {event: 'view', userId: 'ada', timestamp: '2001-01-03T00:00:00.000Z', properties: {n: 1}, messageId: 'm'};
const thing: EventThing = {n: 1, kind: 'event', round: 1, isValid: true, body};
const acked: EventFate = {thing, sends: 2, acked: 1, refused: 0, unknown: 1, ackedAt: 5, deletionId: undefined};
const row: EventRow = {...body, id: '0-1', anonymousId: null, received_at: '2026-01-01T00:00:00.000Z'};
const later: EventRow = {...row, id: '0-2', timestamp: '2001-01-04T00:00:00.000Z'};

test('an event that is known to be lost for good may be missing, and may not be there twice', () => {
  const found = (rows: readonly EventRow[]): string[] =>
    [
      ...brokenEvents(
        [acked],
        rows,
        () => false,
        () => true,
      ),
    ].map(({invariant}) => invariant);
  expect(found([])).toEqual([]);
  expect(found([row])).toEqual([]);
  expect(found([{...row, id: '0-2'}, row])).toEqual(['double']);
});

describe('the checker of stored events', () => {
  const found = (fate: EventFate, rows: readonly EventRow[], isErased = false): string[] =>
    [...brokenEvents([fate], rows, () => isErased)].map(({invariant}) => invariant);

  test.each<[string, EventFate, readonly EventRow[], boolean, readonly string[]]>([
    ['an acknowledged event that is there', acked, [row], false, []],
    ['an acknowledged event that is missing', acked, [], false, ['lost']],
    ['an event without an answer may be missing', {...acked, acked: 0}, [], false, []],
    ['or be there', {...acked, acked: 0}, [row], false, []],
    ['but not twice', {...acked, acked: 0}, [{...row, id: '0-2'}, row], false, ['double']],
    ['an event that nobody sent', acked, [{...row, id: '0-2', properties: {n: 2}}, row], false, ['invented']],
    ['another property', acked, [{...row, properties: {n: 1, more: true}}], false, ['altered']],
    ['another user', acked, [{...row, userId: 'bob'}], false, ['altered']],
    ['another time', acked, [later], false, ['altered']],
    ['an id that two events have', acked, [row, row], false, ['double', 'double', 'history']],
    [
      'a refused event that is there',
      {...acked, acked: 0, thing: {...thing, isValid: false}},
      [row],
      false,
      ['refusal'],
    ],
    ['an invalid event that was acknowledged', {...acked, thing: {...thing, isValid: false}}, [], false, ['refusal']],
    ['an event of an erased user', acked, [row], true, ['erased']],
    ['an erased user whose events are gone', acked, [], true, []],
  ])('%s', (_case, fate, rows, isErased, invariants) => {
    expect(found(fate, rows, isErased)).toEqual(invariants);
  });

  test('what came with the anonymousId alone is of the user that was named beside it', () => {
    const alone: EventRow = {...row, id: '1-7', userId: null, anonymousId: 'd', properties: {n: 2}, messageId: 'm2'};
    const joined: EventRow = {...alone, userId: 'ada', joined: true};
    const {id: _, received_at: _receivedAt, ...sent} = alone;
    const ofDevice: EventFate = {...acked, thing: {...thing, n: 2, body: sent as EventThing['body']}};
    const ofBoth: EventFate = {...acked, thing: {...thing, body: {...body, anonymousId: 'd'}}};
    const foundWith = (link: EventFate, ...rows: readonly EventRow[]): string[] =>
      [...brokenEvents([link, ofDevice], rows, () => false)].map(({invariant}) => invariant);
    const both = {...row, anonymousId: 'd'};
    expect(foundWith(ofBoth, joined, both)).toEqual([]);
    expect(foundWith(ofBoth, alone, both)).toEqual(['altered']);
    const unanswered = {...ofBoth, acked: 0};
    expect([foundWith(unanswered, joined), foundWith(unanswered, alone)]).toEqual([[], []]);
    expect(foundWith(acked, joined, row)).toEqual(['altered']);
  });
});
