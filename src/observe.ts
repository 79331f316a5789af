// Process logs: one JSON object a line, on stderr (stdout is for people: base address, keys, curl lines).
//   No user id, key or payload is ever logged, and nothing is logged per event: count per batch.

import {type Logger, pino} from 'pino';

export type {Logger};

/** What waits for a disk that is full, in characters; what comes behind is lost, and counted. */
const waitingMax = 1024 * 1024;

/**
 * `role` is the thread or program that speaks. Writes are synchronous: the last line before an exit is not lost.
 * A log that cannot be written ends nobody.
 */
export function createLogger(level: string, role: string): Logger {
  const stderr = pino.destination({fd: 2, sync: true, maxLength: waitingMax});
  const logger = pino({level, base: {role}, timestamp: pino.stdTimeFunctions.isoTime}, stderr);
  let lostLines = 0;
  stderr.on('error', () => undefined);
  stderr.on('drop', () => void (lostLines += 1));
  stderr.on('drain', () => {
    if (lostLines === 0) return;
    const lines = lostLines;
    lostLines = 0;
    logger.warn({lines}, 'lines of this log are lost: it could not be written');
  });
  return logger;
}
