// Bytes of nats-server, cut so that no message is in two pieces. The client library gathers a message that several reads bring in
// a buffer that grows by doubling, and copies it with each step. The line of a message says how long it is.
//   MF1. The pieces have the same bytes in the same order; only their ends differ from those of the reads.
//   MF2. A message that several reads bring is gathered in a piece of its own size, into which each byte is copied once. Its payload,
//        after the headers, begins where 8 divides the address: typed arrays can be laid over it (src/parts/stored-parts.ts SP1).
//   MF3. A read is in memory that the next read overwrites: every piece is a copy.
//   MF4. Bytes that are no protocol, or a message longer than any, are passed on as they come, and the client refuses them.

/** Longer than the server takes by any configuration. */
const messageBytesMax = 64 * 1024 * 1024;
/** A longer line is no protocol; the longest is INFO with the addresses of a cluster. */
const lineBytesMax = 1024 * 1024;

const lineFeed = 10;
const [zero, nine] = [48, 57];
/** Space, tab, and the end of a line. */
const blanks: ReadonlySet<number> = new Set([32, 9, 13, lineFeed]);
/** The client reads no longer numbers. */
const digitsMax = 15;
/** MSG and HMSG: no other line begins so, and no other one is followed by a payload. */
const codes = (letters: string): ReadonlySet<number> => new Set([...letters].map((letter) => letter.charCodeAt(0)));
const messageLetters = codes('MmHh');
const withHeaders = codes('Hh');
const endBytes = 2;
/** MF2 */
const alignment = 8;

const noBytes = new Uint8Array(0);

export class MessageFrames {
  private readonly out: (piece: Uint8Array) => void;
  /** The message that is being gathered, and how much of it is there. MF2 */
  private message: Uint8Array = noBytes;
  private filled = 0;
  /** The beginning of a line whose end is not read yet. */
  private line: Uint8Array = noBytes;
  /** MF4 */
  private isPassedOn = false;

  /** `out` is called with each piece, in order, during `take`. */
  constructor(out: (piece: Uint8Array) => void) {
    this.out = out;
  }

  /** `read` may be overwritten once this returns. MF3 */
  take(read: Uint8Array): void {
    if (this.isPassedOn) {
      this.out(copied(read));
      return;
    }
    const start = this.message.length > 0 ? this.gather(read, 0) : 0;
    if (start === read.length) return;
    if (this.line.length === 0) this.cut(read, start);
    else this.endLine(read.subarray(start));
  }

  /** The begun line ends here: it is a piece of its own, or the begin of a message. */
  private endLine(rest: Uint8Array): void {
    const end = rest.indexOf(lineFeed);
    const begun = this.line;
    this.line = noBytes;
    if (end < 0) {
      this.keepLine(joined(begun, rest));
      return;
    }
    const line = joined(begun, rest.subarray(0, end + 1));
    const bytes = payloadBytes(line, 0, line.length - 1);
    if (bytes === 0) {
      this.out(line);
      this.cut(rest, end + 1);
    } else if (this.begin(line, bytes)) {
      const next = this.gather(rest, end + 1);
      if (next < rest.length) this.cut(rest, next);
    } else {
      this.out(copied(rest.subarray(end + 1)));
    }
  }

  /** From the beginning of a line on: whole lines and messages are one piece. */
  private cut(read: Uint8Array, start: number): void {
    for (let at = start; ; ) {
      const end = at < read.length ? read.indexOf(lineFeed, at) : -1;
      if (end < 0) {
        if (at > start) this.out(copied(read.subarray(start, at)));
        if (at < read.length) this.keepLine(copied(read.subarray(at)));
        return;
      }
      const bytes = payloadBytes(read, at, end);
      const next = end + 1 + bytes;
      if (next <= read.length) {
        at = next;
        continue;
      }
      if (at > start) this.out(copied(read.subarray(start, at)));
      if (this.begin(read.subarray(at, end + 1), bytes)) this.gather(read, end + 1);
      else this.out(copied(read.subarray(end + 1)));
      return;
    }
  }

  /** False: the message is not gathered, and its line was passed on. MF4 */
  private begin(line: Uint8Array, bytes: number): boolean {
    if (bytes - endBytes > messageBytesMax) {
      this.isPassedOn = true;
      this.out(copied(line));
      return false;
    }
    const headers = headersBytes(line);
    const beforePayload = line.length + (headers < bytes ? headers : 0);
    const pad = (alignment - (beforePayload % alignment)) % alignment;
    this.message = new Uint8Array(new ArrayBuffer(pad + line.length + bytes), pad);
    this.message.set(line);
    this.filled = line.length;
    return true;
  }

  /** Returns the place in `read` after the bytes of the message. */
  private gather(read: Uint8Array, start: number): number {
    const end = Math.min(read.length, start + this.message.length - this.filled);
    this.message.set(start === 0 && end === read.length ? read : read.subarray(start, end), this.filled);
    this.filled += end - start;
    if (this.filled === this.message.length) {
      const {message} = this;
      this.message = noBytes;
      this.out(message);
    }
    return end;
  }

  private keepLine(line: Uint8Array<ArrayBuffer>): void {
    if (line.length <= lineBytesMax) {
      this.line = line;
      return;
    }
    this.isPassedOn = true;
    this.out(line);
  }
}

/**
 * Bytes that follow the line in [start, end), their end included; 0 for a line without a payload, infinite for one that says no
 * length. MF4
 */
function payloadBytes(read: Uint8Array, start: number, end: number): number {
  return messageLetters.has(read[start]!) ? numberBefore(read, start, end) + endBytes : 0;
}

/** Bytes of the payload that are headers: the number before the last one of HMSG. */
function headersBytes(line: Uint8Array): number {
  if (!withHeaders.has(line[0]!)) return 0;
  const end = afterBlanks(line, 0, line.length);
  return numberBefore(line, 0, afterDigits(line, 0, end));
}

/** The last number of [start, end), which blanks may follow; infinite if there is none that the client takes. */
function numberBefore(read: Uint8Array, start: number, end: number): number {
  const last = afterBlanks(read, start, end);
  const first = afterDigits(read, start, last);
  if (first === last || last - first > digitsMax) return Infinity;
  let number = 0;
  for (let at = first; at < last; at++) number = number * 10 + read[at]! - zero;
  return number;
}

/** The place after the last byte of [start, end) that is no blank. */
function afterBlanks(read: Uint8Array, start: number, end: number): number {
  let at = end;
  while (at > start && blanks.has(read[at - 1]!)) at -= 1;
  return at;
}

/** The place after the last byte of [start, end) that is no digit. */
function afterDigits(read: Uint8Array, start: number, end: number): number {
  let at = end;
  while (at > start && read[at - 1]! >= zero && read[at - 1]! <= nine) at -= 1;
  return at;
}

/** Not `slice`: that of a Buffer is no copy. */
const copied = (bytes: Uint8Array): Uint8Array<ArrayBuffer> => new Uint8Array(bytes);

function joined(one: Uint8Array, other: Uint8Array): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(one.length + other.length);
  both.set(one);
  both.set(other, one.length);
  return both;
}
