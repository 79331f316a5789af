// Values of parts from a connection: cut between messages before the client library reads them, beside its own gathering. Both end
// where typed arrays can be laid over them, as the cache needs them.

import {Parser, type ParserEvent} from 'nats/lib/nats-base-client.js';
import {MessageFrames} from '../../src/nats/client/message-frames.js';
import {type Piece, sumOf, told} from './piece.js';

const valueBytes = 256 * 1_024;
/** Most bytes of a read of Node. */
const readBytes = 64 * 1_024;

export function messagePieces(count: number): Piece[] {
  const stream = streamOf(count);
  return [
    {
      quick: 'a value read: gathered in its own size',
      plain: 'a value read: by the client library',
      work: {
        quick: () => values(stream, (parser) => framed(parser)),
        plain: () => values(stream, (parser) => (read) => parser.parse(new Uint8Array(read))),
      },
      count,
    },
  ];
}

/** Messages as the server sends them, each with other bytes. */
function streamOf(count: number): Uint8Array {
  const headers = 'NATS/1.0\r\nNats-Stream: KV_parts\r\n\r\n';
  const messages = Array.from({length: count}, (_, i) => [
    Buffer.from(`HMSG _INBOX.parts.${i} 1 ${headers.length} ${headers.length + valueBytes}\r\n${headers}`),
    Buffer.alloc(valueBytes, i + 1),
    Buffer.from('\r\n'),
  ]);
  return Buffer.concat(messages.flat());
}

function framed(parser: Parser): (read: Uint8Array) => void {
  const frames = new MessageFrames((piece) => parser.parse(piece));
  return (read) => frames.take(read);
}

/** A read is in memory that the next one overwrites: what is kept of it is a copy. */
function values(stream: Uint8Array, readerOf: (parser: Parser) => (read: Uint8Array) => void) {
  const placed: Uint8Array[] = [];
  const push = (event: unknown): void => {
    const {msg, data} = event as Required<ParserEvent>;
    placed.push(inPlace(data.subarray(msg.hdr)));
  };
  const take = readerOf(new Parser({push}));
  for (let at = 0; at < stream.length; at += readBytes) take(stream.subarray(at, at + readBytes));
  return told(() => [placed.length, sumOf(placed.flatMap((value) => [value.length, value[0]!, value.at(-1)!]))]);
}

const inPlace = (value: Uint8Array): Uint8Array => (value.byteOffset % 8 === 0 ? value : new Uint8Array(value));
