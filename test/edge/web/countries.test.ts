import {readFileSync, renameSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {ClientAddresses} from '../../../src/edge/http/client-address.js';
import type {Exchange} from '../../../src/edge/http/exchange.js';
import {Countries} from '../../../src/edge/web/countries.js';
import {createLogger} from '../../../src/observe.js';
import {countryFile} from '../../support/country-file.js';
import {temporaryFolder} from '../../support/service.js';

const logger = createLogger('silent', 'test');
const clients = new ClientAddresses(['10.0.0.0/8'], () => {});
const from = (peer: string, country = '', forwardedFor = ''): Exchange =>
  ({peerAddress: () => peer, country, forwardedFor}) as unknown as Exchange;

function fileWith(countryOf: Readonly<Record<number, string>>): string {
  const path = join(temporaryFolder(), 'countries.mmdb');
  writeFileSync(path, countryFile(countryOf));
  return path;
}

test('a trusted proxy says the country, and nobody else', () => {
  const countries = new Countries(clients, undefined, logger);
  expect(countries.of(from('10.1.1.1', 'de', '93.1.1.1'))).toBe('DE');
  expect(countries.of(from('93.1.1.1', 'DE'))).toBeUndefined();
  for (const said of ['', 'XX', 'ZZ', 'T1', 'DEU', 'D', 'DE,FR'])
    expect(countries.of(from('10.1.1.1', said))).toBeUndefined();
});

test('else the file says it, of the address of the client', () => {
  const countries = new Countries(clients, fileWith({93: 'DE', 94: 'FR', 10: 'US'}), logger);
  expect(countries.of(from('93.1.2.3'))).toBe('DE');
  expect(countries.of(from('10.1.1.1', '', '94.0.0.1'))).toBe('FR');
  expect(countries.of(from('10.1.1.1', 'XX', '94.0.0.1'))).toBe('FR');
  expect(countries.of(from('10.1.1.1', 'se', '94.0.0.1'))).toBe('SE');
  expect(countries.of(from('95.1.2.3'))).toBeUndefined();
  expect(countries.of(from('2001:db8::1'))).toBeUndefined();
  expect(countries.of(from(''))).toBeUndefined();
});

test('a file of IPv4 says nothing of IPv6 addresses', () => {
  const countries = new Countries(clients, fileWith({32: 'US', 42: 'CN'}), logger);
  for (const address of ['2001:db8::1', '2a02:db8::1', '2002::']) expect(countries.of(from(address))).toBeUndefined();
});

test('a damaged file costs countries, and nothing else', () => {
  const path = fileWith({93: 'DE'});
  const bytes = readFileSync(path);
  bytes.fill(0xff, bytes.indexOf('iso_code') - 1, bytes.indexOf('iso_code') + 4);
  writeFileSync(path, bytes);
  const countries = new Countries(clients, path, logger);
  expect(countries.of(from('93.1.2.3'))).toBeUndefined();
  expect(countries.of(from('10.1.1.1', 'SE', '93.1.2.3'))).toBe('SE');
});

test('a file that was replaced is read again, and a bad one changes nothing', () => {
  const path = fileWith({93: 'DE'});
  const countries = new Countries(clients, path, logger);
  renameSync(fileWith({93: 'FR'}), path);
  expect(countries.of(from('93.1.2.3'))).toBe('DE');
  countries.refresh();
  expect(countries.of(from('93.1.2.3'))).toBe('FR');
  writeFileSync(path, 'no file of countries');
  countries.refresh();
  expect(countries.of(from('93.1.2.3'))).toBe('FR');
});

test('a start without its file is refused with its path', () => {
  const path = join(temporaryFolder(), 'none.mmdb');
  expect(() => new Countries(clients, path, logger)).toThrow(`GEOIP_FILE cannot be read: ${path}: ENOENT`);
});
