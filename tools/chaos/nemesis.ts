// A nemesis: one way in which the world treats the service badly. Each has a file of its own in nemeses/.

import type {Random} from '../random.js';
import type {Broken} from './broken.js';
import type {Journal} from './journal.js';
import type {Losses} from './losses.js';
import type {Readback} from './readback.js';
import type {Keys, Sender} from './sender.js';
import type {SupervisedService} from './supervised-service.js';
import type {Traffic} from './traffic.js';
import type {Truth} from './truth.js';
import type {Workload} from './workload.js';

/** This machine does not allow what the nemesis needs: it is skipped, loudly. */
export class NotPermitted extends Error {}

/** What a nemesis may use. */
export interface Stage {
  /** Of this run: the journal, the logs and the data are below. */
  readonly folder: string;
  readonly journal: Journal;
  readonly service: SupervisedService;
  readonly readback: Readback;
  readonly losses: Losses;
}

/** Where the service keeps its data, and what else it is told. */
export interface Ground {
  readonly dataDir: string;
  readonly env: Readonly<Record<string, string>>;
}

export interface Nemesis {
  /** Before the first start. Throws `NotPermitted`. */
  prepare?(folder: string, keys: Keys): Promise<Ground>;
  /** Instead of the ordinary clients. */
  traffic?(workload: Workload, senders: readonly Sender[], readback: Readback): Traffic;
  /** How often it strikes in a round. */
  readonly strikes: {readonly min: number; readonly max: number};
  /** Does its damage and begins the healing; the round then waits for readiness. */
  strike(stage: Stage, random: Random): Promise<void>;
  /** The service may end by itself (a full disk): it is started again like by any supervisor. */
  readonly mayEndService?: boolean;
  /** Acknowledged events may be missing behind a strike (`stage.losses` is told): they are counted, and sent again. */
  readonly mayLose?: boolean;
  /** What else must hold after a round. */
  check?(stage: Stage, truth: Truth, round: number): Promise<Broken[]>;
  /** What must hold at the end, after a stop and a start. */
  conclude?(stage: Stage, truth: Truth): Promise<Broken[]>;
  /** What it did and met over all rounds, for the summary. */
  account?(stage: Stage): Readonly<Record<string, number>>;
  /** Ends what `prepare` began, when the service has ended. */
  finish?(): Promise<void>;
}

/** While the log is away, which the service can know after `noticedWithinMs`. `until` resolves when it is back. */
export async function outage(
  {journal}: Pick<Stage, 'journal'>,
  name: string,
  noticedWithinMs: number,
  until: () => Promise<void>,
): Promise<void> {
  journal.write({line: 'log down', name, noticedWithinMs});
  await until();
  journal.write({line: 'log up', name});
}

// A connection that breaks, and a disk that fills up, show at once.
export const brokenNoticedMs = 250;
// A log that stays connected and is silent shows after 3 s (docs/architecture.md, NATS); the rest is patience with a loaded
// machine.
export const silenceNoticedMs = 4_500;
