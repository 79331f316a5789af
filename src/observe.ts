// Process logs: one JSON object a line, on stderr (stdout is for people: base address, keys, curl lines).
//   No user id, key or payload is ever logged, and nothing is logged per event: count per batch.

import {type Logger, pino} from 'pino';

export type {Logger};

/** `role` is the thread or program that speaks. Writes are synchronous: the last line before an exit is not lost. */
export function createLogger(level: string, role: string): Logger {
  const stderr = pino.destination({fd: 2, sync: true});
  return pino({level, base: {role}, timestamp: pino.stdTimeFunctions.isoTime}, stderr);
}
