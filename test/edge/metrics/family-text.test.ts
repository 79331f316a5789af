import {expect, test} from 'vitest';
import {familyText} from '../../../src/edge/metrics/family-text.js';

test('a family is its help, its type and its samples', () => {
  const text = familyText({name: 'a_total', type: 'counter', help: 'all of it'}, [
    {labels: {}, value: 3},
    {labels: {route: '/v1', status: 200}, value: 1e21},
    {labels: {le: '+Inf'}, value: Number.POSITIVE_INFINITY, metricName: 'a_bucket'},
  ]);
  expect(text).toBe(
    '# HELP a_total all of it\n# TYPE a_total counter\na_total 3\na_total{route="/v1",status="200"} 1e+21\na_bucket{le="+Inf"} +Inf',
  );
});

test('a family without samples is still named', () => {
  expect(familyText({name: 'a', type: 'gauge', help: 'h'}, [])).toBe('# HELP a h\n# TYPE a gauge');
});

test('what would end a line or a label is escaped', () => {
  const text = familyText({name: 'a', type: 'gauge', help: 'one\ntwo \\'}, [
    {labels: {x: '"q"\n\\'}, value: Number.NaN},
    {labels: {x: ''}, value: Number.NEGATIVE_INFINITY},
  ]);
  expect(text).toBe('# HELP a one\\ntwo \\\\\n# TYPE a gauge\na{x="\\"q\\"\\n\\\\"} NaN\na{x=""} -Inf');
});
