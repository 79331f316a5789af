// Paths as columns, and what flows through a place of one.
import {expect, test} from 'vitest';
import {flowOf, pathColumns, pathCsv} from '../../dashboard/src/charts/path-columns.js';

/** Ten users: 5 go from a to b, 2 to c, one to what is not shown, 2 to nothing. */
const answer = {
  depth: 3,
  steps: [
    [{event: 'a', users: 10}],
    [
      {kind: 'end' as const, users: 2},
      {event: 'c', users: 2},
      {kind: 'other' as const, users: 1},
      {event: 'b', users: 5},
    ],
    [
      {event: 'a', users: 4},
      {kind: 'end' as const, users: 4},
    ],
  ],
  edges: [
    {step: 1, from: {event: 'a'}, to: {event: 'b'}, users: 5},
    {step: 1, from: {event: 'a'}, to: {event: 'c'}, users: 2},
    {step: 1, from: {event: 'a'}, to: {kind: 'end' as const}, users: 2},
    {step: 1, from: {kind: 'other' as const}, to: {kind: 'other' as const}, users: 1},
    {step: 2, from: {event: 'b'}, to: {event: 'a'}, users: 3},
    {step: 2, from: {event: 'b'}, to: {kind: 'end' as const}, users: 2},
    {step: 2, from: {event: 'c'}, to: {event: 'a'}, users: 1},
    {step: 2, from: {kind: 'other' as const}, to: {kind: 'other' as const}, users: 2},
  ],
};

test('events come by their users, then others, then the end', () => {
  expect(pathColumns(answer).map((places) => places.map(({key, users}) => `${key} ${users}`))).toEqual([
    ['event a 10'],
    ['event b 5', 'event c 2', 'kind other 1', 'kind end 2'],
    ['event a 4', 'kind end 4'],
  ]);
});

test('what flows through an event is its edges, and what is not shown of them is the rest', () => {
  expect(flowOf(answer, 1, 'event a')).toEqual({
    next: new Map([
      ['event b', 5],
      ['event c', 2],
      ['kind end', 2],
    ]),
    before: new Map(),
    nextElse: 1,
    beforeElse: 0,
  });
  expect(flowOf(answer, 2, 'event c')).toEqual({
    next: new Map([['event a', 1]]),
    before: new Map([['event a', 2]]),
    nextElse: 1,
    beforeElse: 0,
  });
  expect(flowOf(answer, 3, 'event a')).toMatchObject({nextElse: 0, beforeElse: 0});
});

test('the CSV has a row for each edge', () => {
  const rows = pathCsv(answer);
  expect(rows[1]).toEqual([1, 'a', null, 'b', null, 5]);
  expect(rows[4]).toEqual([1, null, 'other', null, 'other', 1]);
  expect(rows.length).toBe(1 + answer.edges.length);
});
