// Small requests that are meant to cost much. Each is made on first use, and then sent unchanged.
import {brotliCompressSync, constants, deflateSync, gzipSync} from 'node:zlib';
import type {Random} from '../random.js';
import {type HostileRequest, setHeader} from './request.js';

export interface Bomb {
  readonly name: string;
  readonly make: () => Buffer;
  readonly encoding?: string;
  /** Sent rarely: its cost matters, not its number. */
  readonly isRare?: boolean;
}

const inEvent = (properties: string): string => `{"event":"bomb","userId":"bomber","properties":${properties}}`;
const inBatch = (properties: string): string => `{"events":[${inEvent(properties)}]}`;
const keys = (count: number, name: (i: number) => string): string =>
  `{${Array.from({length: count}, (_, i) => `"${name(i)}":${i % 10}`).join(',')}}`;
const list = (count: number, item: string): string => `[${Array.from({length: count}, () => item).join(',')}]`;

const plainBombs: readonly (readonly [name: string, text: () => string])[] = [
  ['200,000 open arrays', () => '['.repeat(200_000)],
  ['500,000 open arrays in a batch', () => `{"events":[${'['.repeat(500_000)}`],
  ['100,000 nested arrays', () => inEvent('['.repeat(100_000) + ']'.repeat(100_000))],
  ['50,000 nested objects', () => inEvent(`${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`)],
  ['500,000 nested arrays in a batch', () => inBatch('['.repeat(500_000) + ']'.repeat(500_000))],
  ['nests side by side', () => inBatch(list(3_000, '['.repeat(31) + ']'.repeat(31)))],
  ['60,000 keys', () => inEvent(keys(60_000, (i) => i.toString(36)))],
  ['60,000 keys in a batch', () => inBatch(keys(60_000, (i) => `key${i}`))],
  ['60,000 numeric keys', () => inBatch(keys(60_000, (i) => String(i * 65_537)))],
  ['60,000 equal keys', () => inBatch(keys(60_000, () => 'same'))],
  ['60,000 __proto__ keys', () => inBatch(keys(60_000, () => '__proto__'))],
  ['keys of 10,000 characters', () => inBatch(keys(90, (i) => `${i}`.padEnd(10_000, 'k')))],
  ['a __proto__ object', () => inEvent('{"__proto__":{"admin":true}}')],
  ['an escaped __proto__', () => inEvent('{"\\u005f\\u005fproto\\u005f\\u005f":{"admin":true}}')],
  ['a constructor', () => inEvent('{"constructor":{"prototype":{"admin":true}}}')],
  ['400,000 numbers', () => inEvent(list(200_000, '0'))],
  ['400,000 numbers in a batch', () => inBatch(list(400_000, '0'))],
  ['100,000 events', () => `{"events":${list(100_000, '{}')}}`],
  ['1,000 events that are 0', () => `{"events":${list(1_000, '0')}}`],
  ['1,000 large events', () => `{"events":${list(1_000, inEvent(keys(60, (i) => `property number ${i}`)))}}`],
  ['a string of 900 KB', () => inBatch(`{"a":"${'x'.repeat(900_000)}"}`)],
  ['a string of 150,000 escapes', () => inBatch(`{"a":"${'\\u0041'.repeat(150_000)}"}`)],
  ['a string of lone surrogates', () => inEvent(`{"a":"${'\\ud800'.repeat(10_000)}"}`)],
  ['a number of 400,000 digits', () => inEvent(`{"a":${'9'.repeat(400_000)}}`)],
  ['1,000 numbers of 900 digits', () => inBatch(list(1_000, '1'.repeat(900)))],
  ['numbers that overflow', () => inEvent(list(1_000, '1e999'))],
  ['an event name of 400 KB', () => `{"event":"${'n'.repeat(400_000)}","userId":"bomber"}`],
  [
    'a time of 400 KB',
    () => `{"event":"bomb","userId":"bomber","timestamp":"2026-01-01T00:00:00.${'0'.repeat(400_000)}Z"}`,
  ],
  ['500 KB of white space', () => inEvent('{}') + ' '.repeat(500_000)],
  ['500 KB of zeros', () => '\0'.repeat(500_000)],
  ['500 KB of quotes', () => '"'.repeat(500_000)],
  ['500 KB of backslashes', () => `"${'\\'.repeat(500_000)}`],
  ['2 MB of events', () => `{"events":${list(900, inEvent(`{"a":"${'y'.repeat(2_200)}"}`))}}`],
  ['11 MB of spaces', () => ' '.repeat(11 << 20)],
];

const inflatedBytes = 30 << 20;

const brotli = (body: Buffer): Buffer =>
  brotliCompressSync(body, {params: {[constants.BROTLI_PARAM_QUALITY]: 2, [constants.BROTLI_PARAM_LGWIN]: 24}});
const fills = {zeros: '\0', spaces: ' ', 'open arrays': '['};
const inflated = (fill: string): Buffer => Buffer.alloc(inflatedBytes, fill);

const compressedBombs: readonly Bomb[] = [
  ...Object.entries(fills).flatMap(([what, fill]): Bomb[] => [
    {name: `gzip: 30 MiB of ${what}`, make: () => gzipSync(inflated(fill)), encoding: 'gzip'},
    {name: `deflate: 30 MiB of ${what}`, make: () => deflateSync(inflated(fill)), encoding: 'deflate'},
    {name: `br: 30 MiB of ${what}`, make: () => brotli(inflated(fill)), encoding: 'br'},
  ]),
  {name: 'gzip: gzip: 30 MiB of zeros', make: () => gzipSync(gzipSync(inflated('\0'))), encoding: 'gzip'},
  {
    name: 'gzip: 60,000 keys in a batch',
    make: () => gzipSync(inBatch(keys(60_000, (i) => `key${i}`))),
    encoding: 'gzip',
  },
  {name: 'br: 4,000,000 open arrays', make: () => brotli(Buffer.from(inBatch('['.repeat(4_000_000)))), encoding: 'br'},
];

const rare = ['2 MB of events', '11 MB of spaces'];

export const bombs: readonly Bomb[] = [
  ...plainBombs.map(([name, text]) => ({name, make: () => Buffer.from(text()), isRare: rare.includes(name)})),
  ...compressedBombs,
];

const made = new Map<Bomb, Buffer>();

function bodyOf(bomb: Bomb): Buffer {
  const body = made.get(bomb) ?? bomb.make();
  made.set(bomb, body);
  return body;
}

export function pickBomb(random: Random): Bomb {
  for (;;) {
    const bomb = random.pick(bombs);
    if (bomb.isRare !== true || random.chance(0.1)) return bomb;
  }
}

export function arm(request: HostileRequest, bomb: Bomb): void {
  request.body = bodyOf(bomb);
  if (bomb.encoding !== undefined) setHeader(request, 'Content-Encoding', bomb.encoding);
  request.marks.push(`bomb: ${bomb.name}`);
}
