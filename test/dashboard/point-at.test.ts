// A click on a chart means one point of it.
import {describe, expect, test} from 'vitest';
import {placeIn, pointAt} from '../../dashboard/src/charts/point-at.js';

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

describe('a click in px', () => {
  const plot = {left: 100, right: 300, top: 50, bottom: 150};

  test.each([
    ['in the plot', 150, 75, {across: 0.25, up: 0.75}],
    ['on the pixel that ends it, where the last point lies', 300, 150, {across: 1, up: 0}],
    ['on the half of the first point that is beside it', 96.5, 75, {across: 0, up: 0.75}],
    ['on the half of the last point that is beside it', 304, 75, {across: 1, up: 0.75}],
    ['on the half of a zero that is below it', 150, 154, {across: 0.25, up: 0}],
    ['on the half of the largest number that is above it', 150, 46, {across: 0.25, up: 1}],
  ])('%s', (_, x, y, place) => {
    expect(placeIn(plot, x, y)).toEqual(place);
  });

  test.each([
    ['on the numbers of the axis', 80, 75],
    ['on the names at the ends of the lines', 310, 75],
    ['on the days below', 150, 160],
  ])('%s is none', (_, x, y) => {
    expect(placeIn(plot, x, y)).toBeUndefined();
  });
});

test('of lines that lie on each other, and of those that are farther away, the only one that can be meant', () => {
  const lines = {times, series: [{values: [5, 5]}, {values: [5, 5]}, {values: [100, 100]}]};
  expect(pointAt(lines, {across: 0, up: 0.05})).toEqual({at: 0, line: 0});
  expect(pointAt(lines, {across: 0, up: 0.05}, 1)).toEqual({at: 0, line: 1});
  expect(pointAt(lines, {across: 0, up: 0.05}, 2)).toEqual({at: 0, line: 2});
  expect(pointAt({times, series: [{values: [5]}, {values: [null]}]}, {across: 0, up: 0}, 1)).toBeUndefined();
});
