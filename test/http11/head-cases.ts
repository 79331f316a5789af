// Request lines and header fields (RFC 9112, 2 to 5).
import {broken, type Case, refused, shown, taken, waits, waitsForBody} from './case.js';
import {authorized, get, goodPost, lengthOf, message, post} from './wire.js';

const line = (text: string) => () => message([text, 'Host: x']);
const field = (text: string) => (body: string) => post([text, lengthOf(body)], body);
const fields = (count: number): string[] => Array.from({length: count}, (_, i) => `X-${i}: v`);
const long = (length: number): string => 'a'.repeat(length);

const requestLines: readonly Case[] = [
  shown('a plain GET', line('GET /healthz HTTP/1.1')),
  ...['HTTP/1.0', 'HTTP/0.9', 'HTTP/1.2', 'HTTP/2.0', 'HTTP/1.11', 'HTTP/1.1x', 'http/1.1', 'HTTP 1.1', 'ICAP/1.1'].map(
    (version) => broken(`version ${version}`, 505, line(`GET /healthz ${version}`)),
  ),
  broken('HTTP/1.0 with a body', 505, (body) => post([lengthOf(body)], body, 'POST /v1/events HTTP/1.0')),
  broken('no version', 505, () => 'GET /healthz\r\n\r\n'),
  broken('the preface of HTTP/2', 505, () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  broken('the hello of TLS', 505, () => `\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03${long(200)}`),
  broken('noise', 505, () => '\xff\xfe\x00\x01 noise \x80\x81'),
  broken('zeros', 505, () => '\0'.repeat(100)),
  // Without a length they would end their connection, as a POST does.
  ...['PUT', 'PATCH'].map((method) =>
    refused(`method ${method}`, 405, () => message([`${method} /healthz HTTP/1.1`, 'Host: x', lengthOf('')])),
  ),
  ...['TRACE', 'FOO-BAR', 'get', 'Post', 'DELETE', 'OPTIONS', long(5_000)].map((method) =>
    refused(`method ${method.slice(0, 10)}`, 405, line(`${method} /healthz HTTP/1.1`)),
  ),
  refused('no method', 405, line(' /healthz HTTP/1.1')),
  broken('a control character in the method', 505, line('G\x01T /healthz HTTP/1.1')),
  broken('a zero in the method', 505, line('G\0T /healthz HTTP/1.1')),
  broken('CONNECT', 505, line('CONNECT x:80 HTTP/1.1')),
  broken('OPTIONS *', 505, line('OPTIONS * HTTP/1.1')),
  broken('the absolute form', 505, line('GET http://x/healthz HTTP/1.1')),
  broken('the absolute form of another host', 505, line('GET http://other.example/healthz HTTP/1.1')),
  broken('a path without a slash', 505, line('GET healthz HTTP/1.1')),
  broken('two spaces', 505, line('GET  /healthz HTTP/1.1')),
  broken('tabs', 505, line('GET\t/healthz\tHTTP/1.1')),
  broken('a space at the end', 505, line('GET /healthz HTTP/1.1 ')),
  broken('a space in the path', 505, line('GET /health z HTTP/1.1')),
  broken('a zero in the path', 505, line('GET /healthz\0 HTTP/1.1')),
  broken('a control character in the path', 505, line('GET /healthz\x01 HTTP/1.1')),
  waits('a carriage return in the path', line('GET /health\rz HTTP/1.1')),
  broken('a line feed in the path', 505, line('GET /health\nz HTTP/1.1')),
  ...['/healthz\xff', '/healthz#x', '/v1/../healthz', '//healthz', '/healthz/', '/./healthz', '/%68ealthz'].map(
    (path) => refused(`path ${path}`, 404, line(`GET ${path} HTTP/1.1`)),
  ),
  // It leads to the dashboard, which is not served under the host name of these cases.
  ...['/?', '/'].map((path) => refused(`path ${path}`, 403, line(`GET ${path} HTTP/1.1`))),
  // Read as U+FFFD they would mean somebody else.
  ...[
    'GET /v1/events?userId=Jos\xe9',
    'GET /v1/users/Jos\xe9',
    'DELETE /v1/users/Jos\xe9',
    'GET /v1/events?\xe9=1',
  ].map((what) => refused(`no UTF-8 in ${what}`, 400, () => authorized(`${what} HTTP/1.1`))),
  refused('a path of 30 KiB', 404, line(`GET /${long(30_000)} HTTP/1.1`)),
  ...[33_000, 200_000, 3_000_000].map((length) =>
    broken(`a path of ${length} bytes`, 431, line(`GET /${long(length)} HTTP/1.1`)),
  ),
  broken('a query of 40,000 bytes', 431, line(`GET /v1/events?event=${long(40_000)} HTTP/1.1`)),
  broken('a method of 40,000 bytes', 431, line(`${long(40_000)} / HTTP/1.1`)),
  broken('an empty line before a GET that only knows line feeds', 505, () => `\n${get('/healthz')}`),
];

const headerFields: readonly Case[] = [
  broken('no Host', 400, () => message(['GET /healthz HTTP/1.1', 'X: y'])),
  broken('no Host, with a body', 400, (body) => goodPost(body).replace('Host: x\r\n', '')),
  broken('two Hosts', 400, field('Host: y')),
  broken('two Hosts that agree', 400, field('Host: x')),
  taken('an empty Host', (body) => goodPost(body).replace('Host: x', 'Host:')),
  // Nothing here depends on the host.
  taken('a Host that is no name', (body) => goodPost(body).replace('Host: x', 'Host: a b/@')),
  refused('two encodings, the last of them none', 415, field('Content-Encoding: br\r\nContent-Encoding: identity')),
  refused('two types', 415, field('Content-Type: text/plain')),
  broken('a space before the colon', 400, field('X-A : b')),
  broken('a tab before the colon', 400, field('X-A\t: b')),
  broken('a length with a space before the colon', 400, (body) => post([`Content-Length : ${body.length}`], body)),
  broken('a space before the name', 400, field(' X-A: b')),
  broken('a folded line', 400, field('X-A: b\r\n c')),
  broken('no colon', 400, field('X-A')),
  broken('a name with a bracket', 400, field('X(A: b')),
  broken('a name with a zero', 400, field('X\0A: b')),
  broken('a name with a high byte', 400, field('X\xe9: b')),
  broken('a value with a zero', 400, field('X-A: a\0b')),
  broken('a value with a control character', 400, field('X-A: a\x01b')),
  broken('a value with a bare line feed', 400, field('X-A: a\nX-B: b')),
  waits('a value with a bare carriage return', field('X-A: a\rb')),
  taken('a value with high bytes', field('X-A: \xff\xfe')),
  taken('an empty value', field('X-A:')),
  taken('a value between tabs', field('X-A:\tb\t')),
  broken('bare line feeds throughout', 505, (body) => goodPost(body).replaceAll('\r\n', '\n')),
  // The parser takes it for the end of the header fields: without a length behind it there is no body.
  broken('a field without a name', 505, field(': b')),
  // With four of a request's own.
  taken('98 fields', (body) => post([...fields(94), lengthOf(body)], body)),
  broken('99 fields', 431, (body) => post([...fields(95), lengthOf(body)], body)),
  broken('50,000 fields', 431, (body) => post([...fields(50_000), lengthOf(body)], body)),
  taken('a field of 20 KiB', field(`X-A: ${long(20_000)}`)),
  ...[33_000, 200_000, 3_000_000].map((length) =>
    broken(`a field of ${length} bytes`, 431, field(`X-A: ${long(length)}`)),
  ),
  broken('a name of 40,000 bytes', 431, field(`${long(40_000)}: b`)),
  broken('an endless field', 431, () => `GET /healthz HTTP/1.1\r\nHost: x\r\nX: ${long(100_000)}`),
  shown('an upgrade to WebSocket', () =>
    get('/healthz', [
      'Upgrade: websocket',
      'Connection: Upgrade',
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
      'Sec-WebSocket-Version: 13',
    ]),
  ),
  shown('an upgrade to HTTP/2', () =>
    get('/healthz', [
      'Upgrade: h2c',
      'Connection: Upgrade, HTTP2-Settings',
      'HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA',
    ]),
  ),
  {...shown('Connection: close', () => get('/healthz', ['Connection: close'])), ending: 'closed'},
  broken('a line for a proxy before the request', 505, () => `PROXY TCP4 1.2.3.4 5.6.7.8 1 2\r\n${get('/healthz')}`),
  waits('empty lines', () => '\r\n\r\n\r\n'),
  waits('half a request line', () => 'GET /heal'),
  waits('no empty line', () => 'GET /healthz HTTP/1.1\r\nHost: x\r\n'),
  waitsForBody('no body', (body) => goodPost(body).slice(0, -body.length)),
  waitsForBody('half a body', (body) => goodPost(body).slice(0, -10)),
];

export const headCases: readonly Case[] = [...requestLines, ...headerFields];
