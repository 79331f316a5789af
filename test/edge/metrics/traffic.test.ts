import {expect, test} from 'vitest';
import {statusOf} from '../../../src/edge/failure.js';
import {Traffic} from '../../../src/edge/metrics/traffic.js';

test('a request is counted under the status of its answer, whatever refused it', () => {
  const traffic = new Traffic({exact: new Map(), bySegment: new Map()});
  const statuses = [...new Set(['200 OK', '304 Not Modified', ...Object.values(statusOf)])];
  for (const status of statuses) traffic.answered(undefined, 'GET', status, 1);
  const counted = traffic.requestCounts().map(({status, count}) => [status, count]);
  expect(counted.sort()).toEqual(statuses.map((status) => [status.slice(0, 3), 1]).sort());
});
