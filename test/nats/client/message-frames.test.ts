// That what the client library reads is the same bytes, cut between messages. Its own parser is the oracle.
import fc from 'fast-check';
import {Parser, type ParserEvent} from 'nats/lib/nats-base-client.js';
import {describe, expect, test} from 'vitest';
import {MessageFrames} from '../../../src/nats/client/message-frames.js';
import {runs} from '../../support/runs.js';

const encoder = new TextEncoder();
const bytesOf = (text: string): Uint8Array => encoder.encode(text);

function joined(pieces: readonly Uint8Array[]): Buffer {
  return Buffer.concat(pieces);
}

/** A message of the server as it is on the wire. */
function wire(payload: Uint8Array, headers?: string, subject = '_INBOX.a.1', reply = ''): Uint8Array {
  const head = headers === undefined ? new Uint8Array(0) : bytesOf(headers);
  const sizes = headers === undefined ? `${payload.length}` : `${head.length} ${head.length + payload.length}`;
  const line = `${headers === undefined ? 'MSG' : 'HMSG'} ${subject} 7 ${reply === '' ? '' : `${reply} `}${sizes}\r\n`;
  return joined([bytesOf(line), head, payload, bytesOf('\r\n')]);
}

/** Cut at these places, each into a buffer that is used again. MF3 */
function readsOf(stream: Uint8Array, cuts: readonly number[]): {bytes: Uint8Array; spoil: () => void}[] {
  const places = [...new Set(cuts.map((cut) => cut % stream.length))].filter((cut) => cut > 0).sort((a, b) => a - b);
  return [...places, stream.length].map((end, i) => {
    const bytes = new Uint8Array(stream.subarray(places[i - 1] ?? 0, end));
    return {bytes, spoil: () => void bytes.fill(0x4d)};
  });
}

function framed(stream: Uint8Array, cuts: readonly number[]): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  const frames = new MessageFrames((piece) => void pieces.push(piece));
  for (const {bytes, spoil} of readsOf(stream, cuts)) {
    frames.take(bytes);
    spoil();
  }
  return pieces;
}

/** What the client hands on: of a message its subject, reply and all behind its line. */
function parsed(pieces: readonly Uint8Array[]): string[] {
  const events: string[] = [];
  const push = (event: unknown): void => {
    const {kind, msg, data} = event as ParserEvent;
    const of = msg === undefined ? '' : ` ${Buffer.from(msg.subject)} ${Buffer.from(msg.reply ?? '')} ${msg.hdr}`;
    events.push(`${kind}${of} ${Buffer.from(data ?? []).toString('latin1')}`);
  };
  const parser = new Parser({push});
  for (const piece of pieces) parser.parse(piece);
  return events;
}

const payloads = fc.oneof(
  fc.uint8Array({maxLength: 300}),
  fc.constantFrom('MSG a 1 5\r\n', '\r\n', 'HMSG x 9 12 400\r\nPING\r\n', 'M').map(bytesOf),
);
const pieces = fc.oneof(
  payloads.map((payload) => wire(payload)),
  payloads.map((payload) => wire(payload, undefined, 'm.h.9', 'h.1.2')),
  fc
    .tuple(payloads, fc.constantFrom('NATS/1.0\r\n\r\n', 'NATS/1.0\r\nNats-Sequence: 12\r\n\r\n'))
    .map(([payload, headers]) => wire(payload, headers)),
  fc
    .constantFrom('PING\r\n', 'PONG\r\n', '+OK\r\n', "-ERR 'Slow Consumer'\r\n", 'INFO {"max_payload":5}\r\n')
    .map(bytesOf),
);

describe('the bytes of a connection', () => {
  test('are the same, however they were read, and no message is in two pieces', () => {
    fc.assert(
      fc.property(
        fc.array(pieces, {minLength: 1, maxLength: 12}),
        fc.array(fc.nat(5_000), {maxLength: 40}),
        (wires, cuts) => {
          const stream = joined(wires);
          const out = framed(stream, cuts);
          expect(joined(out).equals(stream)).toBe(true);
          expect(parsed(out)).toEqual(parsed([stream]));
          // Each piece ends where one of the wires ends.
          const ends = new Set<number>();
          let end = 0;
          for (const wire of wires) ends.add((end += wire.length));
          let at = 0;
          for (const piece of out) expect(ends).toContain((at += piece.length));
        },
      ),
      {numRuns: runs(500)},
    );
  });

  test('a message that came with several reads lies in memory of its own, its payload where 8 divides the address', () => {
    for (let size = 1_000; size < 1_020; size++) {
      for (const headers of [undefined, 'NATS/1.0\r\nNats-Sequence: 1234\r\n\r\n']) {
        const payload = new Uint8Array(size).fill(size);
        const stream = wire(payload, headers);
        for (const cut of [stream.length - size, 5]) {
          const [message, ...more] = framed(stream, [cut]);
          expect(more).toEqual([]);
          const {buffer, byteOffset, length} = message!;
          expect(buffer.byteLength - length).toBeLessThan(8);
          expect((byteOffset + length - size - 2) % 8).toBe(0);
          expect(new Uint8Array(buffer, byteOffset + length - size - 2, size)).toEqual(payload);
        }
      }
    }
  });

  test('what is no protocol is handed on, and the client refuses it', () => {
    for (const text of [
      'MSG a 1 99999999999\r\nabc',

      `MSG a 1 ${'0'.repeat(400)}\r\nab`,
      `${'x'.repeat(1_100_000)}\r\n`,
      'nonsense\r\n',
    ]) {
      const stream = bytesOf(text);
      for (const cuts of [[], [3], [3, 8, stream.length - 2], [stream.length - 1]]) {
        const out = framed(stream, cuts);
        expect(joined(out).equals(stream)).toBe(true);
        expect(() => parsed(out)).toThrow();
      }
    }
  });

  test('blanks behind a length are none of it', () => {
    const stream = bytesOf('MSG a 1 10 \r\nxxMSG 900\n\r\nPING\r\n');
    for (let cut = 1; cut < stream.length; cut++) expect(parsed(framed(stream, [cut]))).toEqual(parsed([stream]));
  });

  test('a line whose end has not come is kept until it does', () => {
    const out: Uint8Array[] = [];
    const frames = new MessageFrames((piece) => void out.push(piece));
    for (const letter of 'PIN') frames.take(bytesOf(letter));
    expect(out).toEqual([]);
    frames.take(bytesOf('G\r\nMS'));
    frames.take(bytesOf('G a 1 2\r\nab'));
    expect(joined(out).toString()).toBe('PING\r\n');
    frames.take(bytesOf('\r\n'));
    expect(joined(out).toString()).toBe('PING\r\nMSG a 1 2\r\nab\r\n');
    expect(out).toHaveLength(2);
  });
});
