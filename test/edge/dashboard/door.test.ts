// Who passes the door of the dashboard: hosts, pages and roles, on sessions that are played.
import {expect, test} from 'vitest';
import {DashboardDoor, type NeededRole} from '../../../src/edge/dashboard/door.js';
import type {Sessions} from '../../../src/edge/dashboard/session.js';
import {ClientAddresses} from '../../../src/edge/http/client-address.js';
import type {Exchange} from '../../../src/edge/http/exchange.js';
import type {PageRequest} from '../../../src/edge/http/page-request.js';
import {dashboardRoles} from '../../../src/keys/dashboard-role.js';

/** The cookie is the role. */
const sessions = {read: (cookie: string) => ({role: cookie, id: cookie})} as unknown as Sessions;
const door = new DashboardDoor(['stats.example.com'], sessions, new ClientAddresses([], () => {}));

const host = '127.0.0.1:8080';
const ofPage = {host, cookie: 'a=b; millrace_session=admin', isByPage: true, fetchSite: 'same-origin'};

interface Request {
  readonly method?: string;
  readonly origin?: string | undefined;
  readonly page?: Partial<PageRequest>;
}

function codeOf({page, ...request}: Request, needed: NeededRole = 'admin'): string | undefined {
  const exchange = {
    method: 'GET',
    origin: `http://${host}`,
    receivedMs: 0,
    caller: {},
    ...request,
    page: {...ofPage, ...page},
  };
  return door.refuse(exchange as unknown as Exchange, needed)?.code;
}

test.each<[string, Request]>([
  ['another origin', {origin: 'https://evil.example'}],
  ['another port of the same host', {origin: 'http://127.0.0.1:1'}],
  ['no origin', {origin: undefined}],
  ['an opaque origin', {origin: 'null'}],
  ['a form, without the header', {page: {isByPage: false}}],
  ['another site', {page: {fetchSite: 'cross-site'}}],
  ['the same site, another origin', {page: {fetchSite: 'same-site'}}],
])('a change from %s is refused, with or without a session', (_, request) => {
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
    for (const needed of ['admin', 'nobody'] as const)
      expect(codeOf({method, ...request}, needed)).toBe('origin_not_allowed');
});

test('a change from its own page passes, also where the browser sends no Sec-Fetch-Site or the proxy has another scheme', () => {
  expect(codeOf({method: 'POST'})).toBeUndefined();
  expect(codeOf({method: 'DELETE', page: {fetchSite: ''}})).toBeUndefined();
  expect(
    codeOf({method: 'POST', origin: 'https://stats.example.com', page: {host: 'stats.example.com'}}),
  ).toBeUndefined();
});

test('a name that somebody else points here is refused, those that are ours are not', () => {
  for (const name of ['evil.example', 'evil.example:8080', 'localhost.evil.example', 'STATS.example.com.evil', ''])
    expect([name, codeOf({page: {host: name}}, 'nobody')]).toEqual([name, 'host_not_allowed']);
  for (const name of ['localhost', 'localhost:8080', '192.168.1.9', '[::1]:8080', 'Stats.Example.com'])
    expect([name, codeOf({page: {host: name}}, 'nobody')]).toEqual([name, undefined]);
});

test('each role passes where it is needed or a lower one is', () => {
  const passes = (cookie: string): readonly string[] =>
    dashboardRoles.filter((needed) => codeOf({page: {cookie: `millrace_session=${cookie}`}}, needed) === undefined);
  expect(dashboardRoles.map(passes)).toEqual([['reader'], ['reader', 'analyst'], ['reader', 'analyst', 'admin']]);
  expect(codeOf({page: {cookie: ''}}, 'reader')).toBe('not_signed_in');
  expect(codeOf({page: {cookie: 'millrace_session=reader'}}, 'analyst')).toBe('role_not_sufficient');
});
