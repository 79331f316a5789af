// A wait of the start for something that another program promised: a connection, a record, an answer.
//   PW1. Every wait has a deadline. At its end the start fails with one sentence.
//   PW2. A wait says every 10 s what it waits for.
import {monotonicMs} from './clock.js';
import type {Logger} from './observe.js';
import {StartFault} from './start-fault.js';

const sayEveryMs = 10_000;
/** A busy machine takes seconds for what takes milliseconds. */
const waitMsMax = 60_000;

export interface PromisedOptions {
  readonly logger: Pick<Logger, 'warn'>;
  readonly msMax?: number;
  readonly sayMs?: number;
}

/** `what`: the subject of "has not come". Rejects as `work` does, or with a StartFault at the deadline. */
export async function promised<Given>(
  what: string,
  work: Promise<Given>,
  {logger, msMax = waitMsMax, sayMs = sayEveryMs}: PromisedOptions,
): Promise<Given> {
  const startMs = monotonicMs();
  const waitedSeconds = (): number => Math.round((monotonicMs() - startMs) / 1_000);
  const saying = setInterval(() => logger.warn({seconds: waitedSeconds()}, `the start still waits for ${what}`), sayMs);
  let ending: NodeJS.Timeout | undefined;
  const overdue = new Promise<never>((_, reject) => {
    ending = setTimeout(() => reject(overdueFault(what, waitedSeconds())), msMax);
  });
  try {
    return await Promise.race([work, overdue]);
  } finally {
    clearInterval(saying);
    clearTimeout(ending);
  }
}

const overdueFault = (what: string, seconds: number): StartFault =>
  new StartFault(
    `${what} did not come within ${seconds} s: read the log of nats-server (DATA_DIR/nats/server.log), check its disk, and start again`,
  );
