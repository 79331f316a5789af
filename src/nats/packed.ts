// Questions and answers between processes, as MessagePack. Bytes stay bytes: lines of exports and changes are not escaped and parsed
// as JSON texts would be. A thread of the same process gets the same values by structured clone.
//   PK1. A message holds the names of its members itself: it can be read without any other message, and of any version.
import {Packr} from 'msgpackr/pack';
import {replyBytesMax} from '../asks/subjects.js';

const packr = new Packr({structuredClone: false, moreTypes: false});

export const pack = (value: unknown): Uint8Array => packr.pack(value);

/** Any value, of which the sender is trusted to have made the right one. @throws when the bytes are no MessagePack */
export const unpack = <T>(bytes: Uint8Array): T => packr.unpack(bytes) as T;

/** The bytes of `answer`, or of what `tooLarge` answers when NATS does not carry them. */
export function packReply<T>(answer: T, tooLarge: () => T): Uint8Array {
  const bytes = pack(answer);
  return bytes.length > replyBytesMax ? pack(tooLarge()) : bytes;
}
