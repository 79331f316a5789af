// The lines for libraries of other services: each is whole, with the address and the key.
import {expect, test} from 'vitest';
import {librariesFor} from '../../dashboard/src/pages/first-event/libraries.js';

test('every library is told the address and the key', () => {
  const key = 'sk_write_0123';
  for (const {name, text} of librariesFor('https://millrace.example.com', key)) {
    expect(text, name).toContain(key);
    expect(text, name).toContain('millrace.example.com');
  }
});

test('a port is told where the address has one', () => {
  const textAt = (address: string): string =>
    librariesFor(address, 'k').find(({name}) => name === 'Mixpanel, servers')!.text;
  expect(textAt('http://127.0.0.1:8080')).toContain("host: '127.0.0.1', port: 8080, protocol: 'http'");
  expect(textAt('https://m.example.com')).toContain("host: 'm.example.com', protocol: 'https'");
});
