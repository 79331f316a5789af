// What nats-server sends, cut so that no message is in two pieces. The client library puts a message together out of what
// single reads brought: into a buffer that grows by doubling, copied with each step, and once more at its end. Here the
// message's own line says how long it is.
//   F1. The same bytes in the same order as they came: only where one piece ends and the next one begins is ours.
//   F2. A message that comes with several reads is gathered in a piece of its own size, into which each byte is copied once,
//       and so placed that its payload, behind the headers, begins where 8 divides the address: what is read through typed
//       arrays need not be copied once more.
//   F3. What is read lies in memory that the next read uses again: every piece is a copy.
//   F4. What is no protocol, or longer than any message, is handed on as it comes, for the client to refuse.

/** Longer than the server takes by any configuration. */
const messageBytesMax = 64 * 1024 * 1024;
/** A line without an end that is longer than this is no protocol; the longest is INFO with the addresses of a cluster. */
const lineBytesMax = 1024 * 1024;

const lineFeed = 10;
const [zero, nine] = [48, 57];
/** Space, tab, and what ends a line. */
const blanks: ReadonlySet<number> = new Set([32, 9, 13, lineFeed]);
/** As many as the client reads. */
const digitsMax = 15;
/** MSG and HMSG: of all the server's lines these two alone begin so, and have a payload behind them. */
const codes = (letters: string): ReadonlySet<number> => new Set([...letters].map((letter) => letter.charCodeAt(0)));
const messageLetters = codes('MmHh');
const withHeaders = codes('Hh');
const endBytes = 2;
/** F2 */
const alignment = 8;

const noBytes = new Uint8Array(0);

export class MessageFrames {
  private readonly out: (piece: Uint8Array) => void;
  /** F2: the message that is being gathered, and how much of it is there. */
  private message: Uint8Array = noBytes;
  private filled = 0;
  /** The beginning of a line whose end was not read yet. */
  private line: Uint8Array = noBytes;
  /** F4 */
  private isHandedOn = false;

  /** `out` is called with each piece, in order, during `take`. */
  constructor(out: (piece: Uint8Array) => void) {
    this.out = out;
  }

  /** `read`: the caller's again when this returns. F3 */
  take(read: Uint8Array): void {
    if (this.isHandedOn) {
      this.out(copied(read));
      return;
    }
    const start = this.message.length > 0 ? this.gather(read, 0) : 0;
    if (start === read.length) return;
    if (this.line.length === 0) this.cut(read, start);
    else this.endLine(read.subarray(start));
  }

  /** The line goes on here: it is put before the rest, as far as a message that it begins cannot be gathered at once. */
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

  /** From the beginning of a line: everything whole is one piece. */
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

  /** Returns false where the message is not gathered, and its line was handed on. F4 */
  private begin(line: Uint8Array, bytes: number): boolean {
    if (bytes - endBytes > messageBytesMax) {
      this.isHandedOn = true;
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

  /** Returns where the bytes of the message end. */
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
    this.isHandedOn = true;
    this.out(line);
  }
}

/**
 * What follows the line in [start, end), its end included; 0 for a line that nothing follows, infinite for one that says no
 * length. F4
 */
function payloadBytes(read: Uint8Array, start: number, end: number): number {
  return messageLetters.has(read[start]!) ? numberBefore(read, start, end) + endBytes : 0;
}

/** What of the payload are headers: of HMSG the number before the last one. */
function headersBytes(line: Uint8Array): number {
  if (!withHeaders.has(line[0]!)) return 0;
  const end = afterBlanks(line, 0, line.length);
  return numberBefore(line, 0, afterDigits(line, 0, end));
}

/** The last number of [start, end), which blanks may follow; infinite where there is none that the client takes. */
function numberBefore(read: Uint8Array, start: number, end: number): number {
  const last = afterBlanks(read, start, end);
  const first = afterDigits(read, start, last);
  if (first === last || last - first > digitsMax) return Infinity;
  let number = 0;
  for (let at = first; at < last; at++) number = number * 10 + read[at]! - zero;
  return number;
}

/** Behind the last byte of [start, end) that is no blank, and that is no digit. */
function afterBlanks(read: Uint8Array, start: number, end: number): number {
  let at = end;
  while (at > start && blanks.has(read[at - 1]!)) at -= 1;
  return at;
}

function afterDigits(read: Uint8Array, start: number, end: number): number {
  let at = end;
  while (at > start && read[at - 1]! >= zero && read[at - 1]! <= nine) at -= 1;
  return at;
}

/** No `slice`: that of a Buffer is no copy. */
const copied = (bytes: Uint8Array): Uint8Array<ArrayBuffer> => new Uint8Array(bytes);

function joined(one: Uint8Array, other: Uint8Array): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(one.length + other.length);
  both.set(one);
  both.set(other, one.length);
  return both;
}
