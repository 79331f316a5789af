// A click on a chart means one point of it.
import {expect, test} from 'vitest';
import {pointAt} from '../../dashboard/src/charts/point-at.js';

const day = 86_400;
const times = [0, day, 2 * day, 3 * day, 4 * day];
/** The scale goes from 0 to 100. */
const series = [{values: [100, 80, 60, null, 20]}, {values: [0, 10, 20, 30, 40]}];

test.each([
  ['the nearest bucket, before it', 0.2, 0.8, {at: 1, line: 0}],
  ['the nearest bucket, after it', 0.13, 0.79, {at: 1, line: 0}],
  ['the first one at the left edge', 0, 0.9, {at: 0, line: 0}],
  ['the last one at the right edge', 1, 0, {at: 4, line: 0}],
  ['the lower line near it', 0.5, 0.25, {at: 2, line: 1}],
  ['the upper line near it', 0.5, 0.45, {at: 2, line: 0}],
  ['the line that has a value there', 0.75, 1, {at: 3, line: 1}],
])('%s', (_, across, up, point) => {
  expect(pointAt({times, series}, {across, up})).toEqual(point);
});

test('earlier values stretch the scale, as they do that of the chart', () => {
  const lines = [{values: [10, 10], before: [100, 100]}, {values: [40, 40]}];
  expect(pointAt({times: times.slice(0, 2), series: lines}, {across: 0, up: 0.3})).toEqual({at: 0, line: 1});
});

test('a bucket without a value, and a chart without buckets, have no point', () => {
  expect(pointAt({times: [0], series: [{values: [null]}]}, {across: 0.5, up: 0.5})).toBeUndefined();
  expect(pointAt({times: [], series: [{values: []}]}, {across: 0.5, up: 0.5})).toBeUndefined();
});
