// Whose address an exchange comes from, and whom that is believed of.
import {expect, test} from 'vitest';
import {addressOfBytes, ClientAddresses} from '../../src/edge/http/client-address.js';

const addresses = new ClientAddresses(['127.0.0.1', '10.0.0.0/8', '2001:db8:aa::/48'], () => {});

test.each([
  ['nobody trusted asked: its word counts for nothing', '203.0.113.9', '198.51.100.7', '203.0.113.9'],
  ['a proxy that says nothing is the client', '10.1.2.3', '', '10.1.2.3'],
  ['a proxy names the client', '10.1.2.3', '198.51.100.7', '198.51.100.7'],
  ['what the client itself wrote stands further left', '10.1.2.3', '1.1.1.1, 198.51.100.7', '198.51.100.7'],
  ['proxies behind each other', '127.0.0.1', '1.1.1.1, 198.51.100.7, 10.9.9.9,10.8.8.8', '198.51.100.7'],
  ['proxies all the way: the furthest', '127.0.0.1', '10.7.7.7, 10.8.8.8', '10.7.7.7'],
  ['what is no address ends what is believed', '127.0.0.1', '198.51.100.7, unknown, 10.8.8.8', '10.8.8.8'],
  ['no address at all', '127.0.0.1', 'unknown', '127.0.0.1'],
  ['empty entries', '127.0.0.1', ', ,', '127.0.0.1'],
  ['an address with a port', '127.0.0.1', '198.51.100.7:5501', '198.51.100.7'],
  ['IPv6 in one form', '127.0.0.1', '2001:0DB8:0:0:0:0:0:7', '2001:db8::7'],
  ['IPv6 with a port', '127.0.0.1', '[2001:db8::7]:443', '2001:db8::7'],
  ['IPv4 as IPv6 is IPv4', '127.0.0.1', '::ffff:198.51.100.7', '198.51.100.7'],
  ['a trusted block of IPv6', '2001:db8:aa:1::1', '2001:db8:bb::1', '2001:db8:bb::1'],
  ['an address with a zone is none', '127.0.0.1', 'fe80::1%eth0', '127.0.0.1'],
  ['numbers too large', '127.0.0.1', '300.1.1.1', '127.0.0.1'],
  ['the connection is gone', '', '198.51.100.7', ''],
])('%s', (_, peer, forwardedFor, client) => {
  expect(addresses.of({peerAddress: () => peer, forwardedFor})).toBe(client);
});

test('with nobody trusted, the client is who holds the connection', () => {
  const alone = new ClientAddresses([], () => {});
  const origin = {peerAddress: () => '127.0.0.1', forwardedFor: '198.51.100.7'};
  expect([alone.of(origin), alone.isByProxy(origin), addresses.isByProxy(origin)]).toEqual(['127.0.0.1', false, true]);
});

test.each([
  ['nobody is trusted: one warning', [], 1],
  ['a proxy is trusted: none', ['10.0.0.0/8'], 0],
])('X-Forwarded-For comes, and %s', (_, trusted, count) => {
  const warnings: string[] = [];
  const told = new ClientAddresses(trusted, (message) => void warnings.push(message));
  for (let i = 0; i < 3; i++) told.noteForwarded();
  expect(warnings).toHaveLength(count);
});

test.each([
  [[127, 0, 0, 1], '127.0.0.1'],
  [[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 127, 0, 0, 1], '127.0.0.1'],
  [[0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7], '2001:db8::7'],
  [[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1], '::1'],
  [[], ''],
])('the bytes %j of a socket are %s', (bytes, address) => {
  expect(addressOfBytes(Uint8Array.from(bytes))).toBe(address);
});
