// The same events in every spelling that JSON allows, and in spellings that a byte has spoiled. What is stored must be
// what JSON.parse reads; what JSON.parse or UTF-8 refuses must be refused as a whole, and stores nothing.

import {isDeepStrictEqual} from 'node:util';
import {expect, test} from 'vitest';
import {eventJson, historyOf} from '../../tools/model/history.js';
import {type EventBody, Model, receivedAt, type UserRef, userKeyOf, userOf} from '../../tools/model/model.js';
import {Random} from '../../tools/random.js';
import {type Answer, expectError} from '../support/http.js';
import {useService} from './service-under-test.js';

const under = useService();

const shortEscapes: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  '\b': 'b',
  '\f': 'f',
  '\n': 'n',
  '\r': 'r',
  '\t': 't',
};

/** JSON text of random events; no two texts of one value need look alike. */
class Spelling {
  /** As JSON.stringify writes: compact, no escape that is not needed. */
  private isPlain = false;

  constructor(private readonly random: Random) {}

  batch(label: string): string {
    this.isPlain = this.random.chance(0.4);
    const items = Array.from({length: this.random.between(1, 6)}, (_, at) =>
      this.event(`${label}-${at % 3}`, `${label}-${at}`, `2024-01-0${at + 1}`),
    );
    const members = [`${this.text('events')}${this.space()}:${this.list(items)}`];
    if (this.random.chance(0.2)) members.unshift(`"before":${this.value(3)}`);
    if (this.random.chance(0.2)) members.push(`"after":${this.value(3)}`);
    return `${this.space()}{${members.join(`${this.space()},`)}}${this.space()}`;
  }

  /** `day`: no other event has it. Events of one time may be moved to keep their order (docs/api/people.md, Identity). */
  private event(user: string, messageId: string, day: string): string {
    const {random} = this;
    const members = [
      ['event', this.text(random.pick(['seen', 'ünï ☂ 😀', 'a"b\\c/d', '__proto__']))],
      [random.pick(['userId', 'anonymousId']), this.text(random.pick([user, `${user} é/☂"`]))],
      ['timestamp', this.text(random.pick([day, `${day}T00:00:00.000Z`, `${day} 00:00+00:00`]))],
      ...(random.chance(0.5) ? [['properties', this.object(3)]] : []),
      ...(random.chance(0.5) ? [['messageId', this.text(messageId)]] : []),
      ...(random.chance(0.2) ? [['unknown', this.value(2)]] : []),
      ...(random.chance(0.1) ? [['messageId', 'null']] : []),
    ] as [string, string][];
    if (random.chance(0.3)) members.reverse();
    // A name that stands twice: the last one counts.
    if (random.chance(0.2)) members.unshift([random.pick(members)[0], this.value(1)]);
    return this.members(members);
  }

  private members(members: readonly (readonly [string, string])[]): string {
    const written = members.map(
      ([name, value]) => `${this.space()}${this.text(name)}${this.space()}:${this.space()}${value}${this.space()}`,
    );
    return `{${written.join(',') || this.space()}}`;
  }

  private list(items: readonly string[]): string {
    return `[${items.map((item) => this.space() + item + this.space()).join(',') || this.space()}]`;
  }

  private object(depth: number): string {
    const names = ['a', 'plan', '', 'é☂', 'a.b', 'constructor', 'k"\\', 'event', 'userId', '\ud800'];
    return this.members(
      Array.from({length: this.random.between(0, 4)}, () => [this.random.pick(names), this.value(depth - 1)]),
    );
  }

  private value(depth: number): string {
    const {random} = this;
    const kind = random.weighted({text: 3, number: 3, word: 2, object: depth > 0 ? 2 : 0, list: depth > 0 ? 2 : 0});
    if (kind === 'object') return this.object(depth);
    if (kind === 'list') return this.list(Array.from({length: random.between(0, 3)}, () => this.value(depth - 1)));
    if (kind === 'word') return random.pick(['true', 'false', 'null']);
    if (kind === 'text')
      return this.text(
        random.pick(['', 'pro', '{"a":1}', '],[', 'é☂😀', '\ud83d', '\u0000\u001f', '\u2028', 'x'.repeat(200)]),
      );
    return random.pick([
      '0',
      '-0',
      '0.0',
      '1e2',
      '1E+2',
      '100',
      '-1.50',
      '1e-7',
      '5e-324',
      '1e-999',
      '9007199254740992',
      '1.7976931348623157e308',
      '0.12345678901234567890',
    ]);
  }

  private text(value: string): string {
    const isEscaping = !this.isPlain && this.random.chance(0.3);
    const spelled = value.split('').map((unit) => this.unit(unit, isEscaping));
    return `"${spelled.join('')}"`;
  }

