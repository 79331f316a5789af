// A nemesis: one kind of fault around the service. Each has its file in nemeses/.

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

/** This machine does not allow the nemesis: it is skipped, with a line. */
export class NotPermitted extends Error {}

/** The run as a nemesis sees it. */
export interface Stage {
  /** Folder of the run, with journal, logs and data. */
  readonly folder: string;
  readonly journal: Journal;
  readonly service: SupervisedService;
  readonly readback: Readback;
  readonly losses: Losses;
  /** Factor of the times until something has to have happened (`--patience`). */
  readonly patience: number;
}

/** Folder of the service's data, and further settings. */
export interface Ground {
  readonly dataDir: string;
  readonly env: Readonly<Record<string, string>>;
  /** Ports of further edges. Clients take one edge after the other. */
  readonly edges?: readonly number[];
}

export interface Nemesis {
  /** Called before the first start. @throws NotPermitted */
  prepare?(folder: string, keys: Keys): Promise<Ground>;
  /** Called once, after the first start, before there is traffic. */
  ready?(stage: Stage): Promise<void>;
  /** Replaces the ordinary clients. */
  traffic?(workload: Workload, senders: readonly Sender[], readback: Readback): Traffic;
  /** Strikes in a round. */
  readonly strikes: {readonly min: number; readonly max: number};
  /** Does its damage and begins to repair it; the round then waits for readiness. */
  strike(stage: Stage, random: Random): Promise<void>;
  /** The service may end by itself (a full disk): it is started again, as a supervisor would. */
  readonly mayEndService?: boolean;
  /** Acknowledged events may be missing after a strike (`stage.losses` is told): they are counted, and sent again. */
  readonly mayLose?: boolean;
  /** Further checks after a round. */
  check?(stage: Stage, truth: Truth, round: number): Promise<Broken[]>;
  /** Checks at the end, after a stop and a start. */
  conclude?(stage: Stage, truth: Truth): Promise<Broken[]>;
  /** Counts over all rounds, for the summary. */
  account?(stage: Stage): Readonly<Record<string, number>>;
  /** Ends what `prepare` began, after the end of the service. */
  finish?(): Promise<void>;
}

/** Journals an outage of the log, which the service can notice within `noticedWithinMs`. `until` resolves when it is over. */
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

// A broken connection and a full disk are noticed at once.
export const brokenNoticedMs = 250;
// A log that stays connected and is silent is noticed after 3 s (docs/architecture.md, NATS); the rest is patience with a loaded
// machine.
export const silenceNoticedMs = 4_500;
