import {describe, expect, test} from 'vitest';
import type {Exchange} from '../../src/edge/http/exchange.js';
import {findRoute, type Route, variedSegment} from '../../src/edge/route.js';
import {templateOf} from '../../src/edge/route-template.js';

const one: Route = {};
const last: Route = {};
const before: Route = {isBeforeEnd: true};
const routes = {
  exact: new Map([['/v1/hooks', one]]),
  bySegment: new Map([
    ['/v1/hooks/', last],
    ['/v1/hooks/*/test', before],
  ]),
};

describe('a route is found by its path', () => {
  test.each([
    ['/v1/hooks', one],
    ['/v1/hooks/wh_1', last],
    ['/v1/hooks/wh_1/test', before],
    ['/v1/hooks/*/test', before],
    ['/v1/hooks/', undefined],
    ['/v1/hooks/wh_1/', undefined],
    ['/v1/hooks//test', undefined],
    ['/v1/hooks/wh_1/other', undefined],
    ['/v1/hooks/wh_1/wh_2/test', undefined],
    ['/v1/test', undefined],
    ['/test', undefined],
    ['test', undefined],
    ['/', undefined],
    ['', undefined],
  ])('%s', (path, route) => {
    expect(findRoute(routes, path)).toBe(route);
  });

  test('and says which segment varies', () => {
    const segmentOf = (path: string) => variedSegment({path, route: findRoute(routes, path)} as unknown as Exchange);
    expect([segmentOf('/v1/hooks/wh_1'), segmentOf('/v1/hooks/wh_2/test')]).toEqual(['wh_1', 'wh_2']);
    expect([...routes.bySegment.keys()].map((path) => templateOf(path, ':id'))).toEqual([
      '/v1/hooks/:id',
      '/v1/hooks/:id/test',
    ]);
  });
});
