import {describe, expect, test} from 'vitest';
import type {Exchange} from '../../src/edge/http/exchange.js';
import {findRoute, type Route, variedSegment} from '../../src/edge/route.js';
import {templateOf} from '../../src/edge/route-template.js';

const one: Route = {};
const last: Route = {};
const before: Route = {isBeforeEnd: true};
const batch: Route = {isCompatible: true};
const settings: Route = {isCompatible: true, isBeforeEnd: true};
const routes = {
  exact: new Map([
    ['/v1/hooks', one],
    ['/v1/batch', batch],
  ]),
  bySegment: new Map([
    ['/v1/hooks/', last],
    ['/v1/hooks/*/test', before],
    ['/v1/projects/*/settings', settings],
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
    ['/v1/hooks/wh_1/test/', undefined],
    ['/v1/batch', batch],
    ['/v1/batch/', batch],
    ['/v1/batch//', undefined],
    ['/v1/projects/k/settings', settings],
    ['/v1/projects/k/settings/', settings],
    ['/v1/projects/k/settings//', undefined],
    ['//', undefined],
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
    const paths = ['/v1/hooks/wh_1', '/v1/hooks/wh_2/test', '/v1/projects/k/settings', '/v1/projects/k/settings/'];
    expect(paths.map(segmentOf)).toEqual(['wh_1', 'wh_2', 'k', 'k']);
    expect([...routes.bySegment.keys()].map((path) => templateOf(path, ':id'))).toEqual([
      '/v1/hooks/:id',
      '/v1/hooks/:id/test',
      '/v1/projects/:id/settings',
    ]);
  });
});
