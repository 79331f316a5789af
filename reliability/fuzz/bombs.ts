// Small requests that are meant to cost much. Each is made once and sent as it is.
import {brotliCompressSync, constants, deflateSync, gzipSync} from 'node:zlib';
import type {Random} from '../../test/differential/random.js';
import {type HostileRequest, setHeader} from './request.js';

export interface Bomb {
  readonly name: string;
  readonly body: Buffer;
  readonly encoding?: string;
}

const inEvent = (properties: string): string => `{"event":"bomb","userId":"bomber","properties":${properties}}`;
const inBatch = (properties: string): string => `{"events":[${inEvent(properties)}]}`;
const keys = (count: number, name: (i: number) => string): string =>
  `{${Array.from({length: count}, (_, i) => `"${name(i)}":${i % 10}`).join(',')}}`;
const list = (count: number, item: string): string => `[${Array.from({length: count}, () => item).join(',')}]`;

function* plainBombs(): Generator<readonly [string, string]> {
  yield ['200,000 open arrays', '['.repeat(200_000)];
  yield ['500,000 open arrays in a batch', `{"events":[${'['.repeat(500_000)}`];
  yield ['100,000 nested arrays', inEvent('['.repeat(100_000) + ']'.repeat(100_000))];
  yield ['50,000 nested objects', inEvent(`${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`)];
  yield ['500,000 nested arrays in a batch', inBatch('['.repeat(500_000) + ']'.repeat(500_000))];
  yield ['nests side by side', inBatch(list(3_000, '['.repeat(31) + ']'.repeat(31)))];
  yield ['60,000 keys', inEvent(keys(60_000, (i) => i.toString(36)))];
  yield ['60,000 keys in a batch', inBatch(keys(60_000, (i) => `key${i}`))];
  yield ['60,000 numeric keys', inBatch(keys(60_000, (i) => String(i * 65_537)))];
  yield ['60,000 equal keys', inBatch(keys(60_000, () => 'same'))];
  yield ['60,000 __proto__ keys', inBatch(keys(60_000, () => '__proto__'))];
  yield ['keys of 10,000 characters', inBatch(keys(90, (i) => `${i}`.padEnd(10_000, 'k')))];
  yield ['a __proto__ object', inEvent('{"__proto__":{"admin":true}}')];
  yield ['an escaped __proto__', inEvent('{"\\u005f\\u005fproto\\u005f\\u005f":{"admin":true}}')];
  yield ['a constructor', inEvent('{"constructor":{"prototype":{"admin":true}}}')];
  yield ['400,000 numbers', inEvent(list(200_000, '0'))];
  yield ['400,000 numbers in a batch', inBatch(list(400_000, '0'))];
  yield ['100,000 events', `{"events":${list(100_000, '{}')}}`];
  yield ['1,000 events that are 0', `{"events":${list(1_000, '0')}}`];
  yield ['1,000 large events', `{"events":${list(1_000, inEvent(keys(60, (i) => `property number ${i}`)))}}`];
  yield ['a string of 900 KB', inBatch(`{"a":"${'x'.repeat(900_000)}"}`)];
  yield ['a string of 150,000 escapes', inBatch(`{"a":"${'\\u0041'.repeat(150_000)}"}`)];
  yield ['a string of lone surrogates', inEvent(`{"a":"${'\\ud800'.repeat(10_000)}"}`)];
  yield ['a number of 400,000 digits', inEvent(`{"a":${'9'.repeat(400_000)}}`)];
  yield ['1,000 numbers of 900 digits', inBatch(list(1_000, '1'.repeat(900)))];
  yield ['numbers that overflow', inEvent(list(1_000, '1e999'))];
  yield ['an event name of 400 KB', `{"event":"${'n'.repeat(400_000)}","userId":"bomber"}`];
  yield [
    'a time of 400 KB',
    `{"event":"bomb","userId":"bomber","timestamp":"2026-01-01T00:00:00.${'0'.repeat(400_000)}Z"}`,
  ];
  yield ['500 KB of white space', inEvent('{}') + ' '.repeat(500_000)];
  yield ['500 KB of zeros', '\0'.repeat(500_000)];
  yield ['500 KB of quotes', '"'.repeat(500_000)];
  yield ['500 KB of backslashes', `"${'\\'.repeat(500_000)}`];
  yield ['2 MB of events', `{"events":${list(900, inEvent(`{"a":"${'y'.repeat(2_200)}"}`))}}`];
  yield ['11 MB of spaces', ' '.repeat(11 << 20)];
}

const inflatedBytes = 30 << 20;

function* compressedBombs(): Generator<Bomb> {
  for (const [what, fill] of [
    ['zeros', '\0'],
    ['spaces', ' '],
    ['open arrays', '['],
  ] as const) {
    const body = Buffer.alloc(inflatedBytes, fill);
    yield {name: `gzip: 30 MiB of ${what}`, body: gzipSync(body, {level: 6}), encoding: 'gzip'};
    yield {name: `deflate: 30 MiB of ${what}`, body: deflateSync(body, {level: 6}), encoding: 'deflate'};
    const params = {[constants.BROTLI_PARAM_QUALITY]: 2, [constants.BROTLI_PARAM_LGWIN]: 24};
    yield {name: `br: 30 MiB of ${what}`, body: brotliCompressSync(body, {params}), encoding: 'br'};
  }
  const twice = gzipSync(gzipSync(Buffer.alloc(inflatedBytes), {level: 6}), {level: 6});
  yield {name: 'gzip: gzip: 30 MiB of zeros', body: twice, encoding: 'gzip'};
  const keysBody = Buffer.from(inBatch(keys(60_000, (i) => `key${i}`)));
  yield {name: 'gzip: 60,000 keys in a batch', body: gzipSync(keysBody), encoding: 'gzip'};
  const nest = Buffer.from(inBatch('['.repeat(4_000_000)));
  yield {
    name: 'br: 4,000,000 open arrays',
    body: brotliCompressSync(nest, {params: {[constants.BROTLI_PARAM_QUALITY]: 2}}),
    encoding: 'br',
  };
}

let all: readonly Bomb[] | undefined;
export function bombs(): readonly Bomb[] {
  all ??= [...[...plainBombs()].map(([name, text]) => ({name, body: Buffer.from(text)})), ...compressedBombs()];
  return all;
}

/** The larger ones are rarer: they are judged by what they cost, not by how often they come. */
export function pickBomb(random: Random): Bomb {
  for (;;) {
    const bomb = random.pick(bombs());
    if (bomb.body.length < 1 << 20 || random.chance(0.1)) return bomb;
  }
}

export function arm(request: HostileRequest, bomb: Bomb): void {
  request.body = bomb.body;
  if (bomb.encoding !== undefined) setHeader(request, 'Content-Encoding', bomb.encoding);
  request.marks.push(`bomb: ${bomb.name}`);
}
