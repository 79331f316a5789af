import {describe, expect, test} from 'vitest';
import {Addresses} from '../../src/webhooks/addresses.js';

const strict = new Addresses({allowed: [], allowsHttp: false});

describe('an address that is not public is refused, in each of its forms', () => {
  const hosts = `
    localhost LOCALHOST. a.localhost 127.0.0.1 2130706433 0x7f000001 0177.0.0.1 127.1 0.0.0.0 [::1] [::]
    [::ffff:127.0.0.1] [::ffff:808:808] [64:ff9b::8.8.8.8] [2002:0808:0808::1] [2001:0:1::1] [fe80::1]
    [fc00::1] [ff02::1] [2001:db8::1] 169.254.169.254/latest/meta-data 100.64.0.1 10.1.2.3 172.31.255.255
    192.168.0.1 198.18.0.1 192.0.2.1 203.0.113.9 224.0.0.1 255.255.255.255 168.63.129.16/metadata/instance
    0xa83f8110 161.26.0.10 166.9.0.1 199.36.153.5 199.36.153.11 [2600:2d00:2:1000::1] [2600:2d00:2:2000::1]
    100.100.100.200/latest/meta-data 192.0.0.192/latest [fd00:ec2::254] [fd20:ce::254]`;
  test.each(hosts.trim().split(/\s+/))('%s', (host) => {
    expect(strict.faultOf(`https://${host}/`)).toBe('its address is private or reserved');
  });
});

test.each([
  'https://hooks.example.com/a?b=c',
  'https://93.184.216.34:8443/',
  'https://172.32.0.1/',
  'https://168.63.129.17/',
  'https://199.36.153.12/',
  'https://100.128.0.1/',
  'https://[2606:2800:220:1::1]/',
])('%s may be a receiver', (url) => {
  expect(strict.faultOf(url)).toBeUndefined();
});

test.each([
  ['http://hooks.example.com/', 'it must begin with https://'],
  ['ftp://hooks.example.com/', 'it must begin with https://'],
  ['file:///etc/passwd', 'it must begin with https://'],
  ['https://user@hooks.example.com/', 'it must have no user information'],
  ['https://:secret@hooks.example.com/', 'it must have no user information'],
  ['https://hooks.example.com/#top', 'it must have no fragment'],
  ['https://hooks.example.com/#', 'it must have no fragment'],
  ...['\r', '\n', '\t', '\0', '\u001f', '\u007f', '\u0085', '\u2028'].flatMap((character) =>
    [
      `https://hooks.example.com/a${character}b`,
      `${character}https://hooks.example.com/`,
      `https://hooks${character}.example.com/`,
    ].map((url): [string, string] => [url, 'it must have no control character']),
  ),
  ['hooks.example.com', 'it is no URL'],
  ['https://', 'it is no URL'],
])('%s: %s', (url, why) => {
  expect(strict.faultOf(url)).toBe(why);
});

test('the operator lets blocks through, and HTTP', () => {
  const open = new Addresses({allowed: ['10.1.0.0/16', '127.0.0.1', '::1'], allowsHttp: true});
  for (const url of ['http://10.1.9.9/', 'http://localhost:80/', 'https://[::1]/'])
    expect(open.faultOf(url)).toBeUndefined();
  for (const url of ['http://10.2.0.1/', 'https://127.0.0.2/']) expect(open.faultOf(url)).toMatch(/private/);
});

test('a name is judged by what it is looked up to, and one that does not resolve fails with the same words', async () => {
  const resolved = {
    'inside.example.com': '10.0.0.1',
    'platform.example.com': '168.63.129.16',
    'out.example.com': '93.184.216.34',
  };
  const addresses = new Addresses({allowed: [], allowsHttp: false}, (name, _options, callback) => {
    const address = resolved[name as keyof typeof resolved];
    const error = Object.assign(new Error('getaddrinfo ENOTFOUND'), {code: 'ENOTFOUND'});
    if (address === undefined) callback(error, []);
    else callback(null, [{address, family: 4}]);
  });
  const lookedUp = (name: string) =>
    new Promise<string>((resolve) => {
      addresses.lookup(name, {all: true}, (error, found) => resolve(error?.message ?? JSON.stringify(found)));
    });
  const answers = await Promise.all(
    ['inside', 'platform', 'nothing', 'out'].map((name) => lookedUp(`${name}.example.com`)),
  );
  const refused = 'the name does not resolve to a public address';
  expect(answers).toEqual([refused, refused, refused, '[{"address":"93.184.216.34","family":4}]']);
});
