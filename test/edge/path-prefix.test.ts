// Which prefixes are taken, and of whom.
import {expect, test} from 'vitest';
import {ClientAddresses} from '../../src/edge/http/client-address.js';
import type {Exchange} from '../../src/edge/http/exchange.js';
import {pathPrefix} from '../../src/edge/http/path-prefix.js';

const clientAddresses = new ClientAddresses(['127.0.0.1'], () => {});
const prefixOf = (forwardedPrefix: string, peer = '127.0.0.1'): string =>
  pathPrefix({clientAddresses}, {forwardedPrefix, forwardedFor: '', peerAddress: () => peer} as unknown as Exchange);

test.each(['/a', '/analytics/v2', '/A-z_0.9~/..a/.b', `/${'x'.repeat(255)}`])('%s is one', (prefix) => {
  expect(prefixOf(prefix)).toBe(prefix);
});

test.each([
  ...['', '/', 'a', '/a/', '//a', '/a//b', '/.', '/..', '/a/..', '/../a', '/a/./b', '/a b', '/a?b', '/a#b', '/%61'],
  ...['/<script>', '/"x', "/'x", '/a\n', '/a, /b', 'http://x/a', '//x/a', '/ä', `/${'x'.repeat(256)}`],
])('%j is none', (prefix) => {
  expect(prefixOf(prefix)).toBe('');
});

test('of who is no trusted proxy, none is taken', () => {
  expect(prefixOf('/a', '203.0.113.9')).toBe('');
});
