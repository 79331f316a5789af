// Mutations of the text of a JSON body, for JSON.parse, UTF-8 and decompression.
import {brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync} from 'node:zlib';
import type {Random} from '../random.js';
import {type HostileRequest, setHeader} from './request.js';

type Mutation = (request: HostileRequest, body: Buffer, random: Random) => Buffer;

const splice = (body: Buffer, at: number, gone: number, inserted: Buffer | string): Buffer =>
  Buffer.concat([body.subarray(0, at), Buffer.from(inserted as string), body.subarray(at + gone)]);

const badUtf8 = [[0xff], [0xc0, 0xaf], [0xed, 0xa0, 0x80], [0xf5, 0x80, 0x80, 0x80], [0xe2, 0x82], [0x80]].map(
  (bytes) => Buffer.from(bytes),
);
const oddNumbers = [
  '1e999',
  '-1e999',
  '1e-999',
  '0.1e400',
  '-0',
  '0123',
  '1.',
  '.5',
  '+1',
  '0x10',
  'NaN',
  'Infinity',
  '9'.repeat(400),
];
const oddEscapes = [
  '\\ud800',
  '\\udc00\\ud800',
  '\\u0000',
  '\\u00',
  '\\x41',
  '\\',
  '\\uD83D\\uDE00',
  '\\u005f_proto__',
];
const openers = ['gzip', 'deflate', 'br'] as const;

const compressors = {
  gzip: (body: Buffer) => gzipSync(body, {level: 1}),
  deflate: (body: Buffer) => deflateSync(body, {level: 1}),
  br: (body: Buffer) => brotliCompressSync(body, {params: {[constants.BROTLI_PARAM_QUALITY]: 1}}),
};

/** Inserts after a `:` or `,` of the text, where a value begins. */
function insertValue(body: Buffer, random: Random, text: string): Buffer {
  const text8 = body.toString('latin1');
  const places = [...text8.slice(0, 20_000).matchAll(/[:[]/g)].map(({index}) => index + 1);
  if (places.length === 0) return body;
  return splice(body, random.pick(places), 0, `${text},`);
}

/** Replaces the value of a field that may have any value. */
function replaceValue(body: Buffer, random: Random, text: string): Buffer {
  const found = [
    ...body
      .toString('latin1')
      .slice(0, 20_000)
      .matchAll(/:("[^"\\]*"|-?[\d.]+|true|false|null)/g),
  ];
  if (found.length === 0) return body;
  const {index, 0: whole} = random.pick(found);
  return splice(body, index + 1, whole.length - 1, text);
}

export const textMutations: Readonly<Record<string, Mutation>> = {
  'a byte changed': (_, body, random) => {
    const copy = Buffer.from(body);
    for (let left = random.between(1, 4); left > 0 && copy.length > 0; left--) {
      copy[random.between(0, copy.length - 1)] = random.between(0, 255);
    }
    return copy;
  },
  'a piece gone': (_, body, random) => {
    const at = random.between(0, body.length);
    return splice(body, at, random.between(1, 40), '');
  },
  'a piece twice': (_, body, random) => {
    const at = random.between(0, body.length);
    return splice(body, at, 0, body.subarray(at, at + random.between(1, 60)));
  },
  'cut off': (_, body, random) => body.subarray(0, random.between(0, body.length)),
  'text behind it': (_, body, random) =>
    Buffer.concat([body, Buffer.from(random.pick(['}', ' x', ',', '\0', '{}', '\n\n', body.toString('latin1')]))]),
  'text before it': (_, body, random) =>
    Buffer.concat([
      random.pick([Buffer.from('\ufeff'), Buffer.from('//c\n'), Buffer.from('\0'), Buffer.from(")]}'\n")]),
      body,
    ]),
  'bytes that are no UTF-8': (_, body, random) => splice(body, random.between(0, body.length), 0, random.pick(badUtf8)),
  'another charset': (_, body, random) => Buffer.from(body.toString('utf8'), random.pick(['utf16le', 'latin1'])),
  'an odd number': (_, body, random) => replaceValue(body, random, random.pick(oddNumbers)),
  'an odd escape': (_, body, random) => replaceValue(body, random, `"a${random.pick(oddEscapes)}"`),
  'a raw control character': (_, body, random) =>
    replaceValue(body, random, `"a${String.fromCharCode(random.between(0, 31))}b"`),
  'a value too many': (_, body, random) =>
    insertValue(body, random, random.pick(['1', '"x"', '{}', '[', '"__proto__":{}'])),
  'a key twice': (_, body, random) => {
    const brace = body.indexOf('{');
    const keys = ['event', 'userId', 'properties', 'messageId', 'events', '__proto__', 'timestamp'];
    const pair = `"${random.pick(keys)}":${random.pick(['"twice"', '1', 'null', '{}', '[]'])}`;
    return splice(body, brace + 1, 0, body.length > brace + 2 ? `${pair},` : pair);
  },
  'white space': (_, body, random) =>
    Buffer.concat([body, Buffer.alloc(random.pick([1, 1_000, 300_000]), random.pick([' ', '\n', '\t']))]),
  compressed: (request, body, random) => {
    const encoding = random.pick(openers);
    setHeader(request, 'Content-Encoding', random.chance(0.2) ? encoding.toUpperCase() : encoding);
    return compressors[encoding](body);
  },
  'compressed and broken': (request, body, random) => {
    const encoding = random.pick(openers);
    setHeader(request, 'Content-Encoding', encoding);
    const bytes = compressors[encoding](body);
    const breaking = random.pick<() => Buffer>([
      () => bytes.subarray(0, random.between(0, bytes.length)),
      () => Buffer.concat([bytes, bytes]),
      () => Buffer.concat([bytes, Buffer.from('behind')]),
      () => compressors[random.pick(openers)](bytes),
      () => deflateRawSync(body),
      () => body,
      () => splice(bytes, random.between(0, bytes.length), 1, Buffer.from([random.between(0, 255)])),
    ]);
    return breaking();
  },
  'another content encoding': (request, body, random) => {
    setHeader(
      request,
      'Content-Encoding',
      random.pick(['identity', 'zstd', 'gzip, gzip', 'x-gzip', '*', '', 'constructor']),
    );
    return body;
  },
  'another content type': (request, body, random) => {
    const types = [
      'text/plain',
      'text/plain;charset=utf-8',
      'Application/JSON; charset=latin1',
      'application/json;',
      'image/png',
      '',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/jsonx',
    ];
    setHeader(request, 'Content-Type', random.pick(types));
    return body;
  },
};
