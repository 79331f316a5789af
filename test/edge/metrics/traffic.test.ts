import {expect, test} from 'vitest';
import {statusOf} from '../../../src/edge/failure.js';
import {Traffic} from '../../../src/edge/metrics/traffic.js';
import type {Route} from '../../../src/edge/route.js';
import {Random} from '../../../tools/random.js';

test('a request is counted under the status of its answer, whatever refused it', () => {
  const traffic = new Traffic({exact: new Map(), bySegment: new Map()});
  const statuses = [...new Set(['200 OK', '304 Not Modified', ...Object.values(statusOf)])];
  for (const status of statuses) traffic.answered(undefined, 'GET', status, 1);
  const counted = traffic.requestCounts().map(({status, count}) => [status, count]);
  expect(counted.sort()).toEqual(statuses.map((status) => [status.slice(0, 3), 1]).sort());
});

test('requests are counted one by one, in whatever order routes, methods and statuses follow each other', () => {
  const routes = {
    exact: new Map<string, Route>([
      ['/a', {}],
      ['/b', {}],
    ]),
    bySegment: new Map<string, Route>([['/c/', {}]]),
  };
  const traffic = new Traffic(routes);
  const known: [string, Route | undefined][] = [
    ...routes.exact,
    ['/c/:id', routes.bySegment.get('/c/')!],
    ['unknown', undefined],
  ];
  const [expected, durations] = [new Map<string, number>(), new Map<string, number>()];
  const random = new Random(20261122);
  for (let i = 0; i < 5_000; i++) {
    const [template, route] = random.pick(known);
    const method = random.pick(['GET', 'POST', 'DELETE']);
    const status = random.pick(['200 OK', '401 Unauthorized', '503 Service Unavailable']);
    // Runs of the same, as the answers to one log message are, and single ones.
    for (let repeats = random.between(0, 2); repeats >= 0; repeats--) {
      traffic.answered(route, method, status, 1);
      const name = `${template} ${method} ${status.slice(0, 3)}`;
      expected.set(name, (expected.get(name) ?? 0) + 1);
      durations.set(template, (durations.get(template) ?? 0) + 1);
    }
  }
  const counted = traffic
    .requestCounts()
    .map(({route, method, status, count}) => [`${route} ${method} ${status}`, count]);
  expect(counted.sort()).toEqual([...expected].sort());
  const observed = traffic.requestDurations().map(({route, durations}) => [route, durations.read().count]);
  expect(observed.sort()).toEqual([...durations].sort());
});
