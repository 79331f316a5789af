// The coding of an answer, by what the client says that it accepts.
import {expect, test} from 'vitest';
import {type Encoding, encodingFor} from '../../src/edge/http/accept-encoding.js';

test.each<[string, Encoding | undefined]>([
  ['', undefined],
  ['gzip', 'gzip'],
  ['br', 'br'],
  ['gzip, deflate, br, zstd', 'br'],
  [' GZip ;Q=0.5 ', 'gzip'],
  ['deflate, zstd, x-bzip', undefined],
  ['br;q=0.1, gzip;q=0.9', 'gzip'],
  ['br;q=0.9, gzip;q=0.9', 'br'],
  ['gzip;q=0', undefined],
  ['gzip;q=0.000, br;q=0.001', 'br'],
  ['*', 'br'],
  ['br;q=0, *', 'gzip'],
  ['gzip, *;q=0', 'gzip'],
  ['*;q=0', undefined],
  ['identity', undefined],
  ['identity;q=0', undefined],
  ['identity;q=0, *', 'br'],
  ['identity;q=0, gzip;q=0.1', 'gzip'],
  ['identity, gzip;q=0.5', undefined],
  ['identity;q=0.5, gzip', 'gzip'],
  ['identity, gzip', 'gzip'],
  ['gzip;q=2', undefined],
  ['gzip;q=0.1234', undefined],
  ['gzip;level=9', undefined],
  ['gzip;q=1;q=0', undefined],
  [',, gzip ,', 'gzip'],
  ['gzip, gzip;q=0', undefined],
])('%j: %s', (accepted, encoding) => {
  expect(encodingFor(accepted)).toBe(encoding);
});

test('a coding that is not offered is not chosen', () => {
  expect(encodingFor('br, gzip;q=0.5', ['gzip'])).toBe('gzip');
  expect(encodingFor('br', ['gzip'])).toBeUndefined();
});
