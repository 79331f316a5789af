// Readings in a row, and what of them is told.
import {describe, expect, test} from 'vitest';
import {type AlertState, type NotifyRule, step} from '../../src/alerts/alert-state.js';
import type {Reading} from '../../src/alerts/rule-questions.js';

const minuteMs = 60_000;

/** One reading a minute: `!` holds, `.` does not, `?` is not judged. */
function told(readings: string, pace: NotifyRule): string {
  let state: AlertState | undefined;
  return [...readings]
    .map((mark, minute) => {
      const next = step(state, reading(mark, minute), `0:0.${minute}`, pace);
      state = next.state;
      const {change} = next;
      return change === undefined ? '-' : change.state === 'ok' ? 'o' : change.isAgain ? 'r' : 'F';
    })
    .join('');
}

const reading = (mark: string, minute: number): Reading => ({
  fromMs: (minute - 5) * minuteMs,
  toMs: minute * minuteMs,
  value: minute,
  bound: 1,
  holds: mark === '?' ? undefined : mark === '!',
});

describe('what is told', () => {
  test.each([
    ['a change of state, once', {for: 1}, '..!!!..!', '--F--o-F'],
    ['a new alert that fires at once', {for: 1}, '!!', 'F-'],
    ['nothing of a value that does not hold for long enough', {for: 3}, '!!.!!!!.', '-----F-o'],
    ['that it is over with the first reading that does not hold', {for: 3}, '!!!.!!!', '--Fo--F'],
    ['nothing of what is not judged, which ends nothing either', {for: 1}, '!??!?.', 'F----o'],
    ['nor does it end a row', {for: 2}, '!?!', '--F'],
    ['again after so many minutes', {for: 1, repeatMinutes: 3}, '!!!!!!!!.!', 'F--r--r-oF'],
  ] satisfies [string, NotifyRule, string, string][])('%s', (_, pace, readings, expected) => {
    expect(told(readings, pace)).toBe(expected);
  });

  test('the same readings give the same changes, wherever an evaluation stops and another goes on with the state', () => {
    const pace = {for: 2, repeatMinutes: 4};
    let state: AlertState | undefined;
    const changes: unknown[] = [];
    for (const [minute, mark] of [...'.!!!!!!!!.'].entries()) {
      const stored = state && (JSON.parse(JSON.stringify(state)) as AlertState);
      const next = step(stored, reading(mark, minute), `0:0.${minute}`, pace);
      state = next.state;
      if (next.change !== undefined) changes.push([next.change.state, next.change.isAgain, next.change.positions]);
    }
    expect(changes).toEqual([
      ['firing', false, '0:0.2'],
      ['firing', true, '0:0.6'],
      ['ok', false, '0:0.9'],
    ]);
  });

  test.each([
    ['sets of one partition, each of which a process that starts judges again', [0, 0, 4, 4, 4, 8, 8], '8'],
    ['sets that are newer with each of four partitions', [0, 1, 2, 3, 4, 5, 6, 7, 8, 9], '8'],
    ['sets of a partition that publishes a little sooner or later', [0, 3.8, 8.1], '8.1'],
    ['a set that is older than the one before', [0, 4, 0, 4], undefined],
  ])('a row of readings has one for each refresh: %s', (_, minutes, expected) => {
    const pace = {for: 3, refreshMs: 5 * minuteMs}; // Each partition publishes after 4 minutes.
    let state: AlertState | undefined;
    const changes: string[] = [];
    for (const minute of minutes) {
      const stored = state && (JSON.parse(JSON.stringify(state)) as AlertState);
      const next = step(stored, reading('!', minute), `0:0.${minute}`, pace);
      state = next.state;
      if (next.change !== undefined) changes.push(next.change.positions);
    }
    expect(changes).toEqual(expected === undefined ? [] : [`0:0.${expected}`]);
  });

  test('a row ends with the first reading that does not hold, whichever partition made it', () => {
    const pace = {for: 2, refreshMs: 5 * minuteMs};
    let state: AlertState | undefined;
    const fires: number[] = [];
    for (const [minute, mark] of [...'!!.!!!!!'].entries()) {
      const next = step(state, reading(mark, minute), `0:0.${minute}`, pace);
      state = next.state;
      if (next.change !== undefined) fires.push(minute);
    }
    expect(fires).toEqual([7]);
  });

  test('readings of a lag have no positions, and count each', () => {
    const lagging = step(undefined, reading('!', 0), '', {for: 2}).state;
    expect(step(lagging, reading('!', 1), '', {for: 2}).change?.state).toBe('firing');
  });

  test('a state says since when, with which value and over which snapshots it is', () => {
    const fired = step(undefined, reading('!', 7), '0:0.7,1:0.9', {for: 1}).state;
    expect(fired).toEqual({
      state: 'firing',
      sinceMs: 7 * minuteMs,
      value: 7,
      positions: '0:0.7,1:0.9',
      toldMs: 7 * minuteMs,
      held: 0,
    });
    expect(step(fired, reading('!', 8), '0:0.8,1:0.9', {for: 1}).state).toEqual(fired);
  });
});
