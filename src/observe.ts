// Process logs on stderr: one JSON object per line; on a terminal, a line for people. (stdout has the base address, keys and curl
// lines.)
//   No user id, key or payload is ever logged, and nothing is logged per event: count per batch.

import {writeSync} from 'node:fs';
import {isatty} from 'node:tty';
import {type Logger, pino} from 'pino';

export type {Logger};

const stderr = 2;
/** Turns a JSON line into one for people; undefined unless stderr is a terminal. Its module is loaded only then. */
const forPeople = isatty(stderr) ? await lineMaker() : undefined;
/** Whether the log goes to a terminal. */
export const isReadByPeople = forPeople !== undefined;
/** Time that a reader of the log may take. */
const patienceMsMax = 1_000;
const lookAgainMs = 10;
const sleeper = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));

/** `role`: the thread or program that logs. Writes are synchronous: the last line before an exit is not lost. */
export function createLogger(level: string, role: string): Logger {
  const out = new Lines((lost) => logger.warn({lines: lost}, 'lines of this log are lost: it could not be written'));
  const logger = pino({level, base: {role}, timestamp: pino.stdTimeFunctions.isoTime}, out);
  return logger;
}

async function lineMaker(): Promise<(json: string) => string> {
  const {isColorSupported, prettyFactory} = await import('pino-pretty');
  return prettyFactory({
    colorize: isColorSupported, // Not with NO_COLOR.
    translateTime: 'SYS:HH:MM:ss',
    ignore: 'role',
    messageFormat: '{role}: {msg}',
    singleLine: true,
  });
}

/** Lines that cannot be written (the disk is full, the reader stopped) are lost; a later line has their number. */
class Lines {
  private lost = 0;
  /** The end of the newest line is missing. */
  private isCut = false;

  constructor(private readonly onWritable: (lost: number) => void) {}

  write(json: string): void {
    const line = forPeople?.(json) ?? json;
    const bytes = Buffer.from(this.isCut ? `\n${line}` : line);
    // After a lost line no write waits.
    const written = writeAll(bytes, this.lost === 0 ? patienceMsMax : 0);
    if (written > 0) this.isCut = written < bytes.length;
    if (written < bytes.length) {
      this.lost += 1;
      return;
    }
    const {lost} = this;
    this.lost = 0;
    if (lost > 0) this.onWritable(lost);
  }
}

/** @returns how many bytes were written. */
function writeAll(bytes: Uint8Array, patienceMs: number): number {
  let at = 0;
  for (let leftMs = patienceMs; at < bytes.length; ) {
    try {
      at += writeSync(stderr, bytes, at);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN' || leftMs <= 0) return at;
      Atomics.wait(sleeper, 0, 0, lookAgainMs);
      leftMs -= lookAgainMs;
    }
  }
  return at;
}
