// ISO 8601 times as bytes, exactly as `isoText` makes them.
//   IT1. Times that are written one after the other share a few days: of one event's two times each has its own.
import type {ByteWriter} from '../bytes/bytes.js';
import {ascii, writeBytes} from '../bytes/json-bytes.js';
import {isoText} from '../calendar.js';
import {dayMs} from '../limits.js';

const colon = 0x3a;
const dot = 0x2e;
const utc = 0x5a;
const zero = 0x30;
/** `00:00:00.000Z` */
const clockBytes = 13;

/** A power of two. IT1 */
const daysHeld = 64;

export class IsoTimes {
  /** Text of a day, with the T, and the day, at its place. */
  private readonly dates = new Array<Uint8Array>(daysHeld).fill(ascii(''));
  private readonly days = new Float64Array(daysHeld).fill(Number.NaN);

  /** Appends the text of a time, epoch ms. */
  write(writer: ByteWriter, timeMs: number): void {
    const day = Math.floor(timeMs / dayMs);
    const ofDayMs = timeMs - day * dayMs;
    if (!Number.isInteger(ofDayMs)) {
      writeBytes(writer, ascii(isoText(timeMs)));
      return;
    }
    writeBytes(writer, this.dateOf(day));
    const seconds = (ofDayMs / 1_000) | 0;
    const minutes = (seconds / 60) | 0;
    const hours = (minutes / 60) | 0;
    writer.reserve(clockBytes);
    const {bytes, position} = writer;
    setTwo(bytes, position, hours);
    bytes[position + 2] = colon;
    setTwo(bytes, position + 3, minutes - hours * 60);
    bytes[position + 5] = colon;
    setTwo(bytes, position + 6, seconds - minutes * 60);
    bytes[position + 8] = dot;
    const ms = ofDayMs - seconds * 1_000;
    bytes[position + 9] = zero + ((ms / 100) | 0);
    setTwo(bytes, position + 10, ms % 100);
    bytes[position + 12] = utc;
    writer.position += clockBytes;
  }

  private dateOf(day: number): Uint8Array {
    const place = day & (daysHeld - 1);
    if (this.days[place] !== day) {
      const text = isoText(day * dayMs);
      this.dates[place] = ascii(text.slice(0, text.indexOf('T') + 1));
      this.days[place] = day;
    }
    return this.dates[place];
  }
}

/** Sets two digits. */
function setTwo(bytes: Uint8Array, at: number, value: number): void {
  const tens = (value / 10) | 0;
  bytes[at] = zero + tens;
  bytes[at + 1] = zero + value - tens * 10;
}
