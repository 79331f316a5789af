import {expect, test} from 'vitest';
import {mailAddressOf, senderOf} from '../../src/mail/mail-address.js';

test.each(['ann@example.com', 'ann.b+stats@mail.example.co.uk', "o'neil@xn--bcher-kva.example", 'root@localhost'])(
  '%s is an address',
  (address) => {
    expect(mailAddressOf(`mailto:${address}`)).toBe(address);
    expect(senderOf(address)).toEqual({address, name: ''});
  },
);

test.each([
  ...[
    '',
    'ann',
    '@example.com',
    'ann@',
    'ann@@example.com',
    '.ann@example.com',
    'ann.@example.com',
    'a..b@example.com',
  ],
  ...['ann@-example.com', 'ann@example-.com', 'ann@example..com', 'ann@[127.0.0.1]', 'ann@example.com.'],
  // MA1
  ...['ann@example.com,eve@example.com', 'ann@example.com;eve@example.com', 'ann@example.com?bcc=eve@example.com'],
  ...['ann@example.com\r\nBcc: eve@example.com', 'ann\n@example.com', 'ann%eve@example.com', '@a,@b:ann@example.com'],
  ...[
    '<ann@example.com>',
    '"ann"@example.com',
    'ann(x)@example.com',
    'ann @example.com',
    'änn@example.com',
    'ann@exämple.com',
  ],
  ...[`${'a'.repeat(65)}@example.com`, `ann@${'a'.repeat(64)}.com`, `ann@${'a.'.repeat(130)}com`],
])('%j is none', (text) => {
  expect(mailAddressOf(`mailto:${text}`)).toBeUndefined();
  expect(senderOf(text)).toBeUndefined();
});

test('a sender may have a name in front', () => {
  expect(senderOf('Millrace of Shop, Ltd. <stats@example.com>')).toEqual({
    address: 'stats@example.com',
    name: 'Millrace of Shop, Ltd.',
  });
  for (const text of [
    '<stats@example.com>',
    'A\nB <stats@example.com>',
    'A <b> <stats@example.com>',
    'A <stats@example.com> x',
  ])
    expect(senderOf(text)).toBeUndefined();
});

test('a URL of another scheme is no address', () => {
  for (const url of ['ann@example.com', 'MAILTO:ann@example.com', 'https://ann@example.com'])
    expect(mailAddressOf(url)).toBeUndefined();
});