  /** One UTF-16 unit: a lone surrogate has no other spelling than its escape. */
  private unit(unit: string, isEscaping: boolean): string {
    const code = unit.charCodeAt(0);
    const short = shortEscapes[unit];
    const mustEscape = code < 0x20 || unit === '"' || unit === '\\' || (code >= 0xd800 && code <= 0xdfff);
    if (short !== undefined && (mustEscape || isEscaping) && this.random.chance(0.5)) return `\\${short}`;
    if (!mustEscape && !(isEscaping && this.random.chance(0.5))) return unit;
    const hex = code.toString(16).padStart(4, '0');
    return `\\u${this.random.chance(0.5) ? hex : hex.toUpperCase()}`;
  }

  private space(): string {
    return this.isPlain || this.random.chance(0.8) ? '' : this.random.pick([' ', '\n', '\t', '\r\n', '   ']);
  }
}

/** One byte is changed, added or taken away, or the end is cut off. */
function spoil(bytes: Buffer, random: Random): Buffer {
  const at = random.between(0, bytes.length - 1);
  const byte = random.pick([
    0x00, 0x1f, 0x20, 0x22, 0x2c, 0x2d, 0x30, 0x3a, 0x5b, 0x5c, 0x5d, 0x65, 0x75, 0x7b, 0x7d, 0x7f, 0x80, 0xc0, 0xed,
    0xf5, 0xff,
  ]);
  const kind = random.pick(['change', 'add', 'remove', 'cut'] as const);
  if (kind === 'cut') return bytes.subarray(0, at);
  const [head, tail] = [bytes.subarray(0, at), bytes.subarray(kind === 'add' ? at : at + 1)];
  return Buffer.concat([head, kind === 'remove' ? Buffer.alloc(0) : Buffer.from([byte]), tail]);
}

/** Undefined where the bytes are no UTF-8 or no JSON. */
function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', {fatal: true, ignoreBOM: true}).decode(bytes));
  } catch {
    return undefined;
  }
}

const post = (bytes: Buffer): Promise<Answer> =>
  under.write.send('POST', '/v1/events/batch', {body: bytes, headers: {'content-type': 'application/json'}});

interface BatchBody {
  readonly received: number;
  readonly errors?: {index: number; code: string; message: string}[];
}

/** The items that the service took, by its own account, must be stored as JSON.parse read them. */
function takenOf(document: unknown, answer: Answer): EventBody[] {
  const {errors = [], received = 0} = answer.json<BatchBody>();
  const refused = new Set(errors.map((error) => error.index));
  const items = (document as {events?: unknown}).events;
  const taken = (Array.isArray(items) ? items : []).filter((_, at) => answer.status !== 413 && !refused.has(at));
  if (answer.status === 200 || answer.status === 207) expect(taken).toHaveLength(received);
  // Through text once more: -0 is written as 0.
  return answer.status === 200 || answer.status === 207 ? (JSON.parse(JSON.stringify(taken)) as EventBody[]) : [];
}

async function expectStored(user: UserRef): Promise<void> {
  const asked = user.kind === 'user' ? {userId: user.id} : {anonymousId: user.id};
  const {data} = await under.history({...asked, limit: 1_000});
  const shown = data.map(({id: _id, received_at: _receivedAt, ...rest}) => rest);
  const expected = historyOf(model, asked).map(eventJson);
  if (!isDeepStrictEqual(shown, expected)) expect(shown).toEqual(expected);
}

// One for all seeds: a spoiled byte can turn the user of one batch into that of another.
const model = new Model();
/** Users with an event that lost its timestamp: only the service knows when that one was received. */
const timeless = new Set<string>();

test.each([1, 2, 3, 4])('seed %i', async (seed) => {
  const random = new Random(seed);
  const spelling = new Spelling(random);
  const counts = {taken: 0, refused: 0};
  for (let round = 0; round < 150; round++) {
    const whole = Buffer.from(spelling.batch(`s${seed}-${round}`));
    const bytes = random.chance(0.5) ? spoil(whole, random) : whole;
    const document = parsed(bytes);
    const answer = await post(bytes);
    if (document === undefined) {
      expectError(answer, 400, 'invalid_json');
      counts.refused += 1;
      continue;
    }
    expect([200, 207, 400], answer.text).toContain(answer.status);
    if (bytes === whole) expect(answer.status, `${answer.text}\n${bytes}`).toBe(200);
    if (answer.status === 400) {
      expect(answer.json<{error: {code: string}}>().error.code).toMatch(/^invalid_(request|event)$/);
    }
    const taken = takenOf(document, answer);
    counts.taken += taken.length;
    for (const body of taken) {
      if (body.timestamp == null) timeless.add(userKeyOf(userOf(body)));
      else model.event(body, receivedAt(0));
    }
    for (const user of taken.map(userOf)) if (!timeless.has(userKeyOf(user))) await expectStored(user);
  }
  expect(counts.taken).toBeGreaterThan(150);
  expect(counts.refused).toBeGreaterThan(20);
});
